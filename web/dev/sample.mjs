// An invented trace, for developing and testing the page without tpq: an overview, and results for
// statements by the words in them.

/** Numbers that look random and are the same each time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const START = 8_120_334_000_000n;
const THREADS = ['renderer', 'compositor', 'worker/0', 'worker/1', 'io', 'gpu', 'audio', 'logger', 'kswapd0', 'rcu_preempt'];
const column = (name, type, doc = '') => ({ name, type, doc });
const relation = (name, rows, doc, columns) => ({ name, kind: rows === null ? 'view' : 'table', rows, doc, columns });

export const overview = {
  version: '0.1.0',
  traces: [{ name: 'sample.pftrace', format: 'perfetto', bytes: 4_521_334 }],
  start_ts: Number(START),
  end_ts: Number(START + 9_870_000_000n),
  health: {
    state: 'lost',
    headline: 'Data was lost.',
    findings: [
      {
        severity: 'data_loss',
        what: ['The oldest data of buffer 0 (512 KiB, RING_BUFFER) was overwritten: 9.1 MiB of the 9.6 MiB written, in 19 turns round it.'],
        location: 'from the start to 5.928 s',
        remedy: 'Set size_kb of buffer 0 to 11264 or more: that holds the 6.3 s recorded, at the 1.5 MiB/s written.',
      },
      { severity: 'notice', what: ['The recording has no flush, so its last events may be missing.'] },
    ],
  },
  machines: [{ id: 0, name: 'machine 0', system: 'Linux 6.18.5 x86_64', cpus: 2 }],
  clocks: [
    { name: 'BOOTTIME', machine: 'machine 0', snapshots: 11, is_trace_time: true },
    { name: 'MONOTONIC', machine: 'machine 0', snapshots: 11, is_trace_time: false },
    { name: 'REALTIME', machine: 'machine 0', snapshots: 11, is_trace_time: false },
  ],
  tables: [
    relation('slice', 48213, 'A span of time on a track. Slices of a track nest.', [
      column('id', 'ID', 'Unique id of the slice.'), column('ts', 'TIMESTAMP', 'Start, ns in trace time.'),
      column('dur', 'DURATION', 'Duration, ns; 0 for an instant, -1 when the end is not in the trace.'),
      column('track_id', 'JOINID(track.id)', 'Track of the slice; join with `track` on `id`.'),
      column('name', 'STRING', 'Name of the slice.'), column('parent_id', 'JOINID(slice.id)', 'Parent slice.'),
    ]),
    relation('sched', null, 'Rows of `sched_slice`, with an end column.', [
      column('ts', 'TIMESTAMP', 'Time when the CPU switched to the thread.'), column('dur', 'DURATION', 'Duration, ns.'),
      column('cpu', 'LONG', 'CPU number.'), column('utid', 'JOINID(thread.id)', 'Thread that ran.'),
    ]),
    relation('thread', 214, 'A thread.', [
      column('utid', 'ID', 'Thread, unique across the trace.'), column('tid', 'LONG', 'Kernel id of the thread.'),
      column('name', 'STRING', 'Name of the thread.'), column('is_idle', 'BOOL', 'Whether this is the idle task of a CPU.'),
    ]),
    relation('thread_state', 130442, 'A span in which a thread was in one scheduling state.', [
      column('ts', 'TIMESTAMP', 'Start of the state.'), column('dur', 'DURATION', 'Duration, ns.'), column('state', 'STRING', 'Scheduling state.'),
    ]),
    relation('counter', 9120, 'Value of a counter at a point in time.', [column('ts', 'TIMESTAMP'), column('value', 'DOUBLE'), column('track_id', 'JOINID(track.id)')]),
    relation('data_loss', 2, 'Data that was recorded and is not in the tables.', [column('what', 'STRING')]),
    relation('gpu', 0, 'A GPU.', [column('id', 'ID')]),
  ],
  functions: [
    { name: 'sum', kind: 'aggregate', arguments: 'expression' },
    { name: 'substr', kind: 'scalar', arguments: 'string, start, [length]' },
    { name: 'ancestor_slice', kind: 'table', arguments: 'slice_id' },
  ],
  modules: ['slices.with_context', 'time.conversion'],
};

function latencies(count) {
  const random = generator(7);
  return Array.from({ length: count }, (_, index) => {
    const slow = index > count * 0.6 && index < count * 0.7 ? 40 : 1;
    return [Number(START) + Math.floor((index / count) * 9.8e9), Math.floor(800 * slow * Math.exp(random() * 4 + random() * 3))];
  });
}

function slices() {
  const random = generator(3);
  const names = ['Load page', 'Parse', 'Layout', 'Paint', 'Script', 'Compile', 'Fetch', 'Decode', 'Style', 'GC'];
  const rows = [];
  const add = (parent, depth, dur, thread) => {
    const id = rows.length + 1;
    rows.push([id, parent, names[Math.floor(random() * (names.length - depth)) + depth] ?? 'GC', Math.floor(dur), thread]);
    let rest = dur;
    while (depth < 6 && random() < 0.75 && rest > dur / 10) {
      const own = rest * (0.2 + random() * 0.5);
      add(id, depth + 1, own, thread);
      rest -= own;
    }
  };
  for (let index = 0; index < 300; index++) add(null, 0, 1e6 * (1 + random() * 40), THREADS[index % 4]);
  return rows;
}

function frequencies() {
  const random = generator(11);
  const rows = [];
  for (let index = 0; index < 400; index++) {
    for (const cpu of [0, 1]) {
      rows.push([Number(START) + index * 24_000_000, 600_000 + Math.floor(random() * 6) * 400_000, `CPU ${cpu}`]);
    }
  }
  return rows;
}

const typed = (...names) => names.map((name) => ({ name, type: /name|thread|series|what|kind/.test(name) ? 'TEXT' : 'INTEGER' }));

/** The columns and rows of a statement. */
function rowsOf(sql) {
  if (/parent_id/.test(sql)) return [typed('id', 'parent_id', 'name', 'dur', 'thread'), slices()];
  if (/SELECT ts, dur/.test(sql)) return [typed('ts', 'dur'), latencies(20000)];
  if (/thread_state/.test(sql)) return [typed('dur'), latencies(20000).map(([, dur]) => [dur])];
  if (/series/.test(sql)) return [typed('ts', 'value', 'series'), frequencies()];
  if (/cpu_time/.test(sql)) return [typed('thread', 'cpu_time'), THREADS.map((name, index) => [name, Math.floor(3.2e9 / (index + 1) ** 1.3)])];
  if (/big/.test(sql)) return [typed('big', 'name'), [['9223372036854775807', '</script><b>bold'], [null, 'x']]];
  return [typed('id', 'name', 'dur'), slices().map(([id, , name, dur]) => [id, name, dur])];
}

/** The answer to a query. */
export function answer({ sql, limit }) {
  if (/slices2/.test(sql)) {
    const message = 'no table or view is called `slices2`';
    const before = sql.slice(0, sql.indexOf('slices2')).split('\n');
    const [line, column] = [before.length, before.at(-1).length + 1];
    return { columns: [], rows: [], row_count: 0, truncated: false, elapsed_ms: 0.4, error: { message, hint: 'did you mean `slices`?', line, column, width: 7 } };
  }
  const [columns, all] = rowsOf(sql);
  const rows = all.slice(0, limit);
  return { columns, rows, row_count: rows.length, truncated: rows.length < all.length, elapsed_ms: 4.2 };
}
