"""A journal notices every change of what an own function reaches, and nothing else."""

import functools
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

from fasttree.model_selection import compare, cross_validate
from fasttree.model_selection.identity import text_of

FORMS = {
    "a global": "K = {v}\ndef f(t): return t * K",
    "a global of a helper": "K = {v}\ndef h(t): return t * K\ndef f(t): return h(t)",
    "two helpers away": "def g(t): return t * {v}\ndef h(t): return g(t)\ndef f(t): return h(t)",
    "a container": "D = {{'a': [1, ({v},)]}}\ndef f(t): return D['a'][1]",
    "an array": "import numpy as np\nW = np.array([1.0, {v}])\ndef f(t): return t @ W",
    "an object array": "import numpy as np\nW = np.array([None, {v}])\ndef f(t): return W",
    "a set": "S = {{'a', 'b', 'c', 'k{v}'}}\ndef f(t): return len(S)",
    "a closure": "def make(k):\n    def f(t): return t * k\n    return f\nf = make({v})",
    "a default": "def f(t, k={v}): return t * k",
    "a keyword": "def f(t, *, k={v}): return t * k",
    "an attribute of the function": "def f(t): return f.k\nf.k = {v}",
    "a nested function": "K = {v}\ndef f(t):\n    def g(): return K\n    return g()",
    "a comprehension": "K = {v}\ndef f(t): return [K for _ in t]",
    "a lambda": "K = {v}\nf = lambda t: t * K",
    "a partial": "import functools\ndef g(t, q): return t * q\nf = functools.partial(g, q={v})",
    "a partial's function": "import functools\nK = {v}\ndef g(t, q): return K\n"
    "f = functools.partial(g, q=2)",
    "a state": "class C:\n    def __init__(self, q): self.q = q\n"
    "    def __call__(self, t): return t\n"
    "f = C({v})",
    "slots": "class C:\n    __slots__ = ('q',)\n    def __call__(self, t): return t\n"
    "f = C()\nf.q = {v}",
    "a method's body": "class C:\n    def __call__(self, t): return t * {v}\nf = C()",
    "a class attribute": "class C:\n    k = {v}\n    def __call__(self, t): return t\nf = C()",
    "a base class": "class B:\n    k = {v}\nclass C(B):\n"
    "    def __call__(self, t): return t\nf = C()",
    "a property": "class C:\n    p = property(lambda self: {v})\n"
    "    def __call__(self, t): return 1\n"
    "f = C()",
    "a class method": "class C:\n    @classmethod\n    def m(cls): return {v}\n"
    "    def __call__(self, t): return 1\nf = C()",
    "a bound method": "class C:\n    q = {v}\n    def m(self, t): return t\nf = C().m",
    "a dataclass": "import dataclasses\n@dataclasses.dataclass\nclass C:\n    q: float\n"
    "    def __call__(self, t): return t\nf = C({v})",
    "a cached helper": "import functools\n@functools.cache\ndef h(n): return n * {v}\n"
    "def f(t): return h(1)",
    "a vectorized helper": "import numpy as np\ndef h(x): return x * {v}\ng = np.vectorize(h)\n"
    "def f(t): return g(t)",
    "a wrapped function": "import functools\ndef d(g):\n    @functools.wraps(g)\n"
    "    def inner(t): return g(t)\n    return inner\n@d\ndef f(t): return t * {v}",
    "functions that call each other": "def a(n): return n and b(n - 1)\n"
    "def b(n): return {v} if n else a(n)\ndef f(t): return a(3)",
    "a frame": "import pandas\nF = pandas.DataFrame({{'a': [1, {v}]}})\ndef f(t): return F",
    "a pattern": "import re\nP = re.compile('a{v}')\ndef f(t): return P.match('a')",
    "a dictionary with state": "import collections\nD = collections.OrderedDict(a={v})\n"
    "def f(t): return D",
    "an estimator": "from sklearn.naive_bayes import GaussianNB\n"
    "G = GaussianNB(var_smoothing={v})\ndef f(t): return G",
    "a module of one's own": "import types\nm = types.ModuleType('own_m')\nm.k = {v}\n"
    "def f(t): return m.k",
    "an operator": "def f(t): return t + 1 if {v} > 1.5 else t - 1",
}


def made(form, value):
    """The function of a form in a module of its own."""
    module = types.ModuleType("own_module")
    exec(form.format(v=value), module.__dict__)
    return module.f


@pytest.mark.parametrize("form", FORMS)
def test_a_change_of_what_is_reached_changes_the_text(form):
    texts = [text_of(made(FORMS[form], value)) for value in (1.0, 2.0)]
    assert texts[0] != texts[1]
    assert texts[0] == text_of(made(FORMS[form], 1.0))
    assert not any(" at 0x" in text for text in texts)


