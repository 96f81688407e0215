-- Arithmetic.
SELECT 7 / 2, -7 / 2, 7 % 3, -7 % 3, 7 % -3, 7.0 / 2, 7 / 2.0
SELECT 1 / 0, 1 % 0, 1.0 / 0, 0 / 0, 5 % NULL, NULL + 1
SELECT 5.5 % 2, -5.5 % 2, 5 % 2.9, 10.5 % 3.5
SELECT 1 + 1.0, 2 * 3, 2 * 3.0, 10 - 2.5, -(-3), - -3
SELECT dur / 0, dur % 0, dur / 10, dur % 7 FROM slice ORDER BY id
SELECT dur / 1e6, dur * 1.0 / 3, dur / 3 FROM slice ORDER BY id
SELECT dur / 1e3 / 1e3 AS ms FROM slice ORDER BY ms, id
SELECT ts + dur, ts - dur, ts * 2, -dur, +dur FROM slice ORDER BY id
SELECT 9223372036854775807 + 1, 9223372036854775807 * 2, -9223372036854775808 - 1
SELECT '10' + 5, '3.5' * 2, 'abc' + 1, '12ab' + 1, '' + 0, ' 7' - 1
SELECT (dur > 10) + (dur > 100), (dur > 10) * 2 FROM slice ORDER BY id
SELECT dur > 10, dur = 0, dur < 0, dur IS NULL, NOT dur FROM slice ORDER BY id
SELECT 1 = 1, 1 <> 1, 1 == 1, 1 != 2, 2 > 1, 'a' < 'b', NULL = NULL
-- Bits.
SELECT 5 & 3, 5 | 3, ~5, ~0, 1 << 4, 256 >> 4, -1 >> 1, 1 << 0
SELECT ~dur, dur & 1, dur | 1, dur << 1, dur >> 1 FROM slice ORDER BY id
SELECT count(*) FROM slice WHERE dur & 1
SELECT (dur & 1) = 0 AS even, count(*) FROM slice GROUP BY even ORDER BY even
SELECT 1 | 2 = 3, 6 & 4 + 1, 2 << 1 + 1, 1 < 2 = 1
-- Precedence.
SELECT NOT 1 = 2, NOT (1 = 2), NOT 0 + 1, NOT 1 OR 1, 1 OR 0 AND 0
SELECT 1 < 2 < 3, 3 > 2 > 1, 1 = 1 = 1, 5 = 5 > 4
SELECT -2 * -3, -5 + 2, 2 + -3, 1 - -1, -dur + 1 FROM slice ORDER BY id
SELECT 1 BETWEEN 0 AND 2 AND 1, 1 IN (1, 2) AND 0, 'a' LIKE 'A' AND 1
SELECT 1023 >> 8 & 255, 1 | 6 & 4, 1 < 2 | 4, 6 & 4 | 1, 1 << 2 & 6, 7 & 1 << 1, 8 >> 1 | 3 & 1
SELECT 'abc' LIKE 'a%' = 0, 'abc' LIKE 'a%' = 1, 0 = 'abc' LIKE 'a%', 'a' GLOB 'a' IS 1, 1 IS 1 = 1
SELECT -5 || 'x', - 5 || 5, ~5 || 'a', 'a' || -1 || +2, -1 || '' || -1, - - 5 || 'x', '1' || -dur FROM slice ORDER BY id
SELECT ~5 * 2, -5 * -2, ~5 + 1, ~1 & 3, -2 << 1, ~dur * 2, -dur % 3, - ~ dur FROM slice ORDER BY id
SELECT +'abc', +NULL, + +dur, + -dur, +name FROM slice ORDER BY id
SELECT 1 IS NULL - 1, 2 IS NOT NULL < 1, 0 IS TRUE + 1, dur < 50 BETWEEN 1 AND 2 FROM slice ORDER BY id
SELECT 1 IS DISTINCT FROM 2 AND 0, 1 IS NOT DISTINCT FROM 1 = 1, NULL IS DISTINCT FROM 1 OR 1
SELECT id FROM slice WHERE dur & 3 | 4 = 4 ORDER BY id
SELECT id FROM slice WHERE depth << 1 < 3 & 7 ORDER BY id
SELECT -abs(1.5), -(1.5 + 1), -('1.5' || ''), -(1 < 2), -abs(-3), -(NULL), -round(2.5)
-- Concatenation.
SELECT 'a' || 'b', 'a' || 1, 1 || 2, 'x' || 1.5, 'x' || 1.0, NULL || 'a', 'a' || NULL
SELECT name || ':' || dur, name || parent_id FROM slice ORDER BY id
SELECT 'cpu' || cpu || '!' FROM sched ORDER BY id LIMIT 3
SELECT 'v' || value FROM counter ORDER BY id
-- IS.
SELECT name IS 'render', parent_id IS NOT 0, parent_id IS NULL FROM slice ORDER BY id
SELECT 1 IS TRUE, 0 IS TRUE, NULL IS TRUE, 5 IS TRUE, 0 IS NOT FALSE, NULL IS NOT TRUE
SELECT 1 ISNULL, 1 NOTNULL, NULL ISNULL, NULL NOT NULL
SELECT a.id FROM slice a JOIN slice b ON a.parent_id IS b.parent_id WHERE b.id = 0 ORDER BY a.id
SELECT 1 IS DISTINCT FROM 2, NULL IS NOT DISTINCT FROM NULL
SELECT count(*) FROM slice WHERE dur IS NOT -1
-- BETWEEN and IN.
SELECT id FROM slice WHERE dur BETWEEN 10 AND 50 ORDER BY id
SELECT id FROM slice WHERE dur NOT BETWEEN 10 AND 50 ORDER BY id
SELECT id FROM slice WHERE dur IN (5, 20, 100) ORDER BY id
SELECT id FROM slice WHERE name IN ('app', 'render') ORDER BY id
SELECT id FROM slice WHERE name NOT IN ('app', 'render') ORDER BY id
SELECT id FROM slice WHERE dur IN () ORDER BY id
SELECT count(*) FROM slice WHERE dur NOT IN ()
SELECT 1 IN (1, 2), 3 IN (1, 2), NULL IN (1), 1 IN (NULL, 1), 1 IN (NULL, 2), 1 NOT IN (2)
SELECT id FROM slice WHERE name NOT IN (SELECT name FROM slice WHERE dur > 40 AND name IS NOT NULL) ORDER BY id
SELECT id FROM slice WHERE id IN (SELECT parent_id FROM slice) ORDER BY id
SELECT utid FROM thread WHERE utid IN (SELECT utid FROM sched WHERE dur > 30) ORDER BY utid
WITH wanted(x) AS (VALUES (1), (3)) SELECT id FROM slice WHERE id IN wanted ORDER BY id
WITH wanted AS (SELECT id FROM slice WHERE dur > 40) SELECT id FROM slice WHERE parent_id IN wanted ORDER BY id
WITH wanted AS (SELECT id FROM slice WHERE dur > 40) SELECT id FROM slice WHERE id NOT IN wanted ORDER BY id
SELECT id FROM slice WHERE (name, depth) IN (SELECT name, depth FROM slice WHERE id = 1) ORDER BY id
SELECT id FROM slice WHERE (track_id, depth) = (1, 0) ORDER BY id
SELECT id FROM slice WHERE (track_id, depth) IN (VALUES (1, 0), (0, 1)) ORDER BY id
SELECT id FROM slice WHERE (track_id, dur) > (1, 10) ORDER BY id
SELECT id FROM slice WHERE (ts, id) < (1030, 2) ORDER BY id
SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), (1, 2) <> (1, 2)
-- Text against numbers.
SELECT 1 = '1', 1 < 'a', 'a' > 5, '10' < 9, 2 > '10'
SELECT id FROM slice WHERE dur = '50' ORDER BY id
SELECT id FROM slice WHERE dur > '40' ORDER BY id
SELECT id FROM slice WHERE '40' < dur ORDER BY id
SELECT count(*) FROM slice WHERE name > 5
SELECT count(*) FROM slice WHERE name = 5
SELECT count(*) FROM thread WHERE name = 0
SELECT string_value = 7, string_value > 1 FROM args WHERE key = 'count_text' ORDER BY id
SELECT count(*) FROM slice WHERE dur < 'abc'
SELECT count(*) FROM slice WHERE dur IN ('50', '20')
SELECT CAST(dur AS TEXT) = '50', CAST('50' AS INT) = dur FROM slice ORDER BY id
SELECT count(*) FROM slice WHERE dur BETWEEN '10' AND '60'
SELECT count(*) FROM counter WHERE value = '2.5'
SELECT count(*) FROM counter WHERE value > 1
-- COLLATE.
SELECT 'a' = 'A' COLLATE NOCASE, 'a' COLLATE NOCASE = 'A', 'a' = 'A'
SELECT count(*) FROM slice WHERE name = 'APP' COLLATE NOCASE
SELECT name FROM slice WHERE name IS NOT NULL ORDER BY name COLLATE NOCASE, id
SELECT name FROM slice WHERE name IS NOT NULL ORDER BY name COLLATE BINARY, id
SELECT 1 IN ('1'), 1.0 IN (1), 'a' IN ('A', 'a')
SELECT id FROM slice WHERE id IN ('hello', 3) ORDER BY id
SELECT id FROM slice WHERE id IN ('hello') ORDER BY id
SELECT id, parent_id IN ('x', 2.5) FROM slice ORDER BY id
SELECT id FROM slice WHERE dur IN ('10', 20.0, 5.5) ORDER BY id
SELECT id FROM slice WHERE name NOT IN (1, 2.5) ORDER BY id
SELECT id, value FROM counter WHERE value IN (1, '2', 9007199254740993) ORDER BY id
SELECT id FROM counter WHERE value = 9007199254740993 ORDER BY id
SELECT id FROM counter WHERE value < 9007199254740993 ORDER BY id
SELECT id FROM slice WHERE dur > 9.5 AND dur <= 20.5 ORDER BY id
SELECT id FROM slice WHERE dur < 1e300 AND dur > -1e300 ORDER BY id
SELECT id FROM slice WHERE 2.5 < dur ORDER BY id
SELECT 9223372036854775807 = 9223372036854775807.0, 9223372036854775807 < 9223372036854775807.0
SELECT 9007199254740993 = 9007199254740992.0, 9007199254740993 > 9007199254740992.0
SELECT id, CASE WHEN id > 1 THEN "Big (One)" ELSE "small" END FROM slice ORDER BY id
SELECT "A", "Not a Column" || 'x', name = "fetch" FROM slice ORDER BY id
-- Lists with values that depend on the row.
SELECT id FROM slice WHERE name IN ('x', 'y', 'z', CASE depth WHEN 0 THEN name END) ORDER BY id
SELECT id FROM slice WHERE name NOT IN ('x', 'y', 'z', CASE 0 WHEN depth THEN name ELSE 'q' END) ORDER BY id
SELECT id, dur IN (1, 2, 7, CASE WHEN depth = 0 THEN dur END), dur NOT IN (CASE WHEN depth = 0 THEN dur END) FROM slice ORDER BY id
SELECT s.id FROM slice s WHERE s.id IN (s.name, '3') ORDER BY id
SELECT s.id FROM slice s WHERE s.name IN (s.id, s.depth) ORDER BY id
-- Comparisons where a value is compared.
SELECT CASE dur WHEN dur > 7 THEN 1 ELSE 2 END FROM slice ORDER BY id
SELECT CASE dur > 7 WHEN 1 THEN 'long' WHEN 0 THEN 'short' END FROM slice ORDER BY id
SELECT CASE name WHEN 1 THEN 'one' WHEN 'app' THEN 'app' END, CASE tid WHEN '100' THEN 'hundred' END FROM thread ORDER BY utid
SELECT id FROM slice WHERE (dur > 100) IN (SELECT depth FROM slice) ORDER BY id
SELECT id FROM slice WHERE (dur > 20) IN (1, 5) ORDER BY id
SELECT (dur > 100) = '1', (dur > 100) = 0, '1' = (dur > 10) FROM slice ORDER BY id
-- IS compares as = does.
SELECT string_value IS int_value, int_value IS string_value, int_value IS NOT string_value FROM args ORDER BY id
SELECT tid IS '100', name IS 100, name IS NOT 'app', 1 IS '1', tid IS 100.0 FROM thread ORDER BY utid
SELECT '.' + 0, '-' + 0, '1e' + 0, '1.' + 0, '.5' + 0, '12abc' + 0, '9223372036854775808' + 0
SELECT NULL IS NULL, 1 IS 1, 1 IS NOT 2, 1 IS NULL, NULL IS NOT NULL, 1 IS '1'
SELECT CASE WHEN 0 THEN 1 END, CASE 1 WHEN '1' THEN 'same' ELSE 'other' END, CASE NULL WHEN NULL THEN 1 ELSE 2 END
SELECT id FROM slice WHERE +id >= '1' OR +dur = '50' OR id = +'3' ORDER BY id
SELECT +id = '1', (+id) < '5', +name = 'app', +dur + 1 FROM slice ORDER BY +id DESC
