"""Assembler for seccomp programs: a binary search over system call numbers, with clauses."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

KILL_PROCESS = 0x80000000
ALLOW = 0x7FFF0000

_LOAD, _RETURN = 0x20, 0x06
_JUMP, _JUMP_EQUAL, _JUMP_GREATER_OR_EQUAL, _JUMP_SET = 0x05, 0x15, 0x35, 0x45
# Offsets into struct seccomp_data; arguments are 64 bits, both machines are little-endian.
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x40000000

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def error(number: int) -> int:
    """The action that makes a call fail with this errno."""
    return 0x00050000 | number


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one 32-bit half of an argument."""

    argument: int
    equals_one_of: tuple[int, ...] = ()
    has_none_of: int = 0
    high_half: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """All tests hold: the action."""

    tests: tuple[Test, ...]
    action: int


@dataclass(frozen=True, slots=True)
class Rule:
    """The first clause that holds decides, else `otherwise`."""

    clauses: tuple[Clause, ...]
    otherwise: int


Decision = int | Rule
_Instruction = tuple[int, int, int, int]


def assemble(machine: str, decisions: Mapping[int, Decision], otherwise: int) -> bytes:
    """The program as an array of struct sock_filter, 8 bytes an instruction.

    Calls of any other architecture, and of x32, kill the process.
    """
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GREATER_OR_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, KILL_PROCESS),
    ]
    program += _search(_segments(decisions, otherwise))
    if len(program) > 4096:
        raise ValueError("a seccomp program holds at most 4096 instructions")
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _segments(decisions: Mapping[int, Decision], otherwise: int) -> list[tuple[int, Decision]]:
    """Runs of numbers with one decision: (first number, decision), from 0 upwards."""
    runs: list[tuple[int, Decision]] = []
    following = 0
    for number in sorted(decisions):
        if number > following:
            runs.append((following, otherwise))
        runs.append((number, decisions[number]))
        following = number + 1
    runs.append((following, otherwise))
    merged = runs[:1]
    for run in runs[1:]:
        if run[1] != merged[-1][1]:
            merged.append(run)
    return merged


def _search(runs: list[tuple[int, Decision]]) -> list[_Instruction]:
    if len(runs) == 1:
        return _decide(runs[0][1])
    middle = len(runs) // 2
    below, above = _search(runs[:middle]), _search(runs[middle:])
    pivot = runs[middle][0]
    if len(below) <= 255:
        return [(_JUMP_GREATER_OR_EQUAL, len(below), 0, pivot), *below, *above]
    # A conditional jump reaches 255 instructions; an unconditional one has 32 bits.
    far = [(_JUMP_GREATER_OR_EQUAL, 0, 1, pivot), (_JUMP, 0, 0, len(below))]
    return [*far, *below, *above]


def _decide(decision: Decision) -> list[_Instruction]:
    if isinstance(decision, int):
        return [(_RETURN, 0, 0, decision)]
    code: list[_Instruction] = []
    for clause in decision.clauses:
        code += _clause(clause)
    return [*code, (_RETURN, 0, 0, decision.otherwise)]


def _clause(clause: Clause) -> list[_Instruction]:
    """Code that returns the action, or falls through to what follows it."""
    code: list[_Instruction] = [(_RETURN, 0, 0, clause.action)]
    for test in reversed(clause.tests):
        code = [*_test(test, len(code)), *code]
    return code


def _test(test: Test, to_skip: int) -> list[_Instruction]:
    """Code that jumps over `to_skip` instructions unless the test holds."""
    offset = _ARGUMENTS + 8 * test.argument + (4 if test.high_half else 0)
    load: _Instruction = (_LOAD, 0, 0, offset)
    if test.has_none_of:
        return [load, (_JUMP_SET, to_skip, 0, test.has_none_of)]
    values = test.equals_one_of
    jumps: list[_Instruction] = []
    for position, value in enumerate(values):
        left = len(values) - 1 - position
        jumps.append((_JUMP_EQUAL, left, 0 if left else to_skip, value))
    return [load, *jumps]
