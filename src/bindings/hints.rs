//! Types in `_core.pyi` of arguments that PyO3 cannot name.

use pyo3::inspect::PyStaticExpr;

/// A NumPy array.
pub const ARRAY: PyStaticExpr =
    PyStaticExpr::Attribute { value: &PyStaticExpr::Name { id: "numpy" }, attr: "ndarray" };
/// Plain objects: dicts, lists, texts, numbers and None.
pub const ANY: PyStaticExpr =
    PyStaticExpr::Attribute { value: &PyStaticExpr::Name { id: "typing" }, attr: "Any" };
