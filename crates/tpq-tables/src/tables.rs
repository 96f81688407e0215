//! All builders together: what decoders and trackers write into.

use std::sync::Arc;

use crate::table::*;
use crate::two_threads::on_two_threads;
use crate::{Packer, StringPool, StringViews, Table, TableDecl, TraceTables};

/// The function that finishes a table.
type Finishing = Box<dyn FnOnce(&Arc<StringViews>) -> Table + Send>;

/// A table that is to be finished, or is.
struct Finish {
    begun: Option<Finishing>,
    table: Option<Table>,
}

impl Finish {
    fn new(finish: impl FnOnce(&Arc<StringViews>) -> Table + Send + 'static) -> Self {
        Self { begun: Some(Box::new(finish)), table: None }
    }

    fn run(&mut self, strings: &Arc<StringViews>) {
        self.table = self.begun.take().map(|finish| finish(strings));
    }
}

/// Lists the tables once: the struct of builders, the list of declarations and `finish` follow.
macro_rules! define_tables {
    ($($field:ident: $table:ident),+ $(,)?) => {
        /// The tables of an import while they are being built.
        #[derive(Default)]
        pub struct Tables {
            /// Every string of every table.
            pub strings: StringPool,
            $(#[doc = concat!("See [`", stringify!($table), "`].")] pub $field: $table,)+
            packer: Option<Arc<Packer>>,
        }

        impl Tables {
            /// Every table there can be, in the order of `docs/tables.md`.
            pub const DECLS: &'static [&'static TableDecl] = &[$($table::DECL),+];

            /// Has chunks of all tables packed by `packer` from now on.
            pub fn pack_by(&mut self, packer: &Arc<Packer>) {
                $(self.$field.pack_by(packer);)+
                self.packer = Some(Arc::clone(packer));
            }

            /// Gives every set of arguments that a table refers to another id: the one at its
            /// number, where 0 is NULL.
            pub fn renumber_arg_sets(&mut self, ids: &[u32]) {
                $(self.$field.renumber_arg_sets(ids);)+
            }

            /// Freezes strings and columns; on two threads where others pack, if any table is
            /// large.
            pub fn finish(self) -> TraceTables {
                /// Less is done before another thread has begun.
                const WORTH: u32 = 1 << 16;
                let large = [$(self.$field.len()),+].into_iter().any(|rows| rows >= WORTH);
                let two = large && self.packer.is_some_and(|packer| packer.has_thread());
                let strings = Arc::new(self.strings.finish());
                let mut tables =
                    vec![$(Finish::new(move |strings| self.$field.finish(strings))),+];
                match two {
                    true => on_two_threads(&mut tables, |table| table.run(&strings)),
                    false => tables.iter_mut().for_each(|table| table.run(&strings)),
                }
                let tables = tables.into_iter().filter_map(|it| it.table).map(Arc::new).collect();
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
    trace_diagnostics: TraceDiagnosticsTable,
    trace_request: TraceRequestTable,
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
    gpu_context: GpuContextTable,
    vulkan_memory_allocations: VulkanMemoryTable,
    filedescriptor: FileDescriptorTable,
    profiler_smaps: ProfilerSmapsTable,
    memory_snapshot: MemorySnapshotTable,
    process_memory_snapshot: ProcessMemorySnapshotTable,
    memory_snapshot_node: MemorySnapshotNodeTable,
    memory_snapshot_edge: MemorySnapshotEdgeTable,
    missing_chrome_process: MissingChromeProcessTable,
    logs: LogTable,
    package_list: PackageListTable,
    android_game_intervention_list: GameInterventionTable,
    android_network_packets: NetworkPacketTable,
    android_user_list: AndroidUserTable,
    android_dumpstate: DumpstateTable,
    android_cpu_per_uid: CpuPerUidTable,
    linux_interrupt_mapping: InterruptMappingTable,
    state: StateTable,
    chrome_raw: ChromeRawTable,
    stack_profile_mapping: StackProfileMappingTable,
    heap_graph: HeapGraphTable,
    heap_graph_class: HeapGraphClassTable,
    heap_graph_object: HeapGraphObjectTable,
    heap_graph_object_data: HeapGraphObjectDataTable,
    heap_graph_reference: HeapGraphReferenceTable,
    heap_graph_primitive: HeapGraphPrimitiveTable,
    heap_graph_thread_callsite: HeapGraphThreadCallsiteTable,
    android_heap_graph_java_oome_details: JavaOomeDetailsTable,
    heap_profile: HeapProfileTable,
    heap_profile_allocation: HeapProfileAllocationTable,
    stack_profile_frame: StackProfileFrameTable,
    stack_profile_callsite: StackProfileCallsiteTable,
    stack_profile_symbol: StackProfileSymbolTable,
    track_event_callstacks: TrackEventCallstackTable,
    profiler_session: ProfilerSessionTable,
    profiler_async_context: ProfilerAsyncContextTable,
    profiler_task_context: ProfilerTaskContextTable,
    profiler_execution_context: ProfilerExecutionContextTable,
    profiler_sample: ProfilerSampleTable,
    profiler_counter_set: ProfilerCounterSetTable,
    chrome_sample_extras: ChromeSampleExtrasTable,
    jit_code: JitCodeTable,
    jit_frame: JitFrameTable,
    v8_isolate: V8IsolateTable,
    v8_js_script: V8JsScriptTable,
    v8_wasm_script: V8WasmScriptTable,
    v8_js_function: V8JsFunctionTable,
    v8_js_code: V8JsCodeTable,
    v8_internal_code: V8InternalCodeTable,
    v8_wasm_code: V8WasmCodeTable,
    v8_regexp_code: V8RegexpCodeTable,
    android_aflags: AflagTable,
    video_frames: VideoFrameTable,
    android_track_event_process: FrameworkProcessTable,
    protolog: ProtologTable,
    window_manager_shell_transitions: ShellTransitionTable,
    window_manager_shell_transition_handlers: ShellHandlerTable,
    window_manager_shell_transition_participants: ShellParticipantTable,
    window_manager_shell_transition_protos: ShellProtoTable,
    winscope_rect: WinscopeRectTable,
    winscope_transform: WinscopeTransformTable,
    winscope_trace_rect: WinscopeTraceRectTable,
    winscope_fill_region: WinscopeFillRegionTable,
    surfaceflinger_layers_snapshot: LayersSnapshotTable,
    surfaceflinger_layer: LayerTable,
    surfaceflinger_display: SurfaceFlingerDisplayTable,
    surfaceflinger_transactions: TransactionsTable,
    surfaceflinger_transaction: TransactionTable,
    surfaceflinger_transaction_flag: TransactionFlagTable,
    inputmethod_clients: InputMethodClientsTable,
    inputmethod_manager_service: InputMethodManagerServiceTable,
    inputmethod_service: InputMethodServiceTable,
    viewcapture: ViewCaptureTable,
    viewcapture_view: ViewCaptureViewTable,
    viewcapture_interned_data: ViewCaptureInternedTable,
    windowmanager: WindowManagerTable,
    windowmanager_windowcontainer: WindowContainerTable,
    android_key_events: KeyEventTable,
    android_motion_events: MotionEventTable,
    android_input_event_dispatch: InputDispatchTable,
    aggregate_profile: AggregateProfileTable,
    aggregate_sample: AggregateSampleTable,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArgSetNumber, CHUNK_ROWS};

    fn written(packer: Packer) -> Vec<u8> {
        let mut tables = Tables::default();
        tables.pack_by(&Arc::new(packer));
        let name = tables.strings.intern("name");
        for row in 0..5 * CHUNK_ROWS as u32 {
            let arg_set_id = (row % 7 == 0).then_some(ArgSetNumber(row));
            let ts = i64::from(row) * 1_000_000_007;
            tables.slice.push(SliceRow { ts, name, arg_set_id, ..SliceRow::default() });
            // The end of a slice is often seen when its chunk was sent to be packed.
            let begun = row.saturating_sub(CHUNK_ROWS as u32 / 2 * 3);
            tables.slice.dur.set(begun, i64::from(row));
        }
        tables.args.push(ArgsRow { key: name, ..ArgsRow::default() });
        let mut bytes = Vec::new();
        tables.finish().write(&mut bytes, b"about").expect("memory takes everything");
        bytes
    }

    #[test]
    fn tables_are_the_same_on_whatever_thread_they_are_packed_and_finished() {
        let inline = written(Packer::new(None));
        let threaded = written(Packer::on_thread(None).expect("there is a thread"));
        assert!(inline == threaded);
    }
}
