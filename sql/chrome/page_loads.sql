-- Page loads in Chrome, with their metrics.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Page load events, with the navigation id and the browser process.
CREATE PERFETTO TABLE _page_load_events AS
SELECT
  slice.name,
  slice.ts,
  slice.dur,
  navigation.int_value AS navigation_id,
  coalesce(process_track.upid, thread.upid) AS browser_upid,
  url.string_value AS url
FROM slice
JOIN args AS navigation
  ON navigation.arg_set_id = slice.arg_set_id AND navigation.key = 'page_load.navigation_id'
LEFT JOIN args AS url ON url.arg_set_id = slice.arg_set_id AND url.key = 'page_load.url'
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE slice.name GLOB 'PageLoadMetrics.*';

-- A page load that reached the first contentful paint.
CREATE PERFETTO TABLE chrome_page_loads(
  -- Unique id of the page load.
  id INT,
  -- Id of the navigation, unique within a browser process.
  navigation_id INT,
  -- Start of the navigation, ns in trace time.
  navigation_start_ts INT,
  -- Time from the start of the navigation to the first contentful paint, ns.
  fcp INT,
  -- Time of the first contentful paint, ns in trace time.
  fcp_ts INT,
  -- Time from the start of the navigation to the largest contentful paint, ns; NULL if not
  -- recorded.
  lcp INT,
  -- Time of the largest contentful paint, ns in trace time; NULL if not recorded.
  lcp_ts INT,
  -- Time when the DOM content was loaded, ns in trace time; NULL if not recorded.
  dom_content_loaded_event_ts INT,
  -- Time of the load event of the main frame, ns in trace time; NULL if not recorded.
  load_event_ts INT,
  -- Time when the page marked itself as fully loaded, ns in trace time; NULL if not recorded.
  mark_fully_loaded_ts INT,
  -- Time when the page marked itself as fully visible, ns in trace time; NULL if not recorded.
  mark_fully_visible_ts INT,
  -- Time when the page marked itself as interactive, ns in trace time; NULL if not recorded.
  mark_interactive_ts INT,
  -- URL of the page.
  url STRING,
  -- Browser process; join with `process` on `upid`.
  browser_upid INT
) AS
WITH loads AS (
  SELECT
    browser_upid,
    navigation_id,
    max(CASE WHEN name GLOB '*.NavigationToFirstContentfulPaint' THEN ts END) AS start_ts,
    max(CASE WHEN name GLOB '*.NavigationToFirstContentfulPaint' THEN dur END) AS fcp,
    max(CASE WHEN name GLOB '*.NavigationToFirstContentfulPaint' THEN url END) AS url,
    max(CASE WHEN name GLOB '*.NavigationToLargestContentfulPaint' THEN ts END) AS lcp_start_ts,
    max(CASE WHEN name GLOB '*.NavigationToLargestContentfulPaint' THEN dur END) AS lcp,
    max(CASE WHEN name GLOB '*.NavigationToDOMContentLoadedEventFired' THEN ts END) AS dom_ts,
    max(CASE WHEN name GLOB '*.NavigationToMainFrameOnLoad' THEN ts END) AS load_ts,
    max(CASE WHEN name GLOB '*.UserTimingMarkFullyLoaded' THEN ts END) AS loaded_ts,
    max(CASE WHEN name GLOB '*.UserTimingMarkFullyVisible' THEN ts END) AS visible_ts,
    max(CASE WHEN name GLOB '*.UserTimingMarkInteractive' THEN ts END) AS interactive_ts
  FROM _page_load_events
  GROUP BY browser_upid, navigation_id
)
SELECT
  row_number() OVER (ORDER BY browser_upid, navigation_id) AS id,
  navigation_id,
  start_ts AS navigation_start_ts,
  fcp,
  start_ts + fcp AS fcp_ts,
  lcp,
  lcp_start_ts + lcp AS lcp_ts,
  dom_ts AS dom_content_loaded_event_ts,
  load_ts AS load_event_ts,
  loaded_ts AS mark_fully_loaded_ts,
  visible_ts AS mark_fully_visible_ts,
  interactive_ts AS mark_interactive_ts,
  url,
  browser_upid
FROM loads
WHERE fcp IS NOT NULL
ORDER BY 1;
