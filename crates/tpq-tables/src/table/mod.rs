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

pub use aggregate::{
    AggregateProfileRow, AggregateProfileTable, AggregateSampleRow, AggregateSampleTable,
};
pub use android::{
    AndroidUserRow, AndroidUserTable, CpuPerUidRow, CpuPerUidTable, GameInterventionRow,
    GameInterventionTable, NetworkPacketRow, NetworkPacketTable, PackageListRow, PackageListTable,
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
pub use gpu::{GpuCounterGroupRow, GpuCounterGroupTable, GpuRow, GpuTable};
pub use health::{DataLossRow, DataLossTable, TraceBufferRow, TraceBufferTable};
pub use interrupt::{InterruptMappingRow, InterruptMappingTable};
pub use jit::{
    JitCodeRow, JitCodeTable, JitFrameRow, JitFrameTable, V8InternalCodeRow, V8InternalCodeTable,
    V8IsolateRow, V8IsolateTable, V8JsCodeRow, V8JsCodeTable, V8JsFunctionRow, V8JsFunctionTable,
    V8JsScriptRow, V8JsScriptTable, V8RegexpCodeRow, V8RegexpCodeTable, V8WasmCodeRow,
    V8WasmCodeTable, V8WasmScriptRow, V8WasmScriptTable,
};
pub use log::{LogRow, LogTable};
pub use machine::{MachineRow, MachineTable};
pub use memory::{ProfilerSmapsRow, ProfilerSmapsTable};
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
