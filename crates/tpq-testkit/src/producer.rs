//! Traces that Perfetto itself records.
//!
//! The builders write what a trace should contain; the recorder shows what a trace does contain.
//! The service, buffers and encoder of Perfetto run in this process, so no daemon and no
//! permissions are needed. Times, process ids and thread ids are those of the run: only the events
//! of the program are known in advance.
//!
//! ```no_run
//! let trace = tpq_testkit::producer::record(|program| {
//!     program.slice("work", || program.counter("queue length", 3));
//! })?;
//! # Ok::<(), tpq_testkit::producer::RecordError>(())
//! ```

use std::ffi::CString;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use perfetto_sdk::heap_buffer::HeapBuffer;
use perfetto_sdk::pb_msg::{PbMsg, PbMsgError, PbMsgWriter};
use perfetto_sdk::producer::{Backends, Producer, ProducerInitArgsBuilder};
use perfetto_sdk::protos::config::data_source_config::DataSourceConfig;
use perfetto_sdk::protos::config::trace_config::{
    BufferConfigFillPolicy, TraceConfig, TraceConfigBufferConfig, TraceConfigDataSource,
};
use perfetto_sdk::protos::config::track_event::track_event_config::TrackEventConfig;
use perfetto_sdk::tracing_session::{TracingSession, TracingSessionError};
use perfetto_sdk::track_event::{
    EventContext, TrackEvent, TrackEventCounter, TrackEventError, TrackEventFlow, TrackEventTrack,
    TrackEventType,
};
use tracing_subscriber::layer::SubscriberExt;

/// The types of the recorder for the contents of events.
pub use perfetto_sdk::track_event as sdk;
/// Spans and events of programs, which [`record_tracing`] records.
pub use tracing;

/// The default category of events.
pub const CATEGORY: &str = "testkit";
/// Another enabled category.
pub const DETAIL: &str = "testkit.detail";
/// A category that is not enabled.
pub const SILENT: &str = "testkit.silent";
/// The category of spans and events of the crate `tracing`.
pub const TRACING: &str = "tracing";

/// The size of the trace buffer in KiB. Data that does not fit is dropped, and the trace counts it.
const BUFFER_KB: u32 = 4096;

/// The time that the service waits for the last events.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

perfetto_sdk::track_event_categories! {
    pub(crate) mod categories {
        ("testkit", "Events of tests", []),
        ("testkit.detail", "More events of tests", ["slow"]),
        ("testkit.silent", "Events of tests that are not recorded", []),
    }
}

const CATEGORY_INDEX: usize = categories::category_index(CATEGORY);

/// The reason why nothing was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// The recorder did not start.
    Start(String),
    /// The recorder started but does not record the program's events.
    Disabled,
    /// The recorder returned an empty trace.
    Empty,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "the recorder did not start: {why}"),
            Self::Disabled => write!(f, "the recorder did not enable the category {CATEGORY}"),
            Self::Empty => write!(f, "the recorder returned an empty trace"),
        }
    }
}

impl std::error::Error for RecordError {}

impl From<TracingSessionError> for RecordError {
    fn from(error: TracingSessionError) -> Self {
        Self::Start(error.to_string())
    }
}

impl From<PbMsgError> for RecordError {
    fn from(error: PbMsgError) -> Self {
        Self::Start(error.to_string())
    }
}

/// An arrow between slices, distinguished from others by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The flow starts here, or continues from here.
    Through(u64),
    /// The flow ends here.
    Ends(u64),
}

/// The recorded program. It can be shared between threads; each thread has a track of its own.
#[derive(Debug)]
pub struct Program(());

impl Program {
    /// Emits a slice on the track of the calling thread, for the duration of `body`.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn slice<T>(&self, name: &str, body: impl FnOnce() -> T) -> T {
        emit_slice(name, &mut EventContext::default(), body)
    }

    /// Emits a slice that an arrow starts or ends at.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn slice_with_flow<T>(&self, name: &str, flow: Flow, body: impl FnOnce() -> T) -> T {
        let mut context = EventContext::default();
        match flow {
            Flow::Through(id) => {
                context.set_flow(&TrackEventFlow::process_scoped_flow(id));
            }
            Flow::Ends(id) => {
                context.set_terminating_flow(&TrackEventFlow::process_scoped_flow(id));
            }
        }
        emit_slice(name, &mut context, body)
    }

    /// Emits an instant on the track of the calling thread.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn instant(&self, name: &str) {
        let name = c_string(name);
        emit(TrackEventType::Instant(name.as_ptr()), &mut EventContext::default());
    }

    /// Begins a slice, with further properties that `describe` sets. Without a track it is on the
    /// track of the calling thread.
    ///
    /// # Panics
    /// When the name contains a NUL, or there is no such category.
    pub fn begin(&self, category: &str, name: &str, describe: impl FnOnce(&mut EventContext)) {
        let name = c_string(name);
        emit_with(category, TrackEventType::SliceBegin(name.as_ptr()), describe);
    }

    /// Ends the slice that began last on the same track.
    ///
    /// # Panics
    /// When there is no such category.
    pub fn end(&self, category: &str, describe: impl FnOnce(&mut EventContext)) {
        emit_with(category, TrackEventType::SliceEnd, describe);
    }

    /// Emits an instant, with further properties that `describe` sets.
    ///
    /// # Panics
    /// When the name contains a NUL, or there is no such category.
    pub fn moment(&self, category: &str, name: &str, describe: impl FnOnce(&mut EventContext)) {
        let name = c_string(name);
        emit_with(category, TrackEventType::Instant(name.as_ptr()), describe);
    }

    /// Emits a value of the counter that `describe` sets.
    pub fn value(&self, describe: impl FnOnce(&mut EventContext)) {
        emit_with(CATEGORY, TrackEventType::Counter, describe);
    }

    /// Emits a value of the process counter with this name.
    ///
    /// # Panics
    /// When the counter cannot be registered, which the recorder never reports.
    pub fn counter(&self, name: &str, value: i64) {
        let track = counter_track(name);
        let mut context = EventContext::default();
        context.set_track(&track).set_counter(TrackEventCounter::Int64(value));
        emit(TrackEventType::Counter, &mut context);
    }
}

