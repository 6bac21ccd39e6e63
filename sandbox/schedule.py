"""Concurrency without chance: generator tasks in given turns, coroutines on virtual time."""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.pristine import BaseException, StopIteration, next, range

Ending = tuple[str, Any]


def run_turns(
    tasks: dict[str, Any], schedule: Iterable[str], max_turns: int, close: Iterable[str]
) -> dict[str, Ending]:
    """Drives generators: the scheduled turns, then the closes, then round robin.

    Gives per label ("returned", value), ("raised", exception), ("closed", None) or
    ("stuck", None) for a task that has not ended after `max_turns` further turns.
    """
    endings: dict[str, Ending] = {}

    def turn(label: str) -> None:
        try:
            next(tasks[label])
        except StopIteration as stop:
            endings[label] = ("returned", stop.value)
        except BaseException as error:
            endings[label] = ("raised", error)

    for label in schedule:
        if label not in endings:
            turn(label)
    for label in close:
        if label not in endings:
            try:
                tasks[label].close()
                endings[label] = ("closed", None)
            except BaseException as error:
                endings[label] = ("raised", error)
    for _ in range(max_turns):
        waiting = [label for label in tasks if label not in endings]
        if not waiting:
            break
        for label in waiting:
            turn(label)
    return {label: endings.get(label, ("stuck", None)) for label in tasks}


def run_virtual(
    start: Callable[[], Any], now: Callable[[], float], advance: Callable[[float], None]
) -> Any:
    """Runs the coroutine that `start` makes, on a loop whose waits only move the clock.

    When every task waits and no timer is pending, RuntimeError("deadlock") comes out.
    """
    from asyncio import Task, all_tasks, base_events, events, gather

    class Selector:
        def select(self, timeout: float | None) -> list[Any]:
            if timeout is None:
                raise RuntimeError("deadlock")
            if timeout > 0:
                advance(max(loop._scheduled[0]._when - now(), 0))  # type: ignore[attr-defined]
            return []

        def close(self) -> None:
            pass

    class Loop(base_events.BaseEventLoop):
        def __init__(self) -> None:
            super().__init__()
            self._selector = Selector()
            self._clock_resolution = 1e-9

        def time(self) -> float:
            return now()

        def _process_events(self, event_list: Any) -> None:
            pass

        def _write_to_self(self) -> None:
            pass

        def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
            future = self.create_future()

            def work() -> None:
                try:
                    future.set_result(func(*args))
                except BaseException as error:
                    future.set_exception(error)

            self.call_soon(work)
            return future

    loop = Loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    events.set_event_loop(loop)
    try:
        return loop.run_until_complete(start())
    finally:
        try:
            left: set[Task[Any]] = all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        except RuntimeError:
            pass  # a task that refuses to be cancelled waits for ever; it ends with the process
        finally:
            events.set_event_loop(None)
            loop.close()
