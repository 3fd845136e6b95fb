"""Every call that can last: Ctrl-C is answered at once, and memory that runs out is an exception.

The calls are those of `long_calls.CALLS`. A process of its own prepares each and is then told to
interrupt it (`"interrupt"`) or to fork children whose address space ends ever later (`"memory"`).
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import fasttree
from fasttree import (
    _core,
    bayesian_networks,
    discretize,
    experiments,
    model_selection,
    naive_bayes,
)

from ..tools import thinned
from .long_calls import CALLS, CRITERIA, PREPARE, TIMED, Call
from .public_calls import SHORT, WALKED

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits as on Linux")

SERVER = """
import json, signal, threading, time
from fasttree import _core

def usable():
    X = np.arange(600.0).reshape(-1, 2) % 7
    return fasttree.fit(X, (X[:, 0] > 3).astype(int)).score(X, (X[:, 0] > 3).astype(int)) == 1.0

def interrupted(work, delay):
    # The seconds of work that a signal waits, of a timer before the key is pressed, too.
    pressed, gaps, heard = [], [0.0], [time.process_time()]
    def hear(*_):
        gaps.append(time.process_time() - heard[0])
        heard[0] += gaps[-1]
    def press():
        time.sleep(delay)
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGALRM, hear)
    threading.Thread(target=press, daemon=True).start()
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        while True:
            exec(work, space)
    except BaseException as e:
        # Python before 3.12 wraps what a class body raises: pressed within an import of a library
        while not isinstance(e, KeyboardInterrupt) and e.__cause__ is not None:
            e = e.__cause__
        if not isinstance(e, KeyboardInterrupt):
            raise
        return time.process_time() - pressed[0], max(gaps)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)

def uncovered(work, limit):
    _core.scale_reserve(1 << 16)  # a sixteenth: as if there were 16 times as many rows
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        exec(work, space)
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return _core.scale_reserve(1 << 20)

def reported(work):
    reports.clear()
    start = time.process_time()
    def report(done, total):
        reports.add(done / total)
        if len(reports) > 2:
            raise KeyboardInterrupt
    space["progress"] = report
    try:
        exec(work, space)
    except KeyboardInterrupt:
        pass
    return len(reports), time.process_time() - start

def timed(work, limit):
    space["limit"] = limit
    start = time.process_time()
    try:
        exec(work, space)
    except ValueError as e:
        assert "time_limit ended" in str(e), e
    return time.process_time() - start

def limited(work, mib):
    import resource
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    unlimited = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (mapped + (mib << 20), unlimited))
    code = 0
    try:
        exec(work, space)
    except MemoryError:
        code = 3
    except BaseException as e:
        os.write(2, f"{mib} MiB: {type(e).__name__}: {e}\\n".encode()[:2000])
        code = 4
    resource.setrlimit(resource.RLIMIT_AS, (unlimited, unlimited))
    os._exit(code if usable() else 5)

