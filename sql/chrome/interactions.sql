-- User interactions with Chrome of every kind: startup, page loads, and input to pages.

INCLUDE PERFETTO MODULE chrome.page_loads;

INCLUDE PERFETTO MODULE chrome.startups;

INCLUDE PERFETTO MODULE chrome.web_content_interactions;

-- An interaction of the user with Chrome.
CREATE PERFETTO TABLE chrome_interactions(
  -- Id of the interaction in the table of its `type`.
  scoped_id LONG,
  -- Table with details of the interaction, such as `chrome_page_loads`.
  type STRING,
  -- Name: `PageLoad`, `Startup` or `InteractionToFirstPaint`.
  name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; for a page load, until the largest contentful paint, else the first contentful
  -- paint.
  dur DURATION
) AS
SELECT
  id AS scoped_id,
  'chrome_page_loads' AS type,
  'PageLoad' AS name,
  navigation_start_ts AS ts,
  coalesce(lcp, fcp) AS dur
FROM chrome_page_loads
UNION ALL
SELECT
  id,
  'chrome_startups',
  name,
  startup_begin_ts,
  coalesce(first_visible_content_ts - startup_begin_ts, 0)
FROM chrome_startups
UNION ALL
SELECT id, 'chrome_web_content_interactions', 'InteractionToFirstPaint', ts, dur
FROM chrome_web_content_interactions
ORDER BY ts;
