//! The native module `tpq._native`: traces, statements and batches for the Python package `tpq`.
//!
//! ```text
//! tpq/__init__.py ── tpq/_trace.py ──▶ Trace ──run──▶ Rows ──next_batch──▶ Batch
//!                    tpq/_result.py                    └─ __arrow_c_stream__ ─▶ pyarrow, polars…
//! ```
//!
//! The Python files hold what needs no Rust: options, conversions to other libraries, display.
//! Everything that takes long runs on the threads of a trace (`threads`), while the calling thread
//! waits without Python's lock and looks for Ctrl-C (`wait`). Batches leave through Arrow's C data
//! interface (`capsules`), so their buffers are shared and not copied.

mod batch;
mod capsules;
mod errors;
mod open;
mod parameters;
mod progress;
mod rows;
mod save;
mod threads;
mod trace;
mod values;
mod wait;

use pyo3::prelude::*;

/// Traces, statements and batches of the package `tpq`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    wait::remember_main_thread(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(open::open, module)?)?;
    module.add_class::<trace::Trace>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<batch::Batches>()?;
    Ok(())
}
