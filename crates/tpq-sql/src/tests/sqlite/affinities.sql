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
