"""The jail: runs a patch in a process that can do nothing but compute and answer.

    isolation = detect()                               # once at start; raises IsolationUnavailable
    with open_lane(isolation, slot=0) as lane:         # one lane a core, each with its slot
        lane.submit(frame, Limits(cpu_ms=800))         # any number ahead, never blocks
        run = lane.receive()                           # PatchRun, in the order of submission

`detect` and `open_lane` are in `sandbox.jail.isolation`, `Limits` in `sandbox.jail.rlimits`,
`PatchRun` in `sandbox.jail.patch_run`. A frame is opaque here: a fresh process reads it and calls
`run(frame, send)` of the runner module (by default `sandbox.runner`), where `send` takes bytes and
may be called any number of times. `PatchRun.output` is what left the process, frame protocol or
not; only `ending` and the times are measured from outside.

Process tree: judge -> zygote (pid 1 of its own namespaces in profile S) -> one process per patch.
The zygote is exec'ed with a clean environment and never reads a frame.
"""
