//! Samples of profilers.

use crate::StringId;

declare_table! {
    /// A session of a profiler: samples that one data source took.
    table "__intrinsic_profiler_session" => ProfilerSessionTable, ProfilerSessionRow {
        /// Profiler, such as `linux.perf`.
        source: StringId => String,
        /// Unit of the counter that triggers the samples, such as `ns`; NULL if unknown.
        timebase_unit: StringId => String,
        /// Command line of the profiler; NULL if unknown.
        cmdline: StringId => String,
    }
}

declare_table! {
    /// An asynchronous task, such as a goroutine.
    table "__intrinsic_profiler_async_context" =>
        ProfilerAsyncContextTable, ProfilerAsyncContextRow {
        /// Name; NULL if unknown.
        name: StringId => String,
        /// Kind, such as `goroutine`; NULL if unknown.
        kind: StringId => String,
        /// Task that started this one; join with `__intrinsic_profiler_async_context` on `id`.
        parent_id: Option<u32> => JoinId("__intrinsic_profiler_async_context"),
    }
}

declare_table! {
    /// What a sample is attributed to.
    table "__intrinsic_profiler_task_context" =>
        ProfilerTaskContextTable, ProfilerTaskContextRow {
        /// Process; join with `process` on `upid`. NULL if unknown.
        upid: Option<u32> => JoinId("process"),
        /// Thread; join with `thread` on `utid`. NULL if unknown.
        utid: Option<u32> => JoinId("thread"),
        /// Asynchronous task; join with `__intrinsic_profiler_async_context` on `id`.
        async_context_id: Option<u32> => JoinId("__intrinsic_profiler_async_context"),
    }
}

declare_table! {
    /// The CPU of a sample and its mode.
    table "__intrinsic_profiler_execution_context" =>
        ProfilerExecutionContextTable, ProfilerExecutionContextRow {
        /// CPU, unique across machines; join with `cpu` on `ucpu`. NULL if unknown.
        ucpu: Option<u32> => JoinId("cpu"),
        /// Mode of the CPU, such as `user` or `kernel`; NULL if unknown.
        cpu_mode: StringId => String,
    }
}

declare_table! {
    /// A sample of a profiler.
    table "__intrinsic_profiler_sample" => ProfilerSampleTable, ProfilerSampleRow {
        /// Time of the sample, ns in trace time.
        ts: i64 => Timestamp,
        /// Profiler, such as `linux.perf`.
        source: StringId => String,
        /// Process, thread and task; join with `__intrinsic_profiler_task_context` on `id`.
        task_context_id: Option<u32> => JoinId("__intrinsic_profiler_task_context"),
        /// CPU and mode; join with `__intrinsic_profiler_execution_context` on `id`.
        execution_context_id: Option<u32> => JoinId("__intrinsic_profiler_execution_context"),
        /// Call stack; join with `stack_profile_callsite` on `id`. NULL without a stack.
        callsite_id: Option<u32> => JoinId("stack_profile_callsite"),
        /// Error that ended the unwinding of the stack; NULL without one.
        unwind_error: StringId => String,
        /// Session; join with `__intrinsic_profiler_session` on `id`.
        session_id: Option<u32> => JoinId("__intrinsic_profiler_session"),
        /// Counter values; join with `__intrinsic_profiler_counter_set` on `counter_set_id`.
        counter_set_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A counter value that was read with a sample. Rows of one set are the values of a sample.
    table "__intrinsic_profiler_counter_set" of Tracks =>
        ProfilerCounterSetTable, ProfilerCounterSetRow {
        /// Number of the set, which is the `id` of its first row.
        counter_set_id: u32 => Long,
        /// Value; join with `counter` on `id`.
        counter_id: u32 => JoinId("counter"),
    }
}

declare_table! {
    /// What only Chromium's profiler states of a sample. Samples of processes of the default
    /// priority have no row.
    table "__intrinsic_chrome_stack_sample_extras" =>
        ChromeSampleExtrasTable, ChromeSampleExtrasRow {
        /// Sample; join with `__intrinsic_profiler_sample` on `id`.
        profiler_sample_id: u32 => JoinId("__intrinsic_profiler_sample"),
        /// Priority of the process.
        process_priority: i32 => Long,
    }
}
