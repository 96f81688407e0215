//! All builders together: what decoders and trackers write into.

use std::sync::Arc;

use crate::table::*;
use crate::{Packer, StringPool, TableDecl, TraceTables};

/// Lists the tables once: the struct of builders, the list of declarations and `finish` follow.
macro_rules! define_tables {
    ($($field:ident: $table:ident),+ $(,)?) => {
        /// The tables of an import while they are being built.
        #[derive(Default)]
        pub struct Tables {
            /// Every string of every table.
            pub strings: StringPool,
            $(#[doc = concat!("See [`", stringify!($table), "`].")] pub $field: $table,)+
        }

        impl Tables {
            /// Every table there can be, in the order of `docs/tables.md`.
            pub const DECLS: &'static [&'static TableDecl] = &[$($table::DECL),+];

            /// Has chunks of all tables packed by someone else from now on.
            pub fn pack_by(&mut self, packer: &Arc<Packer>) {
                $(self.$field.pack_by(packer);)+
            }

            /// Gives every set of arguments that a table refers to another id: the one at its
            /// number, where 0 is NULL.
            pub fn renumber_arg_sets(&mut self, ids: &[u32]) {
                $(self.$field.renumber_arg_sets(ids);)+
            }

            /// Freezes strings and columns.
            pub fn finish(self) -> TraceTables {
                let strings = Arc::new(self.strings.finish());
                let tables = vec![$(Arc::new(self.$field.finish(&strings))),+];
                TraceTables::new(tables, strings)
            }
        }
    };
}

define_tables! {
    sched_slice: SchedSliceTable,
    thread_state: ThreadStateTable,
    spurious_sched_wakeup: SpuriousSchedWakeupTable,
    thread: ThreadTable,
    process: ProcessTable,
    cpu: CpuTable,
    ftrace_event: FtraceEventTable,
    slice: SliceTable,
    flow: FlowTable,
    track: TrackTable,
    counter: CounterTable,
    args: ArgsTable,
    stats: StatsTable,
    data_loss: DataLossTable,
    trace_buffer: TraceBufferTable,
    metadata: MetadataTable,
    machine: MachineTable,
    clock_snapshot: ClockSnapshotTable,
    clock_drift: ClockDriftTable,
    clock_jump: ClockJumpTable,
    trace_bounds: TraceBoundsTable,
    trace_file: TraceFileTable,
    trace_import_logs: ImportLogTable,
    cpu_freq: CpuFreqTable,
    gpu: GpuTable,
    gpu_counter_group: GpuCounterGroupTable,
    filedescriptor: FileDescriptorTable,
    profiler_smaps: ProfilerSmapsTable,
    logs: LogTable,
    package_list: PackageListTable,
    android_game_intervention_list: GameInterventionTable,
    android_network_packets: NetworkPacketTable,
    android_user_list: AndroidUserTable,
    android_cpu_per_uid: CpuPerUidTable,
    linux_interrupt_mapping: InterruptMappingTable,
    state: StateTable,
    chrome_raw: ChromeRawTable,
    stack_profile_mapping: StackProfileMappingTable,
}
