"""Cases in child processes: a signal, a hang, memory without bound or an exception of the wrong
kind is a finding.

``run(cases, first, count)`` calls ``cases(number)`` for each number; a child does them until it
dies, the next one goes on behind the case that killed it.
"""

from __future__ import annotations

import os
import resource
import signal
import traceback
import warnings
from collections.abc import Callable

import fasttree

SECONDS = 5
GROWTH = 512 << 20


def allowed(error: BaseException) -> bool:
    """Whether an exception is one that the documentation names."""
    if isinstance(error, fasttree.InternalError):
        return False
    ours = type(error).__module__.startswith("fasttree")
    return ours or type(error) in (ValueError, NotImplementedError, MemoryError)


def _child(cases: Callable[[int], None], first: int, last: int, pipe: int) -> None:
    warnings.simplefilter("ignore")
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + GROWTH, resource.RLIM_INFINITY))
    for number in range(first, last):
        os.write(pipe, f"{number}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            cases(number)
        except BaseException as error:
            if isinstance(error, MemoryError) or not allowed(error):
                kind = "".join(traceback.format_exception(error))[-1500:]
                os.write(pipe, f"!{number} {kind!r}\n".encode())
    os._exit(0)


def run(cases: Callable[[int], None], first: int, count: int) -> list[str]:
    """Do the cases; the findings."""
    findings: list[str] = []
    at, last = first, first + count
    while at < last:
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(out)
            try:
                _child(cases, at, last, into)
            finally:
                os._exit(1)
        os.close(into)
        with open(out, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("!"):
                    findings.append(line[1:].strip())
                else:
                    at = int(line)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            findings.append(f"{at} ended by {what}")
        at += 1
    return findings