def walked(work):
    exec(work, space)  # what is imported on first use is imported without a limit
    codes, mib = [], 1
    while (not codes or codes[-1] == 3) and mib < 20_000:
        codes.append(limited(work, mib))
        mib = max(mib + 3, mib * 3 // 2)
    return codes

space = globals()
usable()
prepared = None
for line in sys.stdin:
    task = json.loads(line)
    size = task["size"]
    if (task["prepare"], size) != prepared:  # the attempts at a call, and calls on the same model
        exec(task["prepare"], space)
        prepared = task["prepare"], size
    work = compile(task["work"], task["name"], "exec")
    if task["what"] == "interrupt":
        answer = interrupted(work, task["delay"])
    elif task["what"] == "buffers":
        answer = uncovered(work, task["delay"])
    elif task["what"] == "progress":
        answer = reported(work)
    elif task["what"] == "time":
        answer = timed(work, task["delay"])
    else:
        answer = walked(work)
    print(json.dumps([answer, usable()]), flush=True)
"""


class Server:
    """The process that makes the calls; a new one after one has died or hung."""

    def __init__(self, folder: Path):
        self.script = folder / "server.py"
        self.script.write_text("size = 1\n" + PREPARE + SERVER, encoding="utf-8")
        self.errors = folder / "errors.txt"
        self.process: subprocess.Popen[str] | None = None

    def ask(self, name: str, what: str, size: float, delay: float = 0.0) -> object:
        return self.do(name, CALLS[name], what, size, delay)

    def do(self, name: str, call: Call, what: str, size: float, delay: float = 0.0) -> object:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, str(self.script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors.open("w", encoding="utf-8"),
                text=True,
            )
        task = {"name": name, "what": what, "size": size, "delay": delay}
        task |= {"prepare": call.prepare, "work": call.work}
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.errors.read_text(encoding="utf-8")[-3000:]
        answer, usable = json.loads(line)
        assert usable
        return answer

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("long_calls"))
    yield made
    made.close()


# Buffers of blocks are never larger, however many rows there are; long calls reserve 16 MiB.
BLOCK = 2 << 20


# Both tests of a call follow one another, so that it is prepared once.
@pytest.mark.parametrize("name", thinned(CALLS, 8), scope="module")
def test_ctrl_c_is_answered_within_a_fifth_of_a_second_of_work(server, name):
    threads = 2 if "n_jobs=2" in CALLS[name].prepare + CALLS[name].work else 1
    # another moment for each call and attempt, the same in each run
    moments = [0.1 + zlib.crc32(f"{name} {i}".encode()) % 500 / 1000 for i in range(3)]
    times = []
    for delay in moments:
        times.append(max(server.ask(name, "interrupt", 1.0, delay)))
        if times[-1] < 0.2 * threads:
            return
    pytest.fail(f"{name}: {times} s of processor time")


@pytest.mark.parametrize("name", thinned(CALLS, 16), scope="module")
def test_lack_of_memory_cannot_end_the_process_for_a_buffer(server, name):
    """Each buffer of a call, or of its first two seconds, is covered by the reserve or asked for
    fallibly."""
    assert server.ask(name, "buffers", 1.0, 2.0) <= BLOCK


# What a criterion does between two looks at the interrupt is longer than elsewhere in a build
# without optimisation.
AT_ONCE = 1.0


@pytest.mark.parametrize("name", thinned(CRITERIA, 9))
def test_a_fit_by_any_criterion_answers_ctrl_c(server, name):
    # a second attempt, as processor time grows where other processes share the caches
    taken = []
    for delay in (0.3, 0.5):
        taken.append(server.do(name, CRITERIA[name], "interrupt", 1.0, delay)[0])
        if taken[-1] < AT_ONCE:
            return
    pytest.fail(f"{name}: {taken} s of processor time")


@pytest.mark.parametrize("name", thinned([n for n in CRITERIA if "classes" in n], 5))
def test_a_fit_by_any_criterion_reports_progress(server, name):
    """A node is what progress is counted by, so that what has one node reports its end alone."""
    reports, seconds = server.do(name, CRITERIA[name], "progress", 0.3)
    assert reports > 2 or seconds < 0.5


@pytest.mark.parametrize("work", thinned([w for works in TIMED.values() for w in works], 2))
def test_a_time_limit_is_kept(server, work):
    """In processor time, as a machine that has other work to do takes longer for all."""
    prepare = "X, y = numbers(20_000, 20); Xi = levels(20_000, 20, 4)[0]"
    limit = 0.5
    taken = server.do(work, Call(prepare, work), "time", 1.0, limit)
    assert taken < limit + AT_ONCE


def test_all_calls_with_a_time_limit_are_listed():
    limited = {name for name, words in public_parameters() if "time_limit" in words}
    assert limited - {"Advice"} == set(TIMED)  # a result says the limit that it was found in


# Calls whose memory is walked, and the scale of their rows: they need more than the reserve.
SIZES = {"encode and fit": 1.0, "fit levels": 0.5, "predict_proba": 0.3, "pair_counts": 0.3}


@pytest.mark.parametrize("name", SIZES)
def test_memory_that_runs_out_is_an_exception_and_the_next_call_works(server, name):
    codes = server.ask(name, "memory", SIZES[name])
    errors = server.errors.read_text(encoding="utf-8")[-1500:]
    assert set(codes[:-1]) <= {3} and codes[-1] == 0, (codes, errors)


@pytest.mark.exhaustive
@pytest.mark.skipif(
    "FASTTREE_WALK_SIZE" not in os.environ,
    reason="takes the better part of an hour: set FASTTREE_WALK_SIZE, e.g. to 0.03",
)
@pytest.mark.parametrize("name", [name for name in CALLS if name not in SIZES])
def test_memory_that_runs_out_in_any_call_is_an_exception(server, name):
    codes = server.ask(name, "memory", float(os.environ["FASTTREE_WALK_SIZE"]))
    errors = server.errors.read_text(encoding="utf-8")[-1500:]
    assert set(codes[:-1]) <= {3} and codes[-1] == 0, (codes, errors)


def public_definitions():
    """ "package: name" of every public function, and of the public methods and properties of every
    public class, by the class that defines them."""
    names = [m.name for m in pkgutil.iter_modules(fasttree.__path__, "fasttree.")]
    modules = [importlib.import_module(n) for n in names if not n.startswith("fasttree._")]
    for module in (fasttree, *modules):
        for found in (getattr(module, name) for name in module.__all__):
            if inspect.isclass(found):
                for one in () if issubclass(found, BaseException) else dir(found):
                    own = next(kind for kind in found.__mro__ if one in vars(kind))
                    member = vars(own)[one]
                    is_read = isinstance(member, property | functools.cached_property)
                    is_call = callable(member) or isinstance(member, classmethod | staticmethod)
                    if not one.startswith("_") and (is_read or is_call):
                        yield own.__module__, f"{own.__qualname__}.{one}"
            elif callable(found):
                yield found.__module__, getattr(found, "__name__", "")


def test_each_public_name_is_walked_or_cannot_last():
    """A new name joins a call of `long_calls.CALLS`, or a reason of `public_calls.SHORT`."""
    listed = []
    for names in (*WALKED.values(), *SHORT.values()):
        for word in names.split():
            if word.endswith(":"):
                package = word
            else:
                listed.append(f"{package} {word}")
    public = {
        f"{module.split('.')[:2][-1]}: {name}"
        for module, name in public_definitions()
        if module.startswith("fasttree") and name
    }
    assert set(WALKED) <= set(CALLS)
    assert len(listed) == len(set(listed)), "a name is listed twice"
    assert public - set(listed) == set(), (
        "new names: say what stands for them, or why they are short"
    )
    assert set(listed) - public == set(), "names that are gone"


def public_parameters():
    """Each public function and class with the names of its parameters."""
    for module in (
        fasttree,
        experiments,
        model_selection,
        naive_bayes,
        bayesian_networks,
        discretize,
    ):
        for name in module.__all__:
            found = getattr(module, name)
            is_error = inspect.isclass(found) and issubclass(found, BaseException)
            if not inspect.ismodule(found) and not is_error and callable(found):
                yield name, set(inspect.signature(found).parameters)


def test_all_calls_that_take_threads_or_report_progress_are_listed():
    text = "\n".join(f"{call.prepare}\n{call.work}" for call in CALLS.values())
    long = {name for name, words in public_parameters() if words & {"n_jobs", "progress"}}
    missing = {name for name in long if f"{name}(" not in text}
    assert not missing


def test_all_functions_of_the_extension_that_last_are_walked():
    def lasts(function):
        signature = getattr(function, "__text_signature__", None) or ""
        return "n_jobs" in signature or "progress" in signature

    functions = {"exercise": _core.exercise}
    for name, found in vars(_core).items():
        if inspect.isclass(found):
            functions |= {f"{found.__name__}.{k}": f for k, f in vars(found).items()}
        else:
            functions[name] = found
    long = {name for name, function in functions.items() if lasts(function)} - {"exercise"}
    covered = {name for call in CALLS.values() for name in call.covers}
    assert len(long) > 20
    assert long <= covered, long - covered
    assert covered <= {*functions, "Dataset", "PairCounts"}, covered - set(functions)
