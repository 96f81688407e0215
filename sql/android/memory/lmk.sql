-- Processes that the low memory killer ended.

INCLUDE PERFETTO MODULE android.process_metadata;

-- What the numbers of its reasons mean.
CREATE PERFETTO TABLE _lmk_reasons AS
SELECT column1 AS reason, column2 AS name
FROM (
  VALUES
    (0, 'PRESSURE_AFTER_KILL'), (1, 'NOT_RESPONDING'), (2, 'LOW_SWAP_AND_THRASHING'),
    (3, 'LOW_MEM_AND_SWAP'), (4, 'LOW_MEM_AND_THRASHING'), (5, 'DIRECT_RECL_AND_THRASHING'),
    (6, 'LOW_MEM_AND_SWAP_UTIL'), (7, 'LOW_FILECACHE_AFTER_THRASHING'), (8, 'LOW_MEM'),
    (9, 'DIRECT_RECL_STUCK')
);

-- The kills, in the three ways in which the killer has noted them over the years: instants of a
-- track of its own, slices of that name anywhere, and a counter of the number of the process.
-- `way` is lower for the newer.
CREATE PERFETTO TABLE _lmk_marks AS
SELECT
  slice.id AS event_id,
  CASE WHEN track.name = 'lowmemorykiller' THEN 1 ELSE 2 END AS way,
  slice.ts,
  TRY_CAST(split_part(slice.name, ',', 2) AS BIGINT) AS pid,
  TRY_CAST(split_part(slice.name, ',', 3) AS BIGINT) AS reason,
  TRY_CAST(split_part(slice.name, ',', 4) AS BIGINT) AS score
FROM slice
JOIN track ON track.id = slice.track_id
WHERE slice.name GLOB 'lmk,*'
UNION ALL
SELECT
  slice.id AS event_id,
  3 AS way,
  slice.ts,
  TRY_CAST(CAST(arg.display_value AS TEXT) AS BIGINT) AS pid,
  CAST(NULL AS BIGINT) AS reason,
  CAST(NULL AS BIGINT) AS score
FROM slice
JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id AND arg.key = 'pid'
WHERE slice.name = 'kill_one_process';