@pytest.mark.parametrize("form", FORMS)
def test_a_change_is_seen_through_another_function(form):
    inner = [made(FORMS[form], value) for value in (1.0, 2.0, 1.0)]
    texts = [text_of(functools.partial(lambda t, g: g(t), g=one)) for one in inner]
    assert texts[0] != texts[1] and texts[0] == texts[2]


def test_lines_comments_and_other_globals_do_not_count():
    plain = "K = 1\ndef f(t): return t.sum() * K"
    other = "K = 1\nsum = 5\nunused = 7\n\n# a remark\ndef f(t):\n    return t.sum() * K"
    assert text_of(made(plain, 0)) == text_of(made(other, 0))


@pytest.mark.parametrize(
    ("form", "said"),
    {
        "G = (i for i in [1])\ndef f(t): return G": "an object of builtins.generator",
        "import threading\nL = threading.Lock()\ndef f(t): return L": "an object of _thread.lock",
        "def f(t): return eval('K')": r"eval\(\)",
        "def f(t): return globals()['K']": r"globals\(\)",
        "L = []\nfor i in range(9999): L = [L]\ndef f(t): return L": "nested too deeply",
    }.items(),
)
def test_what_cannot_be_compared_is_refused_by_name(form, said, tmp_path):
    with pytest.raises(ValueError, match=f"journal=: f .*{said}"):
        text_of(made(form, 0))


def test_cycles_end():
    loop = []
    loop.append(loop)
    assert text_of(loop) == "[<0>]"


def test_the_text_is_the_same_in_every_process(tmp_path):
    """Compiled or read from bytecode, with other seeds of hashes."""
    (tmp_path / "forms.py").write_text(
        "from types import ModuleType\nK = 2\nS = {'a', 'b', ('c', 1)}\n"
        "def h(t, k=(1, 2)): return t in S and k == (1, 2) and t in {'x', 'y', 'z'}\n"
        "class C:\n    def __call__(self, t): return h(t, (1, 2))\n"
        "def f(t): return [h(x) for x in t] + [K, C()]\n"
    )
    code = textwrap.dedent(
        """
        import sys; sys.path.insert(0, sys.argv[1])
        import functools, forms
        from fasttree.model_selection.identity import text_of
        print(text_of([forms.f, forms.C(), functools.partial(forms.h, k=forms.S)]))
        """
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed), "PATH": ""},
        ).stdout
        for seed in range(3)
    }
    assert len(found) == 1 and "forms.f(" in found.pop()


class Power:
    """A criterion with state."""

    def __init__(self, q):
        self.q = q

    def __call__(self, tables):
        return (tables.max(axis=2) ** self.q).sum(axis=1) / tables.sum(axis=(1, 2))


def power(tables, q):
    return Power(q)(tables)


def test_methods_are_added_to_a_journal(tmp_path):
    path = tmp_path / "grown.journal"
    how = {"cv": "2x3", "random_state": 0}
    own = [Power(2.0), functools.partial(power, q=1.5)]
    compare(["iris"], ["gini", *own], journal=path, **how)
    for names in (["mdl", own[1], "pi", "gini", own[0]], ["gini", "mdl", *own, "pi"]):
        found = compare(["iris", "wine"], names, journal=path, **how)
        fresh = compare(["iris", "wine"], names, **how)
        assert found.methods == fresh.methods and np.array_equal(found.means, fresh.means)
        content = path.read_bytes()
        compare(["iris", "wine"], names, journal=path, **how)
        assert path.read_bytes() == content
    assert found.methods == ("gini", "mdl", "Power", "power(q=1.5)", "pi")
    said = r"methods: gini, Power, power\(q=1\.5\), mdl, pi in the journal; gini, hellinger now"
    with pytest.raises(ValueError, match=said) as error:
        compare(["iris", "wine"], ["gini", "hellinger"], journal=path, **how)
    assert " at 0x" not in str(error.value)
    with pytest.raises(ValueError, match=r"Power: criterion: .*Power\(.*q.*in the journal"):
        compare(["iris"], ["gini", "mdl", Power(3.0), own[1], "pi"], journal=path, **how)


def test_results_name_own_functions_and_are_the_same_bytes():
    texts = set()
    for _ in range(2):
        own = [Power(2.0), functools.partial(power, q=1.5), lambda t: -t.min(axis=(1, 2))]
        found = cross_validate("iris", own, cv="1x3", scoring=["accuracy"])
        assert found.methods == ("Power", "power(q=1.5)", "<lambda>")
        found.seconds = 0.0
        for scores in found.values():
            scores._held["seconds"] = np.zeros(3)
        texts.add((found.to_json(), found.to_html()))
    ((document, page),) = texts
    assert " at 0x" not in document and " at 0x" not in page