fn emit_slice<T>(name: &str, context: &mut EventContext, body: impl FnOnce() -> T) -> T {
    let name = c_string(name);
    emit(TrackEventType::SliceBegin(name.as_ptr()), context);
    let result = body();
    emit(TrackEventType::SliceEnd, &mut EventContext::default());
    result
}

fn emit(event: TrackEventType, context: &mut EventContext) {
    categories::emit(CATEGORY_INDEX, event, context);
}

fn emit_with(category: &str, event: TrackEventType, describe: impl FnOnce(&mut EventContext)) {
    let index = categories::category_index(category);
    // Like in the macros of the recorder, an event that is not recorded is not created.
    if categories::is_category_enabled(index) {
        let mut context = EventContext::default();
        describe(&mut context);
        categories::emit(index, event, &mut context);
    }
}

#[expect(clippy::expect_used, reason = "the names are those of a test")]
fn c_string(name: &str) -> CString {
    CString::new(name).expect("a name without NUL")
}

#[expect(clippy::expect_used, reason = "the recorder has no case in which it fails")]
fn counter_track(name: &str) -> TrackEventTrack {
    TrackEventTrack::register_counter_track_with_dynamic_name(
        name,
        TrackEventTrack::process_track_uuid(),
    )
    .expect("a counter")
}

/// Records the events of `program` and returns the trace, as the recorder would write it to a file.
///
/// Recordings of one process run one at a time, so that no trace contains events of another.
/// Threads that `program` starts must have ended when it returns.
///
/// # Errors
/// When the recorder does not start, or returns an empty trace.
pub fn record(program: impl FnOnce(&Program)) -> Result<Vec<u8>, RecordError> {
    /// Locked while recording. Contains the result of starting the recorder, which runs until the
    /// process ends.
    static RECORDER: LazyLock<Mutex<Result<(), TrackEventError>>> = LazyLock::new(|| {
        Producer::init(ProducerInitArgsBuilder::new().backends(Backends::IN_PROCESS).build());
        TrackEvent::init();
        tracing_perfetto_sdk::init_in_process();
        Mutex::new(categories::register())
    });
    let recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = &*recorder {
        return Err(RecordError::Start(error.to_string()));
    }

    let mut session = TracingSession::in_process()?;
    session.setup(&config()?);
    session.start_blocking();
    let enabled = categories::is_category_enabled(CATEGORY_INDEX);
    if enabled {
        program(&Program(()));
    }
    session.flush_blocking(FLUSH_TIMEOUT);
    session.stop_blocking();
    if !enabled {
        return Err(RecordError::Disabled);
    }

    let trace = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&trace);
    session.read_trace_blocking(move |bytes, _more| {
        sink.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    });
    let trace = std::mem::take(&mut *trace.lock().unwrap_or_else(PoisonError::into_inner));
    if trace.is_empty() { Err(RecordError::Empty) } else { Ok(trace) }
}

/// Records the spans and events of the crate `tracing` that `program` emits on the calling thread:
/// spans as slices, events as instants.
///
/// # Errors
/// When the recorder does not start, or returns an empty trace.
pub fn record_tracing(program: impl FnOnce()) -> Result<Vec<u8>, RecordError> {
    let layer = tracing_perfetto_sdk::PerfettoLayer::new();
    let subscriber = tracing_subscriber::registry().with(layer);
    record(|_| tracing::subscriber::with_default(subscriber, program))
}

/// The configuration: only the events of these categories are recorded.
fn config() -> Result<Vec<u8>, RecordError> {
    let writer = PbMsgWriter::new();
    let buffer = HeapBuffer::new(writer.stream_writer());
    let mut message = PbMsg::new(&writer)?;
    let mut config = TraceConfig { msg: &mut message };
    config.set_buffers(|buffer: &mut TraceConfigBufferConfig| {
        buffer.set_size_kb(BUFFER_KB);
        buffer.set_fill_policy(BufferConfigFillPolicy::Discard);
    });
    config.set_data_sources(|source: &mut TraceConfigDataSource| {
        source.set_config(|config: &mut DataSourceConfig| {
            config.set_name("track_event");
            config.set_track_event_config(|events: &mut TrackEventConfig| {
                events.set_disabled_categories("*");
                for category in [CATEGORY, DETAIL, TRACING] {
                    events.set_enabled_categories(category);
                }
            });
        });
    });
    message.finalize();
    let mut bytes = vec![0; writer.stream_writer().get_written_size()];
    buffer.copy_into(&mut bytes);
    Ok(bytes)
}
