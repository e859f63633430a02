"""Kill a process at every point of an action, without a hook in the code under test.

Two grains: every executed line of the given files (any platform with `fork`), and every
system call, before and after it (Linux on x86-64, where a parent may trace its child), or, for
the same in fewer kills, every one that left something else in the files.
`check` sees the world that the killed process left behind.
"""

import ctypes
import errno
import gc
import os
import platform
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NoReturn

__all__ = [
    "CAN_TRACE",
    "REMOVALS",
    "SYNCS",
    "WRITES",
    "in_child",
    "kill_at_every_change",
    "kill_at_every_line",
    "kill_at_every_syscall",
    "quick_folder",
    "spawn",
    "trace",
]

WRITES = frozenset({1, 18, 20, 296, 77})  # write, pwrite64, writev, pwritev, ftruncate
SYNCS = frozenset({74, 75})  # fsync, fdatasync
REMOVALS = frozenset({87, 263})  # unlink, unlinkat
LOCKS = frozenset({72})  # fcntl
# open, openat, creat, and what renames, links, removes, or makes a folder.
NAMES = frozenset({2, 257, 85, 82, 264, 316, 86, 265, 87, 263, 84, 83, 258})
CHANGES = WRITES | SYNCS | LOCKS | NAMES
CAN_TRACE = sys.platform == "linux" and platform.machine() == "x86_64"

_TRACEME, _PEEKUSER, _POKEUSER, _SYSCALL, _SETOPTIONS = 0, 3, 6, 24, 0x4200
_CALL, _RESULT = 120, 80  # where a stopped process keeps orig_rax and rax
_MARK_SYSCALLS, _DIE_WITH_PARENT = 1, 0x100000

_LIBC = ctypes.CDLL(None, use_errno=True)
if CAN_TRACE:
    _LIBC.ptrace.restype = ctypes.c_long
    _LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def kill_at_every_line(
    action: Callable[[], None],
    files: tuple[str, ...],
    check: Callable[[int], None],
    prepare: Callable[[], None],
    limit: int = 5000,
    stride: int = 1,
) -> int:
    """Run `action` in a child killed (SIGKILL) before its k-th line in `files`, for every k.

    `files` are endings of source paths.  Returns the first k that the action survived, so
    the number of kills is (k - 1) / stride rounded up; `check(k)` has run that time, too.
    """
    for k in range(1, limit + 1, stride):
        prepare()
        status = in_child(lambda k=k: _until_line(action, files, k))
        check(k)
        if status == 0:
            return k
        assert status == -signal.SIGKILL, f"the action failed by itself at k={k}"
    raise AssertionError(f"the action has more than {limit} lines: raise limit or stride")


def kill_at_every_syscall(
    action: Callable[[], None],
    check: Callable[[int], None],
    prepare: Callable[[], None],
    limit: int = 5000,
    stride: int = 1,
) -> int:
    """The same before and after every system call that others can notice (`CHANGES`).

    Between two of those a kill leaves the same files and locks behind, whenever it comes.
    """
    for k in range(1, limit + 1, stride):
        prepare()
        status, stops = trace(action, kill_at=k)
        check(k)
        if len(stops) < k:
            assert status == 0, "the action failed by itself"
            return k
    raise AssertionError(f"the action has more than {limit} stops: raise limit or stride")


def kill_at_every_change(
    action: Callable[[], None],
    check: Callable[[int], None],
    prepare: Callable[[], None],
    within: tuple[Path, ...],
    limit: int = 500,
) -> int:
    """Where such a call left in `within`, which holds all files, what was not there at the last.

    A kill at any other line or call leaves what one of these kills leaves, so every line and
    every system call is tried by a fraction of the kills.
    """
    for k in range(1, limit + 1):
        prepare()
        status, stops = trace(action, kill_at=k, within=within)
        check(k)
        if len(stops) < k:
            assert status == 0, "the action failed by itself"
            return k
    raise AssertionError(f"the action makes more than {limit} changes: raise limit")


