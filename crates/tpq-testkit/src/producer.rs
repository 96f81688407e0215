//! Traces recorded by Perfetto itself.
//!
//! The builders write what a trace should hold; this asks the recorder what one does hold. Its
//! service, buffers and encoder run in this process, so no daemon and no permissions are needed.
//! Times, process and thread ids are those of the run: only what the program said is known.
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

/// The recorder's own words for what an event says.
pub use perfetto_sdk::track_event as sdk;
/// Spans and events of programs, which [`record_tracing`] records.
pub use tracing;

/// The category of events that no other is named for.
pub const CATEGORY: &str = "testkit";
/// Another category that is recorded.
pub const DETAIL: &str = "testkit.detail";
/// A category that is not.
pub const SILENT: &str = "testkit.silent";
/// The category of what programs give to the crate `tracing`.
pub const TRACING: &str = "tracing";

/// The size of the trace buffer. What does not fit is dropped, and the trace says so.
const BUFFER_KB: u32 = 4096;

/// How long the service waits for the last events.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

perfetto_sdk::track_event_categories! {
    pub(crate) mod categories {
        ("testkit", "Events of tests", []),
        ("testkit.detail", "More events of tests", ["slow"]),
        ("testkit.silent", "Events of tests that nobody wants", []),
    }
}

const CATEGORY_INDEX: usize = categories::category_index(CATEGORY);

/// Why nothing was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// The recorder did not start.
    Start(String),
    /// The recorder started but does not record the program's events.
    Disabled,
    /// The recorder gave an empty trace.
    Empty,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "the recorder did not start: {why}"),
            Self::Disabled => write!(f, "the recorder did not enable the category {CATEGORY}"),
            Self::Empty => write!(f, "the recorder gave an empty trace"),
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

/// An arrow between slices, told apart from others by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The flow starts here, or passes on from here.
    Through(u64),
    /// The flow ends here.
    Ends(u64),
}

/// The program being recorded. May be shared with threads; each has a track of its own.
#[derive(Debug)]
pub struct Program(());

impl Program {
    /// A slice on the track of the calling thread, around what `inside` does.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn slice<T>(&self, name: &str, inside: impl FnOnce() -> T) -> T {
        around(name, &mut EventContext::default(), inside)
    }

    /// A slice that an arrow comes from or goes to.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn slice_with_flow<T>(&self, name: &str, flow: Flow, inside: impl FnOnce() -> T) -> T {
        let mut context = EventContext::default();
        match flow {
            Flow::Through(id) => {
                context.set_flow(&TrackEventFlow::process_scoped_flow(id));
            }
            Flow::Ends(id) => {
                context.set_terminating_flow(&TrackEventFlow::process_scoped_flow(id));
            }
        }
        around(name, &mut context, inside)
    }

    /// A moment on the track of the calling thread.
    ///
    /// # Panics
    /// When the name contains a NUL.
    pub fn instant(&self, name: &str) {
        let name = c_string(name);
        emit(TrackEventType::Instant(name.as_ptr()), &mut EventContext::default());
    }

    /// A slice begins, with whatever else is said of it; on the track of the calling thread where
    /// no other is named.
    ///
    /// # Panics
    /// When the name contains a NUL, or there is no such category.
    pub fn begin(&self, category: &str, name: &str, say: impl FnOnce(&mut EventContext)) {
        let name = c_string(name);
        emit_with(category, TrackEventType::SliceBegin(name.as_ptr()), say);
    }

    /// The slice ends that began last on the same track.
    ///
    /// # Panics
    /// When there is no such category.
    pub fn end(&self, category: &str, say: impl FnOnce(&mut EventContext)) {
        emit_with(category, TrackEventType::SliceEnd, say);
    }

    /// A moment, with whatever else is said of it.
    ///
    /// # Panics
    /// When the name contains a NUL, or there is no such category.
    pub fn moment(&self, category: &str, name: &str, say: impl FnOnce(&mut EventContext)) {
        let name = c_string(name);
        emit_with(category, TrackEventType::Instant(name.as_ptr()), say);
    }

    /// A value of the counter that is named.
    pub fn value(&self, say: impl FnOnce(&mut EventContext)) {
        emit_with(CATEGORY, TrackEventType::Counter, say);
    }

    /// A value of the process' counter of that name.
    ///
    /// # Panics
    /// When the counter cannot be described, which the recorder never says.
    pub fn counter(&self, name: &str, value: i64) {
        let track = counter_track(name);
        let mut context = EventContext::default();
        context.set_track(&track).set_counter(TrackEventCounter::Int64(value));
        emit(TrackEventType::Counter, &mut context);
    }
}

fn around<T>(name: &str, context: &mut EventContext, inside: impl FnOnce() -> T) -> T {
    let name = c_string(name);
    emit(TrackEventType::SliceBegin(name.as_ptr()), context);
    let result = inside();
    emit(TrackEventType::SliceEnd, &mut EventContext::default());
    result
}

fn emit(event: TrackEventType, context: &mut EventContext) {
    categories::emit(CATEGORY_INDEX, event, context);
}

fn emit_with(category: &str, event: TrackEventType, say: impl FnOnce(&mut EventContext)) {
    let index = categories::category_index(category);
    // As the recorder's own macros do: what is not recorded is not even made.
    if categories::is_category_enabled(index) {
        let mut context = EventContext::default();
        say(&mut context);
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

/// Records what `program` emits and gives the trace, as the recorder would write it to a file.
///
/// Recordings of one process wait for each other, so that no trace has events of another. Threads
/// that `program` starts must have ended when it returns.
///
/// # Errors
/// When the recorder does not start, or gives nothing.
pub fn record(program: impl FnOnce(&Program)) -> Result<Vec<u8>, RecordError> {
    /// Held while recording; inside, what came of starting the recorder, which stays for the life
    /// of the process.
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

/// Records what `program` gives to the crate `tracing` on the calling thread, spans as slices and
/// events as instants.
///
/// # Errors
/// When the recorder does not start, or gives nothing.
pub fn record_tracing(program: impl FnOnce()) -> Result<Vec<u8>, RecordError> {
    let layer = tracing_perfetto_sdk::PerfettoLayer::new();
    let subscriber = tracing_subscriber::registry().with(layer);
    record(|_| tracing::subscriber::with_default(subscriber, program))
}

/// What to record: the events of these categories, and nothing else.
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
