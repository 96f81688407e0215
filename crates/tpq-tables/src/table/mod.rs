//! Declarations of the tables, one file per family.
//!
//! To add a table: declare it in the file of its family (or a new file, listed here), then add
//! it to `define_tables!` in `tables.rs`. Schema, builder, docs and completion follow.

mod aggregate;
mod android;
mod args;
mod clock;
mod counter;
mod cpu;
mod file;
mod ftrace;
mod gpu;
mod health;
mod heap;
mod interrupt;
mod jit;
mod log;
mod machine;
mod memory;
mod process;
mod profiler;
mod sched;
mod slice;
mod stack;
mod trace;
mod track;
mod winscope;

pub use aggregate::{
    AggregateProfileRow, AggregateProfileTable, AggregateSampleRow, AggregateSampleTable,
};
pub use android::{
    AflagRow, AflagTable, AndroidUserRow, AndroidUserTable, CpuPerUidRow, CpuPerUidTable,
    DumpstateRow, DumpstateTable, FrameworkProcessRow, FrameworkProcessTable, GameInterventionRow,
    GameInterventionTable, NetworkPacketRow, NetworkPacketTable, PackageListRow, PackageListTable,
    VideoFrameRow, VideoFrameTable,
};
pub use args::{ArgsRow, ArgsTable};
pub use clock::{
    ClockDriftRow, ClockDriftTable, ClockJumpRow, ClockJumpTable, ClockSnapshotRow,
    ClockSnapshotTable,
};
pub use counter::{CounterRow, CounterTable};
pub use cpu::{CpuFreqRow, CpuFreqTable, CpuRow, CpuTable};
pub use file::{FileDescriptorRow, FileDescriptorTable};
pub use ftrace::{FtraceEventRow, FtraceEventTable};
pub use gpu::{
    GpuContextRow, GpuContextTable, GpuCounterGroupRow, GpuCounterGroupTable, GpuRow, GpuTable,
    VulkanMemoryRow, VulkanMemoryTable,
};
pub use health::{
    DataLossRow, DataLossTable, TraceBufferRow, TraceBufferTable, TraceDiagnosticsRow,
    TraceDiagnosticsTable, TraceRequestRow, TraceRequestTable,
};
pub use heap::{
    HeapGraphClassRow, HeapGraphClassTable, HeapGraphObjectDataRow, HeapGraphObjectDataTable,
    HeapGraphObjectRow, HeapGraphObjectTable, HeapGraphPrimitiveRow, HeapGraphPrimitiveTable,
    HeapGraphReferenceRow, HeapGraphReferenceTable, HeapGraphRow, HeapGraphTable,
    HeapGraphThreadCallsiteRow, HeapGraphThreadCallsiteTable, HeapProfileAllocationRow,
    HeapProfileAllocationTable, HeapProfileRow, HeapProfileTable, JavaOomeDetailsRow,
    JavaOomeDetailsTable,
};
pub use interrupt::{InterruptMappingRow, InterruptMappingTable};
pub use jit::{
    JitCodeRow, JitCodeTable, JitFrameRow, JitFrameTable, V8InternalCodeRow, V8InternalCodeTable,
    V8IsolateRow, V8IsolateTable, V8JsCodeRow, V8JsCodeTable, V8JsFunctionRow, V8JsFunctionTable,
    V8JsScriptRow, V8JsScriptTable, V8RegexpCodeRow, V8RegexpCodeTable, V8WasmCodeRow,
    V8WasmCodeTable, V8WasmScriptRow, V8WasmScriptTable,
};
pub use log::{LogRow, LogTable};
pub use machine::{MachineRow, MachineTable};
pub use memory::{
    MemorySnapshotEdgeRow, MemorySnapshotEdgeTable, MemorySnapshotNodeRow, MemorySnapshotNodeTable,
    MemorySnapshotRow, MemorySnapshotTable, ProcessMemorySnapshotRow, ProcessMemorySnapshotTable,
    ProfilerSmapsRow, ProfilerSmapsTable,
};
pub use process::{ProcessRow, ProcessTable, ThreadRow, ThreadTable};
pub use profiler::{
    ChromeSampleExtrasRow, ChromeSampleExtrasTable, ProfilerAsyncContextRow,
    ProfilerAsyncContextTable, ProfilerCounterSetRow, ProfilerCounterSetTable,
    ProfilerExecutionContextRow, ProfilerExecutionContextTable, ProfilerSampleRow,
    ProfilerSampleTable, ProfilerSessionRow, ProfilerSessionTable, ProfilerTaskContextRow,
    ProfilerTaskContextTable,
};
pub use sched::{
    SchedSliceRow, SchedSliceTable, SpuriousSchedWakeupRow, SpuriousSchedWakeupTable,
    ThreadStateRow, ThreadStateTable,
};
pub use slice::{
    ChromeRawRow, ChromeRawTable, FlowRow, FlowTable, SliceRow, SliceTable, StateRow, StateTable,
};
pub use stack::{
    StackProfileCallsiteRow, StackProfileCallsiteTable, StackProfileFrameRow,
    StackProfileFrameTable, StackProfileMappingRow, StackProfileMappingTable,
    StackProfileSymbolRow, StackProfileSymbolTable, TrackEventCallstackRow,
    TrackEventCallstackTable,
};
pub use trace::{
    ImportLogRow, ImportLogTable, MetadataRow, MetadataTable, StatsRow, StatsTable, TraceBoundsRow,
    TraceBoundsTable, TraceFileRow, TraceFileTable,
};
pub use track::{TrackRow, TrackTable};
pub use winscope::{
    InputDispatchRow, InputDispatchTable, InputMethodClientsRow, InputMethodClientsTable,
    InputMethodManagerServiceRow, InputMethodManagerServiceTable, InputMethodServiceRow,
    InputMethodServiceTable, KeyEventRow, KeyEventTable, LayerRow, LayerTable, LayersSnapshotRow,
    LayersSnapshotTable, MotionEventRow, MotionEventTable, ProtologRow, ProtologTable,
    ShellHandlerRow, ShellHandlerTable, ShellParticipantRow, ShellParticipantTable, ShellProtoRow,
    ShellProtoTable, ShellTransitionRow, ShellTransitionTable, SurfaceFlingerDisplayRow,
    SurfaceFlingerDisplayTable, TransactionFlagRow, TransactionFlagTable, TransactionRow,
    TransactionTable, TransactionsRow, TransactionsTable, ViewCaptureInternedRow,
    ViewCaptureInternedTable, ViewCaptureRow, ViewCaptureTable, ViewCaptureViewRow,
    ViewCaptureViewTable, WindowContainerRow, WindowContainerTable, WindowManagerRow,
    WindowManagerTable, WinscopeFillRegionRow, WinscopeFillRegionTable, WinscopeRectRow,
    WinscopeRectTable, WinscopeTraceRectRow, WinscopeTraceRectTable, WinscopeTransformRow,
    WinscopeTransformTable,
};