def quick_folder() -> TemporaryDirectory[str]:
    """A folder in memory where there is one: a killed process leaves the same behind there."""
    memory = "/dev/shm"
    return TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None)


def in_child(action: Callable[[], Any]) -> int:
    """Run in a forked child; its exit code, or minus the signal that ended it."""
    _, status = os.waitpid(spawn(action), 0)
    return os.waitstatus_to_exitcode(status)


def trace(
    action: Callable[[], None],
    *,
    kill_at: int | None = None,
    fail_sync: int | None = None,
    within: tuple[Path, ...] = (),
) -> tuple[int, list[int]]:
    """Run in a traced child; return its exit code and its stops at `CHANGES`, as call numbers.

    Each call stops twice, before and after; with folders (`within`), only where these are not as
    they were at the last stop.  `kill_at` kills at that stop, `fail_sync`
    makes that one of the fsync calls (counted from 1) return EIO without happening.
    """
    last = _left(within)
    child = spawn(action, traced=True)
    stops: list[int] = []
    syncs, failing, before, deliver = 0, False, False, 0
    _, status = os.waitpid(child, 0)
    _ptrace(_SETOPTIONS, child, 0, _MARK_SYSCALLS | _DIE_WITH_PARENT)
    while True:
        _ptrace(_SYSCALL, child, 0, deliver)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status), stops
        deliver = os.WSTOPSIG(status)
        if deliver != signal.SIGTRAP | 0x80:
            continue  # an ordinary signal on its way to the child
        deliver = 0
        before = not before
        call = _ptrace(_PEEKUSER, child, _CALL, 0)
        if failing:
            _ptrace(_POKEUSER, child, _RESULT, -errno.EIO)
            failing = False
        if call not in CHANGES:
            continue
        if within and stops:
            if before or call not in WRITES | NAMES:
                continue  # nothing has changed
            earlier, last = last, _left(within)
            if last == earlier:
                continue
        stops.append(call)
        if before and call in SYNCS:
            syncs += 1
            if syncs == fail_sync:
                _ptrace(_POKEUSER, child, _CALL, -1)
                failing = True
        if len(stops) == kill_at:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            return os.waitstatus_to_exitcode(status), stops


def _left(within: tuple[Path, ...]) -> dict[str, bytes | None]:
    """What a kill would leave: every folder, every file with its bytes."""
    found: dict[str, bytes | None] = {}
    for place, _, files in (part for folder in within for part in os.walk(folder)):
        found[place] = None
        for name in files:
            with suppress(FileNotFoundError):
                found[f"{place}/{name}"] = Path(place, name).read_bytes()
    return found


def spawn(action: Callable[[], Any], *, traced: bool = False) -> int:
    """Run in a forked child; its process id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside pytest's threads
        child = os.fork()
    return child or _run(action, traced=traced)


def _run(action: Callable[[], Any], *, traced: bool) -> NoReturn:
    """The child: never returns into the test that forked it."""
    code = 1
    gc.disable()  # a collection would touch, and so copy, every page of the parent
    try:
        if traced:
            _ptrace(_TRACEME, 0, 0, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
        action()
        code = 0
    except BaseException:
        with suppress(OSError):
            os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _until_line(action: Callable[[], None], files: tuple[str, ...], k: int) -> None:
    count = 0

    def lines(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if event == "line":
            count += 1
            if count == k:
                os.kill(os.getpid(), signal.SIGKILL)
        return lines

    def calls(frame: FrameType, event: str, _: object) -> Any:
        return lines if frame.f_code.co_filename.endswith(files) else None

    sys.settrace(calls)
    try:
        action()
    finally:
        sys.settrace(None)


def _ptrace(request: int, child: int, address: int, data: int) -> int:
    ctypes.set_errno(0)
    result = _LIBC.ptrace(request, child, address, ctypes.c_void_p(data & (2**64 - 1)))
    if result == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), "tracing the child failed")
    return int(result)
