-- What matters to users of Chrome, of every kind: starting it, loading pages, and what they do with
-- these.

INCLUDE PERFETTO MODULE chrome.page_loads;

INCLUDE PERFETTO MODULE chrome.startups;

INCLUDE PERFETTO MODULE chrome.web_content_interactions;

-- Something that a user did.
CREATE PERFETTO TABLE chrome_interactions(
  -- Its number in the table of its kind.
  scoped_id LONG,
  -- Its kind: the table that tells more, as `chrome_page_loads`.
  type STRING,
  -- `PageLoad`, `Startup` or `InteractionToFirstPaint`.
  name STRING,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; of a page, until its largest contents were painted, else its first.
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
