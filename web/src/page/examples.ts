/** Statements to begin with, each with the view that suits it. */

export interface Example {
  title: string;
  sql: string;
  view: string;
  choices?: Record<string, string>;
  limit?: number;
  /** The table without which it has no rows. */
  table: string;
}

export const EXAMPLES: Example[] = [
  {
    title: 'Threads by CPU time',
    table: 'sched',
    view: 'bars',
    sql: `SELECT coalesce(thread.name, 'tid ' || tid) AS thread, sum(dur) AS cpu_time
FROM sched JOIN thread USING (utid)
WHERE is_idle = 0 AND dur > 0
GROUP BY utid, thread, tid
ORDER BY cpu_time DESC
LIMIT 40`,
  },
  {
    title: 'Run-queue latency, histogram',
    table: 'thread_state',
    view: 'histogram',
    limit: 100_000,
    sql: `SELECT dur FROM thread_state
WHERE state IN ('R', 'R+') AND dur > 0`,
  },
  {
    title: 'Run-queue latency over time, heat map',
    table: 'thread_state',
    view: 'heat_map',
    limit: 100_000,
    sql: `SELECT ts, dur FROM thread_state
WHERE state IN ('R', 'R+') AND dur > 0`,
  },
  {
    title: 'CPU frequency',
    table: 'counter',
    view: 'time_series',
    sql: `SELECT ts, value, 'CPU ' || cpu AS series
FROM counter JOIN cpu_counter_track ON cpu_counter_track.id = track_id
WHERE type = 'cpu_frequency'
ORDER BY ts`,
  },
  {
    title: 'Counters with the most values',
    table: 'counter',
    view: 'bars',
    sql: `SELECT coalesce(name, type) AS counter, count(*) AS number
FROM counter JOIN counter_track ON counter_track.id = track_id
GROUP BY 1
ORDER BY number DESC
LIMIT 40`,
  },
  {
    title: 'Longest slices',
    table: 'slice',
    view: 'table',
    sql: `SELECT name, dur, ts, category
FROM slice
ORDER BY dur DESC
LIMIT 100`,
  },
  {
    title: 'Slices by total time',
    table: 'slice',
    view: 'bars',
    sql: `SELECT name, sum(dur) AS total_dur, count(*) AS number
FROM slice WHERE dur > 0
GROUP BY name
ORDER BY total_dur DESC
LIMIT 40`,
  },
  {
    title: 'Flame graph of slices by thread',
    table: 'slice',
    view: 'flame_graph',
    limit: 100_000,
    sql: `SELECT slice.id, slice.parent_id, slice.name, slice.dur,
  coalesce(thread.name, 'tid ' || tid) AS thread
FROM slice
JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid)
WHERE slice.dur > 0`,
  },
  {
    title: 'Lost data',
    table: 'data_loss',
    view: 'table',
    sql: 'SELECT kind, severity, what, remedy, ts, ts_end, amount, unit FROM data_loss',
  },
];
