-- Runs of the JetStream benchmark, version 3.

-- Benchmarks. Those of a group share one score; any other is a group of its own.
CREATE PERFETTO TABLE _chrome_jetstream_3_benchmarks AS
SELECT
  name,
  CASE
    WHEN name GLOB '*-SP' THEN 'Sunspider'
    WHEN name GLOB '*-intl' THEN 'intl'
    ELSE name
  END AS top_level_name,
  worst_count
FROM (
  SELECT worst_count, unnest(string_to_array(names, ' ')) AS name
  -- Number of iterations that count as the worst ones, and the benchmarks with that number.
  FROM (VALUES
    (
      1,
      'bigint-noble-bls12-381 DateTimeFormat-intl Kotlin-compose-wasm ListFormat-intl '
      || 'NumberFormat-intl PluralRules-intl RelativeTimeFormat-intl transformersjs-whisper-wasm'
    ),
    (
      2,
      '8bitbench-wasm acorn-wtb babel-minify-wtb babel-wtb babylon-wtb bigint-paillier '
      || 'chai-wtb Dart-flute-complex-wasm Dart-flute-todomvc-wasm dotnet-aot-wasm '
      || 'dotnet-interp-wasm espree-wtb esprima-next-wtb jsdom-d3-startup json-parse-inspector '
      || 'json-stringify-inspector lebab-wtb postcss-wtb prettier-wtb source-map-wtb '
      || 'sqlite3-wasm typescript-octane'
    ),
    (3, 'argon2-wasm cdjs mobx-startup segmentation'),
    (
      4,
      '3d-cube-SP 3d-raytrace-SP ai-astar Air Babylon babylonjs-scene-es5 babylonjs-scene-es6 '
      || 'babylonjs-startup-es5 babylonjs-startup-es6 base64-SP Basic bigint-noble-ed25519 '
      || 'bigint-noble-secp256k1 bomb-workers Box2D crypto crypto-aes-SP crypto-md5-SP '
      || 'crypto-sha1-SP date-format-tofte-SP date-format-xparb-SP delta-blue doxbee-async '
      || 'doxbee-promise earley-boyer first-inspector-code-load FlightPlanner gaussian-blur '
      || 'gbemu gcc-loops-wasm hash-map HashSet-wasm j2cl-box2d-wasm js-tokens lazy-collections '
      || 'mandreel ML multi-inspector-code-load n-body-SP navier-stokes octane-code-load '
      || 'OfflineAssembler pdfjs prismjs-startup-es5 prismjs-startup-es6 proxy-vue '
      || 'quicksort-wasm raytrace raytrace-private-class-fields raytrace-public-class-fields '
      || 'regex-dna-SP regexp-octane richards richards-wasm splay stanford-crypto-aes '
      || 'stanford-crypto-pbkdf2 stanford-crypto-sha256 string-unpack-code-SP tagcloud-SP '
      || 'threejs transformersjs-bert-wasm tsf-wasm UniPoker validatorjs web-ssr zlib-wasm'
    ),
    (6, 'async-fs sync-fs'),
    (12, 'proxy-mobx'),
    (16, 'bigint-bigdenary')
  ) AS list(worst_count, names)
);

-- Returns the threads that ran the benchmark: those with a mark named like a benchmark.
CREATE PERFETTO FUNCTION chrome_jetstream_3_renderer_main_utid()
RETURNS TABLE(
  -- Thread; join with `thread` on `utid`.
  utid LONG
) AS
SELECT DISTINCT track.utid
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN _chrome_jetstream_3_benchmarks AS benchmark ON benchmark.name = slice.name
WHERE slice.category = 'blink.user_timing'
ORDER BY track.utid;

