-- A column that a subquery or CTE computes has no affinity; one that it takes from a table has that of the
-- table.
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d = '50' ORDER BY id
SELECT id FROM (SELECT id, dur AS d FROM slice) WHERE d = '50' ORDER BY id
SELECT id FROM (SELECT id, +dur AS d FROM slice) WHERE d = '50' ORDER BY id
SELECT id FROM (SELECT id, CAST(dur + 0 AS INT) AS d FROM slice) WHERE d = '50' ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d < '50' ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE '50' > d AND d >= 7 ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d IN ('50', 20, '7') ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d NOT IN ('50', 20) ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d BETWEEN 7 AND '9' ORDER BY id
SELECT id, d IS '50', d IS NOT '50', d IS 50 FROM (SELECT id, dur + 0 AS d FROM slice) ORDER BY id
SELECT id FROM (SELECT * FROM (SELECT id, dur + 0 AS d FROM slice)) x WHERE x.d <> '50' AND (x.d) > 0 ORDER BY id
WITH c(k, d) AS (SELECT id, dur * 2 FROM slice) SELECT k FROM c WHERE d = '40' OR d = 100 ORDER BY k
WITH c AS (SELECT id, dur * 2 AS d FROM slice), e AS (SELECT id, d AS f FROM c) SELECT id, f = '40' FROM e ORDER BY id
WITH q(x) AS (VALUES (1), (2)) SELECT x, x = '1' FROM q
SELECT d FROM (SELECT depth, count(*) AS d FROM slice GROUP BY depth) WHERE d > '2' ORDER BY d
SELECT d FROM (SELECT depth, count(*) AS d FROM slice GROUP BY depth) WHERE d > 2 ORDER BY d
SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM slice) WHERE n = '3'
SELECT depth + 0 AS d, count(*) FROM slice GROUP BY depth + 0 HAVING d = '1'
SELECT depth AS d, count(*) FROM slice GROUP BY depth HAVING d = '1'
SELECT depth AS d, count(*) AS n FROM slice GROUP BY depth HAVING n <= '4' AND n > 1
-- Texts that a subquery computes are greater than numbers, and equal to none.
SELECT n FROM (SELECT id, substr(name, 8, 2) AS n FROM slice) WHERE n > 10 ORDER BY id
SELECT n FROM (SELECT id, id || '' AS n FROM slice) WHERE n = 5
SELECT n FROM (SELECT id, id || '' AS n FROM slice) WHERE n IN (5, '6') ORDER BY id
SELECT n, n < 5, n <> 5 FROM (SELECT id, printf('%d', id) AS n FROM slice) ORDER BY id
SELECT s.id FROM slice s JOIN (SELECT utid || '' AS t FROM thread) x ON x.t = s.id ORDER BY s.id
SELECT a.n, b.m FROM (SELECT id || '' AS n FROM thread) a JOIN (SELECT id + 0 AS m FROM slice) b ON a.n = b.m
-- Numbers that it computes, with a column of texts, are compared as texts.
SELECT a.id, t.tid FROM args a JOIN (SELECT tid + 0 AS tid, 7 + 0 AS n FROM thread) t ON t.n = a.string_value ORDER BY a.id, t.tid
SELECT a.id FROM args a JOIN (SELECT 7.0 AS n) t ON t.n = a.string_value
-- The column of a join USING it is that of the first table.
SELECT id FROM (SELECT id + 3 AS id FROM slice) x JOIN (SELECT id FROM slice) y USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id FROM slice) x JOIN (SELECT id + 3 AS id FROM slice) y USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id + 3 AS id FROM slice) x LEFT JOIN (SELECT id FROM slice) y USING (id) WHERE id < '5' ORDER BY id
SELECT id FROM (SELECT id FROM slice) x NATURAL JOIN (SELECT id + 3 AS id FROM slice) y WHERE id = '5' ORDER BY id
SELECT x.id FROM (SELECT id + 3 AS id FROM slice) x NATURAL LEFT JOIN slice y WHERE x.id IN (4, '5') ORDER BY x.id
SELECT count(*) FROM (SELECT id + 3 AS id FROM slice) x JOIN slice y USING (id) JOIN counter c USING (id) WHERE id = '4'
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE EXISTS (SELECT 1 WHERE d = '50') ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) s WHERE EXISTS (SELECT 1 FROM thread WHERE s.d = '50' OR tid = d) ORDER BY id
SELECT id, (SELECT count(*) FROM (SELECT 1 AS d) WHERE d = '50') FROM (SELECT id, dur + 0 AS d FROM slice) WHERE d = 50
SELECT id, CASE d WHEN '50' THEN 'text' WHEN 50 THEN 'number' ELSE 'none' END FROM (SELECT id, dur + 0 AS d FROM slice) ORDER BY id
SELECT id, CASE dur WHEN '50' THEN 'fifty' END FROM slice ORDER BY id
SELECT id, CASE dur + 0 WHEN '50' THEN 'fifty' END FROM slice ORDER BY id
SELECT id, CASE '50' WHEN dur THEN 1 ELSE 0 END FROM slice ORDER BY id
SELECT id, CASE '50' WHEN d THEN 1 ELSE 0 END FROM (SELECT id, dur + 0 AS d FROM slice) ORDER BY id
SELECT id, CASE d WHEN 'a' THEN 1 WHEN '50' THEN 2 END FROM (SELECT id, dur || '' AS d FROM slice) ORDER BY id
SELECT id, CASE d WHEN 50 THEN 1 ELSE 0 END FROM (SELECT id, dur || '' AS d FROM slice) ORDER BY id
SELECT id, CASE d WHEN dur THEN 1 ELSE 0 END FROM (SELECT id, dur, dur || '' AS d FROM slice) ORDER BY id
SELECT id, (SELECT CASE d WHEN '20' THEN 1 ELSE 0 END) FROM (SELECT id, dur + 0 AS d FROM slice) ORDER BY id
SELECT id FROM (SELECT id, dur + 0 AS d FROM slice) WHERE EXISTS (WITH thread AS (SELECT dur AS d FROM slice) SELECT 1 FROM (SELECT 1 FROM thread WHERE d = '50')) ORDER BY id
-- A number that a subquery computes is compared with computed texts as a number, and is none of them.
SELECT s.d, t.utid FROM (SELECT id + 0 AS d FROM slice) s JOIN thread t ON s.d = t.utid || ''
SELECT s.d, (SELECT count(*) FROM thread t WHERE s.d = t.utid || '') FROM (SELECT id + 0 AS d FROM slice) s
SELECT s.d, (SELECT count(*) FROM thread t WHERE s.d < t.utid || '') FROM (SELECT id + 0 AS d FROM slice) s
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d = substr('3', 1) OR s.d = printf('%d', 3) OR s.d = trim(' 3 ') OR s.d = char(51)
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d < upper('3')
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d = CAST(3 AS TEXT)
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d = CASE WHEN s.d > 2 THEN '3' ELSE 'x' END OR s.d = ifnull(NULL, '3')
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d = (SELECT utid || '' FROM thread WHERE utid = 2) OR s.d = (SELECT max(utid || '') FROM thread)
-- A text that may stand for a number is read as one.
SELECT id, coalesce(int_value, string_value) = 7, coalesce(int_value, string_value) < 10, coalesce(int_value, string_value) < id FROM args WHERE id <> 1
SELECT id, v = 7, v < 10, v < id + 5, max(v) = 7 FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args WHERE id <> 1) GROUP BY id, v
SELECT id, CASE WHEN id < 5 THEN id * 5 ELSE 'x' END < 9, iif(id < 5, id * 5, name) >= 10 FROM slice
SELECT id, max(id, 'a') > 5, min(id, 'a') < 5 FROM slice
-- The value of a subquery has the affinity of its column.
SELECT id, id + 6 = (SELECT string_value FROM args WHERE id = 1), 7 = (SELECT string_value FROM args WHERE id = 1) FROM args
SELECT id, id + 6 = (SELECT string_value || '' FROM args WHERE id = 1) FROM args
SELECT id, string_value = (SELECT 7), '7' = (SELECT int_value FROM args WHERE id = 0), '7' = (SELECT int_value + 0 FROM args WHERE id = 0) FROM args
SELECT id, string_value || '' = (SELECT int_value FROM args WHERE id = 0) FROM args
SELECT id, (SELECT 1) = '1', (SELECT id) = '1', dur = (SELECT '50'), dur + 0 = (SELECT '50') FROM slice
-- Searches in the rows of a subquery.
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d IN (SELECT utid || '' FROM thread)
SELECT s.d FROM (SELECT id + 0 AS d FROM slice) s WHERE s.d NOT IN (SELECT u FROM (SELECT utid || '' AS u FROM thread)) ORDER BY s.d
SELECT id FROM slice WHERE id + 0 IN (SELECT utid || '' FROM thread)
SELECT id FROM slice WHERE id IN (SELECT utid || '' FROM thread) ORDER BY id
SELECT id FROM slice WHERE id || '' IN (SELECT utid FROM thread) ORDER BY id
SELECT id FROM slice WHERE id || '' IN (SELECT utid + 0 FROM thread)
SELECT id FROM args WHERE string_value IN (SELECT id + 4 FROM slice)
SELECT id FROM args WHERE string_value || '' IN (SELECT id + 4 FROM slice)
SELECT id FROM args WHERE string_value IN (SELECT tid + 0 FROM thread UNION SELECT 7)
SELECT id FROM slice WHERE id + 7 IN (SELECT string_value FROM args)
-- Searches in lists of several types: what is searched has an affinity, and the values of the list have none.
SELECT id FROM slice WHERE dur + 0 IN (name, 20)
SELECT id FROM slice WHERE dur + 0 IN (name, 20, dur || '')
SELECT id FROM slice WHERE dur || '' IN (dur, 20)
SELECT id FROM slice WHERE dur || '' IN (dur + 0, '20')
SELECT id FROM slice WHERE dur IN (id || '', depth || '5', 20, '50') ORDER BY id
SELECT id, int_value + 0 IN (string_value, '7', 7.0) FROM args
SELECT id, string_value IN (int_value, 7, id + 6), int_value IN (string_value, '7', id || '') FROM args
SELECT id, string_value || '' IN (int_value, id + 6, 'http://a'), string_value || '' IN (7, '7') FROM args
SELECT id, (id + 6) || '' IN (int_value, 7.0, real_value, string_value) FROM args
SELECT id, coalesce(int_value, 0) IN ('7', string_value, 3) FROM args
SELECT id, coalesce(int_value, string_value) IN (7, 7.5, 'three'), coalesce(int_value, string_value) NOT IN (id + 7, 'x') FROM args WHERE id <> 1
SELECT id, CASE WHEN id > 1 THEN '7' ELSE 'x' END IN (7, id), CASE WHEN id > 1 THEN 7 ELSE id END IN ('7', '1', name) FROM slice
SELECT id, NULL IN (name, 1), 1 IN (NULL, name), name IN (NULL, 'app'), NULL NOT IN (id) FROM slice
SELECT id, dur NOT IN (name, depth || '0', 20), dur + 0 NOT IN (name, 20) FROM slice
SELECT id, x'41' IN ('A', name), 'A' IN (x'41', name), name IN (x'617070'), x'41' IN (x'41', name) FROM slice
SELECT id, CAST(9007199254740993 AS INTEGER) IN (string_value, 9007199254740992), 9007199254740993 IN (real_value, 9007199254740992) FROM args
SELECT id, CAST(9007199254740993 AS INTEGER) NOT IN (string_value, 9007199254740992, 1), dur IN (dur / 1.0, 7), dur NOT IN (dur / 2.0, 7) FROM args JOIN slice USING (id) ORDER BY 1
SELECT id, d IN (name, 50, '20'), d NOT IN (name, dur), dur IN (d, name) FROM (SELECT id, name, dur, dur + 0 AS d FROM slice)
SELECT id, t IN (50, '20', dur), dur IN (t, 1), dur + 0 IN (t, 1) FROM (SELECT id, dur, dur || '' AS t FROM slice)
SELECT id, id + 7 IN (v, 'x') FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args)
-- A value that is chosen from those of a subquery may be a number there.
SELECT id, coalesce(v, 'x') = 7, coalesce(v, 'x') < 10, ifnull(v, 0) IN (7, 3) FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args) WHERE id <> 1 ORDER BY id
SELECT id, CASE WHEN id < 5 THEN v ELSE 'y' END > 2, CASE coalesce(v, 'x') WHEN 3 THEN 'three' ELSE 'other' END FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args) WHERE id <> 1 ORDER BY id
SELECT id FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args) WHERE coalesce(nullif(v, 'three'), 'none') BETWEEN 3 AND 7 AND id <> 1 ORDER BY id
WITH c AS (SELECT id, coalesce(int_value, string_value) AS v FROM args) SELECT count(*) FROM c WHERE iif(v IS NULL, 'none', v) = 7 AND id <> 1
SELECT id, 7 = coalesce(v, 'x'), coalesce(v, 'x') IS 7, lag(v, 1, 'x') OVER (ORDER BY id) = 7 FROM (SELECT id, coalesce(int_value, string_value) AS v FROM args WHERE id <> 1) ORDER BY id
-- A value that is chosen from texts is none.
SELECT v = 7, v < 10, v > 10, v IN (7, 8), coalesce(v, 'x') = 7 FROM (SELECT coalesce(string_value, key) AS v, id FROM args) ORDER BY id
SELECT v = 7, v < 10 FROM (SELECT CASE WHEN id = 1 THEN '7' ELSE 'x' END AS v, id FROM args) ORDER BY id
SELECT v = 7, v < 10, v = '7' FROM (SELECT max(string_value) AS v FROM args WHERE id < 2)
SELECT v = 7, CASE v WHEN 7 THEN 'number' WHEN '7' THEN 'text' END FROM (SELECT iif(a.id = 1, a.string_value, upper(a.key)) AS v, id FROM args a) ORDER BY id
SELECT lag(v, 1, 7) OVER (ORDER BY id) = 7 FROM (SELECT id, string_value AS v FROM args WHERE id <> 1) ORDER BY id LIMIT 1
-- The queries of a union may give texts and numbers.
SELECT id, v = 7, v < 10 FROM (SELECT id, coalesce(string_value, 'x') AS v FROM args WHERE id <> 1 UNION ALL SELECT id + 100, int_value + 0 FROM args) ORDER BY id
WITH c(id, v) AS (SELECT 1, 'x' UNION ALL SELECT id, int_value + 0 FROM args WHERE int_value = 7) SELECT id, coalesce(v, 'y') = 7, v < 10 FROM c ORDER BY id, 2
SELECT id, v = 7, v < 10 FROM (SELECT id, upper(key) AS v FROM args UNION ALL SELECT id + 100, coalesce(string_value, key) FROM args UNION ALL SELECT 200, '7') ORDER BY id
WITH RECURSIVE r(n, v) AS (SELECT 1, '7' UNION ALL SELECT n + 1, v FROM r WHERE n < 3) SELECT n, v = 7, v < 10 FROM r ORDER BY n
-- What is chosen from texts of CAST is a text.
SELECT id, v < 10, coalesce(v, 'x') < 10 FROM (SELECT id, max(CAST(int_value AS TEXT)) OVER (PARTITION BY id) AS v FROM args) ORDER BY id
-- A text is passed on by a subquery.
SELECT id, nullif(v, 'x') = 7, coalesce(v, 'y') < 10 FROM (SELECT w.id, coalesce(w.v, 'x') AS v FROM (SELECT id, string_value AS v FROM args) w) ORDER BY id
