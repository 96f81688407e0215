-- Text in arithmetic is a real: whether it is an integer differs from row to row, and a column has one
-- type.
SELECT name + 1 FROM slice ORDER BY id
SELECT -name FROM slice WHERE name IS NOT NULL ORDER BY id
SELECT tid || '' + 1 FROM thread ORDER BY utid
SELECT 1 + 2 * 3, (1 + 2) * 3, 2 - 3 - 4, 20 / 2 / 5, 'a' || 1 + 2
SELECT 1 || 2 + 3, ('a' || 'b') = 'ab', 'a' || (1 = 1)
SELECT sum('5'), sum('abc'), avg('10'), sum(name) FROM slice
SELECT CASE WHEN dur < 0 THEN 'unfinished' WHEN dur = 0 THEN 'instant' ELSE dur / 10 || ' tens' END FROM slice ORDER BY id
-- A column has one type: integers among reals are reals, and numbers among text are text.
SELECT min(1, '0'), max(1, 'a'), max('b', 'a')
SELECT iif(dur, 'yes', 'no'), iif(dur > 10, 1, 0), iif(parent_id IS NULL, 'root', parent_id) FROM slice ORDER BY id
SELECT coalesce(parent_id > 0, -1), ifnull(parent_id = 0, 'none') FROM slice ORDER BY id
SELECT CAST('5' AS NUMERIC), CAST('5.5' AS NUMERIC), CAST(5.0 AS NUMERIC), CAST('abc' AS NUMERIC)
SELECT min(1, 2, 3), max(1, 2, 3), min(1, NULL), max(NULL, 1), min(2.5, 2), max(1, 1.5)
SELECT coalesce(1, 2.5), coalesce(NULL, 2.5), ifnull(value, 0) FROM counter ORDER BY id
SELECT id, lag(dur, 1, 0.5) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT 1 AS v UNION ALL SELECT 2.5 ORDER BY v
SELECT CASE WHEN id = 0 THEN 'zero' ELSE id END FROM slice ORDER BY id
SELECT CASE WHEN dur > 10 THEN dur ELSE 0.5 END FROM slice ORDER BY id
SELECT coalesce(name, id), ifnull(parent_id, 'root') FROM slice ORDER BY id
SELECT coalesce(int_value, string_value, real_value) FROM args ORDER BY id
SELECT 'a' AS v UNION ALL SELECT 1 UNION ALL SELECT NULL
SELECT iif(dur > 10, name, dur) FROM slice ORDER BY id
VALUES (1), ('a'), (NULL)
SELECT id, lead(id, 1, 'none') OVER (ORDER BY id) FROM slice ORDER BY id
-- So a number is the same row as its text to UNION.
SELECT '7' UNION SELECT 7
-- DISTINCT in an aggregate loses the order of a subquery.
SELECT sum(DISTINCT depth), avg(DISTINCT depth), count(DISTINCT depth), group_concat(DISTINCT depth) FROM (SELECT depth FROM slice ORDER BY depth)
SELECT group_concat(DISTINCT name) FROM (SELECT name FROM slice ORDER BY id)
-- The seventeenth digit is the one nearest to the value; SQLite's own may be one off.
SELECT CAST(1/3.0 AS TEXT)
-- unhex() with one argument is PerfettoSQL's: an integer.
SELECT unhex('4142')
-- A value that is taken out of JSON is a text: its type differs from row to row. Compared with a number, it
-- is a number.
SELECT json_extract('{"a": 7}', '$.a'), '[1.5]' ->> 0
SELECT json_extract('[1, [2, 3]]', '$[1]') -> 0, json_array(json_extract('[[1]]', '$[0]'))
-- So are the values of json_each(), unless a literal holds numbers alone. Ids count the values.
SELECT key, value, type, atom, id FROM json_each('[1, "b", null, 2.5, [3]]')
SELECT slice.id, j.value FROM slice, json_each('[' || slice.id || ',' || slice.dur || ']') AS j WHERE slice.id < 4 ORDER BY slice.id, j.key
-- Keys are texts where one is.
SELECT key, atom, type, fullkey, path FROM json_tree('{"a": [1, {"b": 2}]}') WHERE key IS NOT NULL ORDER BY fullkey
-- JSON5 is not read.
SELECT json('{a: 1}')
-- Of the texts that a collation takes for equal, DISTINCT gives the least and not the first one. In UNION, and
-- in aggregates of distinct texts, COLLATE is an error.
SELECT DISTINCT name COLLATE NOCASE FROM (SELECT 'b' AS name UNION ALL SELECT 'B')
SELECT name COLLATE NOCASE FROM thread UNION SELECT upper(name) FROM thread
SELECT group_concat(DISTINCT name COLLATE NOCASE) FROM thread
SELECT CASE WHEN name = 'APP' COLLATE NOCASE THEN 'x' ELSE 'y' END FROM thread UNION SELECT 'X'
-- The same with the collation of a column of a subquery or CTE.
SELECT n FROM (SELECT name COLLATE NOCASE AS n FROM thread) UNION SELECT upper(name) FROM thread
SELECT * FROM (SELECT name COLLATE NOCASE AS n FROM thread) UNION SELECT upper(name) FROM thread
SELECT n FROM (SELECT * FROM (SELECT name COLLATE NOCASE AS n FROM thread)) EXCEPT SELECT upper(name) FROM thread
WITH c AS (SELECT name COLLATE NOCASE AS n FROM thread) SELECT n FROM c INTERSECT SELECT upper(name) FROM thread
SELECT DISTINCT * FROM (SELECT name COLLATE NOCASE AS n FROM thread UNION ALL SELECT upper(name) FROM thread)
SELECT DISTINCT n, count(*) OVER () FROM (SELECT name COLLATE NOCASE AS n FROM thread UNION ALL SELECT upper(name) FROM thread)
SELECT group_concat(DISTINCT n) FROM (SELECT name COLLATE NOCASE AS n FROM thread UNION ALL SELECT upper(name) FROM thread)
-- An order by the position of a column without a name does not see the collation of a later operand.
SELECT upper(name) || '1' FROM thread UNION ALL SELECT (name || '2') COLLATE NOCASE FROM thread ORDER BY 1
-- A recursion has one term that reads its own rows: an error says so.
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 2 FROM r WHERE n < 5 UNION ALL SELECT n * 2 FROM r WHERE n < 5) SELECT count(*) FROM r
-- An aggregate of columns of the query around would belong to that query: an error says so.
SELECT (SELECT count(s.id) FROM thread) FROM slice s
-- A computed text that may be a number in SQLite is compared with a number as the number that it looks like.
SELECT v = 7 FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args) ORDER BY id
SELECT coalesce(v, 'x') = 7 FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args) ORDER BY id
SELECT coalesce(int_value, string_value) = 7, coalesce(int_value, string_value) < 10, coalesce(int_value, string_value) IN (7, 3) FROM args ORDER BY id
-- An integer is compared with such texts as a text, so that it is exact: reals among them are not equal to it.
SELECT coalesce(value, 'none') = 1 FROM counter ORDER BY id
-- Each place that reads a CTE computes a value that is new for each row, also with MATERIALIZED.
WITH x AS MATERIALIZED (SELECT id, random() AS r FROM slice) SELECT count(*) FROM x a JOIN x b USING (id) WHERE a.r <> b.r
-- The keys of json_each() of a column are texts, and are ordered as texts: the column may hold an object.
SELECT group_concat(key) FROM (SELECT j.key FROM slice s, json_each(json_array(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, s.id)) j WHERE s.id = 0 ORDER BY j.key)
-- A recursion that goes on with reals begins with one.
WITH RECURSIVE c(n, v) AS (SELECT 1, 1 UNION ALL SELECT n + 1, v / 2.0 FROM c WHERE n < 3) SELECT v FROM c ORDER BY n
-- Of two zeros, the negative one comes first in an order.
SELECT group_concat(id) FROM (SELECT dur * 0.0 AS z, id FROM slice ORDER BY z, id)
-- An alias of an aggregate is not seen within a subquery of HAVING that reads other columns of the query around:
-- an error says so.
SELECT count(*) AS n FROM slice GROUP BY depth HAVING EXISTS (SELECT 1 FROM slice b WHERE b.id > n + slice.depth) ORDER BY 1
-- The separator of group_concat() with OVER is a literal: an error says so.
SELECT id, group_concat(name, id) OVER (ORDER BY id) FROM slice ORDER BY id
-- A comment that does not end is an error.
SELECT 1 /* unterminated
-- The plans shown are those of DataFusion.
EXPLAIN QUERY PLAN SELECT 1
-- Nothing is known of the last change.
SELECT changes() >= 0, total_changes() >= 0, last_insert_rowid() >= 0
SELECT json_error_position('[1,')
-- Whether lag() finds a row that is two rows ahead or more depends, in SQLite, on the other windows of the
-- query: an error says to write lead().
SELECT id, lag(id, -depth) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, lag(id, -2) OVER (ORDER BY id) FROM slice ORDER BY id
-- The number of nth_value() is a literal where the frame has EXCLUDE: an error says so.
SELECT id, nth_value(id, depth + 1) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) FROM slice ORDER BY id