-- Iterations of benchmarks, `<benchmark>-iteration-<number>`, and the parts of the benchmark WSL,
-- `WSL-<part>`.
CREATE PERFETTO TABLE _chrome_jetstream_3_iterations AS
WITH timed AS (
  SELECT
    id,
    ts,
    dur,
    name,
    split_part(name, '-iteration-', 1) AS benchmark_name,
    cast_int!(split_part(name, '-iteration-', 2)) AS iteration
  FROM slice
  WHERE category = 'blink.user_timing' AND dur > 0
)
SELECT
  timed.id,
  timed.ts,
  timed.dur,
  benchmark.name,
  benchmark.top_level_name,
  timed.iteration,
  benchmark.worst_count,
  CAST(NULL AS TEXT) AS part
FROM timed
JOIN _chrome_jetstream_3_benchmarks AS benchmark ON benchmark.name = timed.benchmark_name
WHERE timed.name GLOB '*-iteration-*'
UNION ALL
SELECT id, ts, dur, 'WSL', 'WSL', 0, 0, name
FROM timed
WHERE name GLOB 'WSL-*';

-- A measure: an iteration of a benchmark, or a part of the benchmark WSL.
CREATE PERFETTO TABLE chrome_jetstream_3_measure(
  -- Slice of the measure; join with `slice` on `id`.
  id LONG,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the benchmark.
  name STRING,
  -- Group of the benchmark: `Sunspider`, `intl` or the benchmark itself.
  top_level_name STRING,
  -- Number of the iteration, from 0.
  iteration LONG,
  -- Kind of iteration: `First`; `Worst` for the longest ones of the others; `Average` for the rest.
  -- Of the benchmark WSL, the part.
  subtest STRING
) AS
SELECT
  id,
  ts,
  dur,
  name,
  top_level_name,
  iteration,
  CASE
    WHEN part IS NOT NULL THEN part
    WHEN iteration = 0 THEN 'First'
    WHEN nth_longest <= worst_count THEN 'Worst'
    ELSE 'Average'
  END AS subtest
FROM (
  SELECT
    *,
    rank() OVER (PARTITION BY name, iteration > 0 ORDER BY dur DESC) AS nth_longest
  FROM _chrome_jetstream_3_iterations
)
ORDER BY ts, id;

-- Score of each kind of iteration of a benchmark, from its average duration in ms. The worst
-- iterations count among the average ones as well.
CREATE PERFETTO VIEW _chrome_jetstream_3_subtest_scores AS
SELECT
  measure.top_level_name,
  measure.name,
  kind.subtest,
  5000.0 / (avg(measure.dur) / 1e6) AS score
FROM chrome_jetstream_3_measure AS measure
JOIN (
  SELECT DISTINCT subtest, subtest AS counts_as FROM chrome_jetstream_3_measure
  UNION
  SELECT 'Average', 'Worst'
) AS kind ON kind.counts_as = measure.subtest
GROUP BY measure.top_level_name, measure.name, kind.subtest;

-- A benchmark or a group of benchmarks with its score.
CREATE PERFETTO TABLE chrome_jetstream_3_benchmark_score(
  -- Name of the benchmark or of the group.
  top_level_name STRING,
  -- Score, a geometric mean: of a group, over its benchmarks; of a benchmark, over the kinds of
  -- iterations. The score of a kind is 5000 divided by its average duration in ms.
  score DOUBLE
) AS
WITH benchmarks AS (
  SELECT top_level_name, name, exp(avg(ln(score))) AS score
  FROM _chrome_jetstream_3_subtest_scores
  GROUP BY top_level_name, name
)
SELECT top_level_name, exp(avg(ln(score))) AS score
FROM benchmarks
GROUP BY top_level_name
ORDER BY top_level_name;

-- Returns the score of the run.
CREATE PERFETTO FUNCTION chrome_jetstream_3_score()
-- Geometric mean of the scores of all benchmarks and groups; NULL without a run.
RETURNS DOUBLE AS
SELECT exp(avg(ln(score)))
FROM chrome_jetstream_3_benchmark_score;
