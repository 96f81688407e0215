-- Aliases.
SELECT dur * 2 AS twice FROM slice WHERE twice > 50 ORDER BY twice
SELECT ts - 1000 AS rel, name AS n FROM slice WHERE rel > 20 AND n LIKE 'a%' ORDER BY rel
SELECT name, dur / 10 AS tens FROM slice WHERE tens BETWEEN 1 AND 4 ORDER BY id
SELECT dur + 1 AS dur FROM slice WHERE dur > 50 ORDER BY dur
SELECT a.id + 1 AS next, b.name FROM slice a JOIN slice b ON b.id = next ORDER BY a.id
SELECT length(name) AS len FROM slice WHERE len IS NOT NULL ORDER BY len DESC, id
SELECT id x, name "The Name", dur 'd' FROM slice ORDER BY x
SELECT x.n FROM (SELECT name n, dur d FROM slice WHERE d > 10) x ORDER BY x.d
SELECT name, count(*) AS cnt FROM slice WHERE dur >= 0 GROUP BY name HAVING cnt > 1 ORDER BY cnt, name
SELECT 1 AS a, 2 AS a
SELECT 1, 1, 1
SELECT s.id, s.* FROM (SELECT id, dur FROM slice) s ORDER BY 1
SELECT *, dur * 2 AS dur FROM (SELECT id, dur FROM slice) ORDER BY id
SELECT dur, * FROM (SELECT id, dur FROM slice) WHERE dur > 10 ORDER BY id
SELECT dur FROM (SELECT *, dur * 2 AS dur FROM (SELECT id, dur FROM slice)) ORDER BY id
SELECT dur, dur, dur + 0 FROM slice ORDER BY id
SELECT a.name, b.name FROM slice a JOIN slice b ON a.id = b.parent_id ORDER BY a.id, b.id
SELECT * FROM (SELECT a.id, b.id FROM slice a JOIN slice b ON b.parent_id = a.id) ORDER BY 1, 2
SELECT count(*) FROM (SELECT dur, dur FROM slice)
SELECT top.id, top.dur FROM slice AS top WHERE top.depth = 0 ORDER BY top.id
SELECT dur AS top FROM slice ORDER BY top, id
SELECT input.id FROM (SELECT * FROM (SELECT 7 AS id, * FROM (SELECT id, ts FROM slice)) ORDER BY ts) input
SELECT q FROM (SELECT b.q, ts, q FROM (SELECT id AS q, ts FROM slice) b) ORDER BY 1
SELECT id FROM slice WHERE name = "app" OR name = "worker" OR "id" = "x" ORDER BY id
-- One name for several columns: the first is meant.
SELECT id FROM (SELECT s.depth AS id, s.* FROM (SELECT id, depth FROM slice) s) ORDER BY id
SELECT s.depth AS id, s.* FROM (SELECT id, depth FROM slice) s ORDER BY s.id
SELECT d.id, d.depth FROM (SELECT depth AS id, * FROM (SELECT id, depth FROM slice)) d ORDER BY 1, 2
SELECT depth + 1 AS id, *, depth + 2 AS id FROM (SELECT id, depth FROM slice) ORDER BY 2
SELECT *, * FROM (SELECT id, name FROM slice) ORDER BY 1
SELECT id AS depth, s.depth FROM slice s ORDER BY depth
SELECT s.dur, -dur AS dur FROM slice s ORDER BY dur, id
SELECT dur, -dur AS dur FROM slice WHERE dur > 0 ORDER BY dur
SELECT *, -dur AS dur FROM (SELECT id, dur FROM slice WHERE dur > 0) ORDER BY dur
-- Order and limits.
SELECT parent_id FROM slice ORDER BY parent_id, id
SELECT parent_id FROM slice ORDER BY parent_id DESC, id
SELECT name FROM slice ORDER BY name NULLS LAST, id
SELECT name FROM slice ORDER BY name DESC NULLS FIRST, id
SELECT id FROM slice ORDER BY dur DESC, id LIMIT 3
SELECT id FROM slice ORDER BY id LIMIT 3 OFFSET 2
SELECT id FROM slice ORDER BY id LIMIT 2, 3
SELECT id FROM slice ORDER BY id LIMIT -1
SELECT id FROM slice ORDER BY id LIMIT (-1)
SELECT id FROM slice ORDER BY id LIMIT -1 OFFSET 8
SELECT id FROM slice ORDER BY id LIMIT 2 OFFSET -1
SELECT id FROM slice ORDER BY id LIMIT 0
SELECT id FROM slice ORDER BY id LIMIT 1 + 1
SELECT id FROM slice ORDER BY id LIMIT (1 + 1) * 2 OFFSET length('a')
SELECT id FROM slice ORDER BY -dur, id
SELECT name, dur FROM slice ORDER BY 2 DESC, 1 LIMIT 4
SELECT name FROM slice ORDER BY length(name), name, id
SELECT dur AS d FROM slice ORDER BY d + 0, id
SELECT DISTINCT name FROM slice ORDER BY name
SELECT DISTINCT track_id FROM slice ORDER BY track_id DESC LIMIT 1
SELECT DISTINCT track_id, depth FROM slice ORDER BY track_id + depth, depth
SELECT id FROM slice ORDER BY name = 'app' DESC, id
SELECT id FROM slice ORDER BY CASE name WHEN 'app' THEN 0 ELSE 1 END, id DESC
SELECT id FROM (SELECT id FROM slice ORDER BY id DESC LIMIT 3) ORDER BY id
SELECT max(id) FROM (SELECT id FROM slice ORDER BY id LIMIT 4)
SELECT id FROM slice WHERE id > (SELECT avg(id) FROM slice) ORDER BY id
SELECT depth, max(ts) AS latest, id FROM slice s GROUP BY depth ORDER BY s.dur DESC, depth
SELECT track_id, id, max(dur) FROM slice GROUP BY track_id ORDER BY ts DESC
SELECT x AS id, name, count(*) FROM (SELECT parent_id AS x FROM slice) ii JOIN (SELECT id, name FROM slice) ts ON ts.id = ii.x GROUP BY id ORDER BY id
-- The order of a subquery.
SELECT id FROM (SELECT id FROM slice ORDER BY dur DESC, id)
SELECT id FROM (SELECT id FROM (SELECT id FROM slice ORDER BY dur DESC, id)) WHERE id > 2
SELECT * FROM (SELECT id, name FROM slice ORDER BY ts DESC)
SELECT x.* FROM (SELECT depth, count(*) AS n FROM slice GROUP BY depth ORDER BY max(ts)) x
SELECT * FROM (SELECT name FROM thread UNION ALL SELECT name FROM process ORDER BY name)
SELECT * FROM (SELECT * FROM (SELECT id AS a FROM slice UNION SELECT tid FROM thread ORDER BY 1 DESC))
WITH s AS (SELECT id FROM slice ORDER BY dur, id) SELECT * FROM s
SELECT * FROM (SELECT s.* FROM slice s JOIN thread t ON t.utid = s.track_id WHERE s.id < 0 ORDER BY t.tid)
-- Joins.
SELECT s.id, t.name FROM slice s JOIN thread t ON s.track_id = t.utid ORDER BY s.id
SELECT s.id, t.name FROM slice s LEFT JOIN thread t ON s.track_id = t.utid AND t.tid > 100 ORDER BY s.id
SELECT s.id, t.name FROM slice s, thread t WHERE s.track_id = t.utid ORDER BY s.id
SELECT count(*) FROM slice CROSS JOIN thread
SELECT count(*) FROM slice CROSS JOIN thread ON slice.track_id = thread.utid
SELECT count(*) FROM slice INNER JOIN thread ON slice.track_id = thread.utid
SELECT count(*) FROM slice JOIN thread
SELECT thread.name, process.name FROM thread JOIN process USING (upid) ORDER BY utid
SELECT thread.name, process.name FROM thread LEFT JOIN process USING (upid) ORDER BY utid
SELECT upid, count(*) FROM thread LEFT JOIN process USING (upid) GROUP BY upid ORDER BY upid
SELECT utid, name, cpu FROM thread JOIN sched USING (utid) ORDER BY sched.id
SELECT * FROM (SELECT utid, upid FROM thread) NATURAL JOIN (SELECT upid, pid FROM process) ORDER BY utid
SELECT p.name, t.name, s.name FROM slice s JOIN thread t ON s.track_id = t.utid JOIN process p ON p.upid = t.upid ORDER BY s.id
SELECT p.name, t.name FROM process p LEFT JOIN thread t USING (upid) ORDER BY p.upid, t.utid
SELECT a.id, b.id FROM slice a JOIN slice b ON a.ts < b.ts AND a.ts + a.dur > b.ts ORDER BY 1, 2
SELECT t.utid, s.id FROM thread t LEFT JOIN slice s ON s.track_id = t.utid AND s.depth = 0 ORDER BY 1, 2
SELECT t.utid FROM thread t LEFT JOIN slice s ON s.track_id = t.utid WHERE s.id IS NULL ORDER BY 1
SELECT s.id, c.value FROM slice s JOIN counter c ON c.ts BETWEEN s.ts AND s.ts + s.dur ORDER BY 1, 2
SELECT t.name, c.n FROM thread t JOIN (SELECT utid, count(*) AS n FROM sched GROUP BY utid) c USING (utid) ORDER BY t.utid
SELECT a.utid, b.utid FROM thread a FULL JOIN sched b ON a.utid = b.utid AND b.dur > 20 ORDER BY 1, 2
SELECT a.utid, b.id FROM thread a RIGHT JOIN sched b ON a.utid = b.utid AND a.utid > 0 ORDER BY 2
SELECT count(*) FROM slice NOT INDEXED
SELECT name FROM slice JOIN (SELECT 3 AS wanted) ON id = wanted
SELECT slice.name FROM slice JOIN thread ON track_id = utid ORDER BY slice.id
SELECT t.id, s.id FROM (thread t JOIN slice s ON s.track_id = t.utid) WHERE s.depth = 0 ORDER BY 2
SELECT a.id, b.id FROM slice a JOIN slice b ON b.parent_id = c.id AND b.dur > 0 JOIN slice c ON c.id = a.id ORDER BY 1, 2
SELECT a.id, c.id FROM slice a JOIN slice b ON a.id = c.parent_id AND b.id = a.id LEFT JOIN slice c ON c.depth = b.depth + 1 ORDER BY 1, 2
SELECT a.id FROM slice a JOIN slice b ON x = a.id AND b.id = a.id JOIN (SELECT DISTINCT parent_id AS x FROM slice) c ON b.depth < 2 ORDER BY 1
SELECT a.id, c.id FROM slice a JOIN slice b ON b.id = c.parent_id AND b.id = a.id, slice c ORDER BY 1, 2
SELECT f.c, v, a.*, h.e FROM (SELECT 1 AS c, 7 AS x) a JOIN (SELECT 1 AS c, 2 AS v, 3 AS d) f ON f.c = a.c LEFT JOIN (SELECT 1 AS c, 2 AS v, 3 AS d, 4 AS e) h USING (c, v, d) ORDER BY v
-- Subqueries, WITH, VALUES.
SELECT (SELECT max(dur) FROM slice), (SELECT name FROM slice ORDER BY dur DESC LIMIT 1)
SELECT (SELECT name FROM slice WHERE id = 99) IS NULL
SELECT id FROM slice WHERE dur = (SELECT max(dur) FROM slice)
SELECT id FROM slice WHERE dur > (SELECT avg(dur) FROM slice) ORDER BY id
SELECT id FROM slice WHERE EXISTS (SELECT 1 FROM thread WHERE utid = 99)
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id) ORDER BY id
SELECT id FROM slice s WHERE NOT EXISTS (SELECT * FROM slice c WHERE c.parent_id = s.id) ORDER BY id
WITH a AS (SELECT id, dur FROM slice WHERE dur > 10), b AS (SELECT max(dur) AS m FROM a) SELECT a.id FROM a JOIN b ON a.dur = b.m
WITH a AS MATERIALIZED (SELECT id FROM slice), b AS NOT MATERIALIZED (SELECT id FROM a) SELECT count(*) FROM a JOIN b USING (id)
WITH a(x, y) AS (SELECT id, dur FROM slice) SELECT x FROM a WHERE y > 20 ORDER BY x
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT x FROM n ORDER BY x
WITH n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) FROM n
WITH RECURSIVE up(id, parent_id) AS (SELECT id, parent_id FROM slice WHERE id = 2 UNION ALL SELECT s.id, s.parent_id FROM slice s JOIN up ON s.id = up.parent_id) SELECT id FROM up ORDER BY id
WITH RECURSIVE down(id, level) AS (SELECT id, 0 FROM slice WHERE parent_id IS NULL UNION ALL SELECT s.id, level + 1 FROM slice s JOIN down ON s.parent_id = down.id) SELECT id, level FROM down ORDER BY id
WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT (x + 1) % 4 FROM n) SELECT x FROM n ORDER BY x
WITH RECURSIVE path(id, text) AS (SELECT id, name FROM slice WHERE parent_id IS NULL UNION ALL SELECT s.id, path.text || '/' || s.name FROM slice s JOIN path ON s.parent_id = path.id) SELECT id, text FROM path ORDER BY id
WITH RECURSIVE f(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM f WHERE b < 50) SELECT a FROM f ORDER BY a
WITH RECURSIVE n(x, y) AS (SELECT NULL, 1 UNION ALL SELECT y, y + 1 FROM n WHERE y < 3) SELECT x, y FROM n ORDER BY y
VALUES (1, 'a'), (2, 'b')
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) ORDER BY 1
SELECT column1, column2 FROM (VALUES (1, 'a'), (2, 'b')) ORDER BY column1
SELECT v.column1 * 2 FROM (VALUES (1), (2)) v ORDER BY 1
WITH v(k, label) AS (VALUES (0, 'zero'), (1, 'one')) SELECT slice.id, label FROM slice JOIN v ON v.k = slice.depth ORDER BY slice.id
SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 2) ORDER BY a
SELECT n FROM (SELECT name AS n FROM slice UNION SELECT name FROM thread) ORDER BY n
SELECT name FROM slice INTERSECT SELECT name FROM thread ORDER BY 1
SELECT name FROM slice EXCEPT SELECT name FROM thread ORDER BY 1
SELECT 1 UNION SELECT 1 UNION ALL SELECT 1
SELECT 'slice' AS kind, count(*) AS n FROM slice UNION ALL SELECT 'thread', count(*) FROM thread ORDER BY kind
SELECT id, dur, NULL AS extra FROM slice UNION ALL SELECT id, NULL, value FROM counter ORDER BY 1, 2, 3
SELECT ts, NULL AS v FROM slice WHERE id < 2 UNION ALL SELECT NULL, 5 ORDER BY 1
SELECT NULL AS a UNION ALL SELECT 1 UNION ALL SELECT 2 ORDER BY a
SELECT dur FROM slice WHERE id = 0 UNION SELECT dur FROM slice WHERE id = 1 ORDER BY dur DESC LIMIT 1
SELECT * FROM (SELECT id FROM slice ORDER BY id DESC LIMIT 2) UNION ALL SELECT * FROM (SELECT id FROM slice ORDER BY id LIMIT 2) ORDER BY 1
SELECT name FROM slice WHERE id IN (SELECT id FROM slice WHERE depth = 1 UNION SELECT 0) ORDER BY id
-- Mixed types.
SELECT CASE id WHEN 0 THEN name WHEN 1 THEN 'one' END FROM slice ORDER BY id
SELECT CASE WHEN dur > 10 THEN NULL ELSE dur END FROM slice ORDER BY id
SELECT id || '', id || 'x' || NULL FROM slice ORDER BY id LIMIT 2
-- Comments, spaces, semicolons.
SELECT /* one */ 1 -- two
SELECT 1 + /* x */ 2,3
select Count ( * ) from SLICE where NAME like 'app'
SELECT id, a.dur FROM slice a JOIN slice b USING (id) JOIN slice c USING (id) WHERE id > 0 ORDER BY id
SELECT id, sum(c.dur) FROM slice a JOIN slice b USING (id) LEFT JOIN slice c USING (id) GROUP BY id ORDER BY id
SELECT id, (SELECT count(*) FROM slice d WHERE d.id < b.id) AS n FROM slice a JOIN slice b USING (id, ts) JOIN slice c USING (id) ORDER BY id
-- Set operations from left to right.
SELECT 1 UNION SELECT 2 INTERSECT SELECT 2
SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 INTERSECT SELECT 1
SELECT 1 UNION SELECT 2 UNION SELECT 3 INTERSECT SELECT 2 INTERSECT SELECT 2 UNION ALL SELECT 5
SELECT id FROM slice EXCEPT SELECT 1 INTERSECT SELECT id FROM slice WHERE id < 4 UNION ALL SELECT 9 ORDER BY 1
SELECT 1 UNION SELECT * FROM (SELECT 2 INTERSECT SELECT 2)
SELECT DISTINCT depth FROM slice ORDER BY ts
SELECT DISTINCT name, depth FROM slice ORDER BY id
SELECT id, dur / 2 AS ts FROM slice s ORDER BY s.ts DESC, s.id
SELECT parent_id, min(id) FROM slice s GROUP BY depth ORDER BY s.parent_id, 2
SELECT depth, min(ts) AS ts FROM slice GROUP BY depth ORDER BY min(ts)
SELECT count(*) FROM slice a JOIN slice b ON a.id = b.id JOIN slice c USING (id)
SELECT id, a.depth FROM slice a JOIN slice b USING (id) JOIN slice c USING (id, depth) ORDER BY id
SELECT count(*) FROM (SELECT 1 AS id) JOIN (SELECT 1 AS id) AS t ON t.id = 1
SELECT id FROM slice JOIN (SELECT 1 AS id) USING (id)
SELECT id, lead(ts, 1, (SELECT max(ts) FROM slice)) OVER (ORDER BY ts, id) FROM slice ORDER BY id
SELECT id, lag(dur, 1 + 1, 0 - 7) OVER (ORDER BY id) FROM slice ORDER BY id
WITH unread AS (SELECT nope.x FROM missing) SELECT count(*) FROM slice
SELECT a.depth, count(*) FROM slice a JOIN (SELECT id, depth FROM slice) b USING (id) GROUP BY a.depth ORDER BY a.depth
SELECT * FROM (SELECT utid, tid FROM thread) JOIN (SELECT utid, cpu FROM sched) USING (utid) ORDER BY utid, cpu
SELECT depth, first_value(id) OVER (PARTITION BY depth ORDER BY depth) FROM (SELECT min(id) AS id, depth FROM slice GROUP BY depth) GROUP BY depth ORDER BY depth
SELECT * FROM (SELECT id FROM slice ORDER BY id DESC LIMIT 5 OFFSET 2)
SELECT * FROM (SELECT id FROM slice ORDER BY id DESC LIMIT 1 OFFSET 1) ORDER BY id DESC
WITH q AS (SELECT id, dur FROM slice ORDER BY dur DESC, id LIMIT 4 OFFSET 3) SELECT * FROM q ORDER BY dur DESC, id
SELECT id FROM (SELECT dur, id FROM slice ORDER BY dur, id LIMIT 3 OFFSET 4) ORDER BY dur, id
SELECT * FROM (SELECT utid FROM thread) a JOIN (SELECT utid FROM thread) b ON a.utid <> b.utid WHERE EXISTS (SELECT 1 FROM thread a JOIN thread b USING (utid)) ORDER BY 1, 2
WITH p AS (SELECT count(*) n FROM thread a JOIN thread b USING (utid)) SELECT * FROM (SELECT utid FROM thread WHERE utid < 3) a, (SELECT utid, tid FROM thread WHERE utid > 1) b, p ORDER BY 1, 2, 3
-- Every key of an order counts, whatever the rows are grouped by.
SELECT t.utid, s.end_state, count(*) AS n FROM sched s JOIN thread t USING (utid) GROUP BY t.utid, s.end_state ORDER BY t.utid, n DESC, s.end_state
SELECT p.upid, t.name, count(*) AS n FROM thread t JOIN process p USING (upid) GROUP BY p.upid, t.name ORDER BY p.upid DESC, n DESC, t.name DESC
SELECT w.utid, s.name, count(*) FROM slice s LEFT JOIN thread w ON w.utid = s.track_id AND w.utid = 1 GROUP BY w.utid, s.name ORDER BY w.utid, count(*) DESC, s.name DESC
SELECT DISTINCT p.upid, t.name FROM thread t LEFT JOIN process p ON p.upid = t.upid AND p.pid > 150 ORDER BY p.upid, t.name
SELECT DISTINCT c.id, s.depth FROM slice s LEFT JOIN counter c ON c.ts = s.ts ORDER BY 1, 2
-- A division of integers is not exact, and a comparison is not its column.
SELECT dur FROM slice WHERE dur / 10 = 1 OR dur / 10 = 2 ORDER BY dur DESC
SELECT dur FROM slice WHERE dur / 20 = 0 ORDER BY dur DESC, id
SELECT id FROM slice WHERE (id > 3) = 0 ORDER BY id DESC
SELECT id, big FROM (SELECT id, id > 5 AS big FROM slice) WHERE big = 0 ORDER BY id DESC
SELECT id, row_number() OVER (ORDER BY id DESC) FROM slice WHERE id / 3 = 1 ORDER BY id
SELECT sum(m) FROM (SELECT track_id, count(*) OVER (PARTITION BY track_id) AS m FROM slice WHERE track_id / 2 = 0)
SELECT id FROM (SELECT id, id > 4 AS v FROM slice UNION ALL SELECT utid, 0 FROM thread) WHERE v = 0 ORDER BY id DESC
SELECT value FROM counter WHERE CAST(value AS INT) = 0 ORDER BY value DESC
-- A total is one row, which a condition may take away.
SELECT * FROM (SELECT count(*) AS n, 'a' AS kind FROM slice UNION ALL SELECT count(*), 'b' FROM counter) WHERE kind = 'b'
SELECT * FROM (SELECT count(*) AS n, 'a' AS kind FROM slice) WHERE kind = 'zz'
SELECT count(*) FROM slice HAVING (SELECT count(*) FROM counter) > 100
SELECT * FROM (SELECT count(*) AS m FROM slice) WHERE EXISTS (SELECT 1 FROM counter WHERE id > 100)
SELECT * FROM (SELECT max(id) AS m FROM slice) WHERE 50 IN (SELECT id FROM counter)
-- IS takes NULL for NULL, and `=` beside it does not.
SELECT a.id, b.id FROM slice a JOIN slice b ON a.id IS b.id WHERE a.name = b.name ORDER BY a.id
SELECT count(*) FROM slice a LEFT JOIN slice b ON a.depth IS b.depth WHERE a.parent_id = b.parent_id
SELECT a.id FROM slice a JOIN slice b ON a.parent_id = b.parent_id JOIN slice c ON b.id IS c.id WHERE c.parent_id = a.parent_id ORDER BY 1
SELECT a.id, c.id FROM slice a JOIN slice b ON a.parent_id IS b.parent_id, slice c WHERE c.name = a.name AND b.id = c.id ORDER BY 1, 2
-- Rows after an offset, in another order above.
SELECT id, rank() OVER (ORDER BY ts) FROM (SELECT * FROM slice ORDER BY ts DESC LIMIT 3 OFFSET 2) ORDER BY id
SELECT id, row_number() OVER (PARTITION BY depth ORDER BY ts) FROM (SELECT * FROM slice ORDER BY ts DESC LIMIT 5 OFFSET 2) ORDER BY id
SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY depth ORDER BY dur, id) AS rn FROM (SELECT * FROM slice ORDER BY dur DESC, id LIMIT 5 OFFSET 2)) WHERE rn = 1 ORDER BY id
SELECT id FROM (SELECT id, ts FROM slice ORDER BY ts DESC LIMIT 5 OFFSET 2) ORDER BY ts LIMIT 2
SELECT count(*), min(id) FROM (SELECT id FROM slice ORDER BY ts DESC LIMIT 4 OFFSET 3)
SELECT a.id, b.id FROM (SELECT id FROM slice ORDER BY dur DESC, id LIMIT 3 OFFSET 1) a JOIN slice b ON b.parent_id = a.id ORDER BY 1, 2
-- USING in joins that fill either side with NULL.
SELECT id FROM (SELECT id + 3 AS id FROM slice) FULL JOIN (SELECT id, value FROM counter) USING (id) ORDER BY id
SELECT arg_set_id, count(*) FROM slice FULL JOIN args USING (arg_set_id) GROUP BY arg_set_id ORDER BY arg_set_id
SELECT id, value FROM (SELECT id FROM slice WHERE id > 2) RIGHT JOIN counter USING (id) ORDER BY counter.id
SELECT * FROM (SELECT id + 3 AS id, dur FROM slice) FULL JOIN (SELECT id, value FROM counter) USING (id) ORDER BY 1
SELECT * FROM (SELECT id, ts, name FROM slice) NATURAL FULL JOIN (SELECT id, ts, value FROM counter) ORDER BY id, name
SELECT a.dur, id FROM (SELECT id + 8 AS id, dur FROM slice) a RIGHT JOIN (SELECT id, name FROM slice) b USING (id) WHERE id > 6 ORDER BY id
SELECT id, c.name FROM (SELECT id + 8 AS id FROM slice) a FULL JOIN (SELECT id FROM counter) b USING (id) LEFT JOIN slice c USING (id) ORDER BY id
SELECT id, (SELECT count(*) FROM thread WHERE utid < id) FROM (SELECT id + 8 AS id FROM slice) a FULL JOIN (SELECT id AS id FROM counter) b USING (id) ORDER BY id
-- An alias in a subquery means what it means outside.
SELECT id, dur AS d FROM slice a WHERE EXISTS (SELECT 1 FROM slice b WHERE b.dur > d AND b.depth = a.depth) ORDER BY id
SELECT id, dur * 2 AS d FROM slice a WHERE d IN (SELECT b.dur FROM slice b WHERE b.dur <> d) ORDER BY id
SELECT id + 1 AS nxt FROM slice WHERE EXISTS (SELECT 1 FROM slice b WHERE b.id = nxt AND b.depth = 0) ORDER BY 1
-- Recursions that go on with reals or texts.
WITH RECURSIVE c(n, v) AS (SELECT 1, 1 UNION ALL SELECT n + 1, v / 2.0 FROM c WHERE n < 4) SELECT n, v * 1.0 FROM c ORDER BY n
WITH RECURSIVE c(n, v) AS (SELECT 0, id FROM slice WHERE id = 3 UNION ALL SELECT n + 1, v + (SELECT avg(value) FROM counter) FROM c WHERE n < 2) SELECT n, v * 1.0 FROM c ORDER BY n
WITH RECURSIVE c(n) AS (SELECT 1 UNION SELECT n / 2.0 FROM c WHERE n > 0.1) SELECT count(*), min(n) FROM c
WITH RECURSIVE c(n, v) AS (SELECT 1, NULL UNION ALL SELECT n + 1, 'x' || n FROM c WHERE n < 4) SELECT n, v FROM c ORDER BY n
WITH RECURSIVE c(v) AS (VALUES (1) UNION ALL SELECT v * 0.5 FROM c WHERE v > 0.2) SELECT v * 1.0 FROM c ORDER BY 1
-- The name of a group's key for another value.
SELECT upper(name) AS name FROM slice GROUP BY name ORDER BY name LIMIT 3
SELECT -id AS id FROM slice GROUP BY id ORDER BY id LIMIT 3
SELECT id FROM (SELECT -id AS id FROM slice GROUP BY id) ORDER BY id LIMIT 2
-- Columns of one value that a join fills with NULL.
SELECT c.id, k FROM (SELECT id, 5 AS k FROM slice WHERE id > 6) s RIGHT JOIN counter c ON s.id = c.id + 4 ORDER BY k DESC, c.id
SELECT c.id, count(*) OVER (PARTITION BY k) FROM (SELECT id, 5 AS k FROM slice WHERE id > 6) s RIGHT JOIN counter c ON s.id = c.id + 4 ORDER BY c.id
SELECT k, count(*) FROM counter c LEFT JOIN (SELECT id, 5 AS k FROM slice WHERE id > 6) s ON s.id = c.id + 4 GROUP BY k ORDER BY k
SELECT x.m, c.id FROM counter c LEFT JOIN (SELECT max(id) AS m FROM slice) x ON x.m = c.id + 5 ORDER BY x.m DESC, c.id
SELECT s.id, d.depth FROM (SELECT id, depth FROM slice WHERE depth = 0) d FULL JOIN slice s ON s.parent_id = d.id ORDER BY d.depth DESC, s.id
SELECT s.id, d.depth, d.id FROM slice s LEFT JOIN (SELECT id, depth FROM slice WHERE depth = 1) d ON d.id < s.id AND d.id > 4 ORDER BY d.depth DESC, s.id, d.id
-- `*` of joins that are USING other columns.
SELECT * FROM (SELECT id, ts FROM slice) x JOIN (SELECT id, ts, dur FROM slice) y USING (id, ts) JOIN (SELECT id, ts + 1 AS ts FROM slice) z USING (id) WHERE id = 1
SELECT * FROM (SELECT id, ts FROM slice) x JOIN (SELECT id, ts, dur FROM slice) z USING (id) JOIN (SELECT id, ts, value FROM counter) y USING (id, ts) ORDER BY id
-- Subqueries over constants, in order.
SELECT x, (SELECT count(*) FROM slice WHERE id > x) FROM (SELECT 1 AS x UNION ALL SELECT 2) ORDER BY x
SELECT id, (id > 1) * 2 FROM slice s JOIN counter c USING (id) ORDER BY id
SELECT id FROM slice WHERE id IN ((SELECT 1), 2) ORDER BY id
SELECT id FROM slice WHERE id NOT IN ((SELECT min(id) FROM slice), (SELECT max(id) FROM slice), 4) ORDER BY id
SELECT name FROM slice WHERE id < 2 UNION SELECT end_state FROM sched ORDER BY end_state
SELECT name, id FROM slice WHERE id < 2 UNION ALL SELECT end_state, utid FROM sched ORDER BY utid DESC, end_state
SELECT id FROM (SELECT id, min(CASE WHEN name = name THEN '' ELSE name END) OVER (PARTITION BY track_id) AS o FROM slice) x WHERE (SELECT min(utid) FROM thread t WHERE x.o < t.name) = 0 ORDER BY id
-- Subqueries in the condition of an outer join.
SELECT a.id, b.id FROM slice a FULL JOIN slice b ON a.id = b.id AND b.id IN (SELECT parent_id FROM slice) ORDER BY 1, 2
SELECT a.id, b.id FROM slice a RIGHT JOIN slice b ON a.id = (SELECT max(c.id) FROM slice c WHERE c.parent_id = b.id) ORDER BY 1, 2
SELECT a.id, b.id FROM slice a FULL JOIN slice b ON a.id = b.id + 1 AND EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = a.id) ORDER BY 1, 2
SELECT a.id, b.utid FROM slice a RIGHT JOIN thread b ON b.utid = a.track_id AND a.dur > (SELECT avg(dur) FROM slice c WHERE c.track_id = b.utid AND c.depth >= a.depth) ORDER BY 2, 1
SELECT a.id, b.utid FROM slice a FULL JOIN thread b ON b.utid = a.track_id AND a.id NOT IN (SELECT parent_id FROM slice WHERE parent_id IS NOT NULL) ORDER BY 2, 1
-- A column of USING, or an alias, in a subquery.
SELECT s.dur, id FROM slice s LEFT JOIN counter c USING (id) WHERE NOT EXISTS (SELECT * FROM (SELECT id AS o FROM (SELECT 1 AS k) x) INTERSECT SELECT 100) ORDER BY s.id
SELECT id FROM slice s JOIN counter c USING (id) WHERE EXISTS (SELECT t.utid FROM thread t WHERE t.tid = id + 99 UNION SELECT p.upid FROM process p WHERE p.upid + 3 = s.id) ORDER BY 1
SELECT depth AS k, count(*) AS n FROM slice GROUP BY k HAVING (SELECT count(*) FROM slice b WHERE b.depth > k) < n ORDER BY 1
SELECT s.depth + 1 AS k, count(*) FROM slice s GROUP BY k HAVING k IN (SELECT b.depth FROM slice b WHERE b.depth <= k) ORDER BY 1
SELECT t."a.b", t.* FROM (SELECT 1 AS "a.b", 2 AS c) t
SELECT id, x.ts FROM counter x RIGHT JOIN slice y USING (id) WHERE id < '3' AND id >= '0' ORDER BY id
-- What the column of a FULL or RIGHT JOIN is compared as follows from the first table that it is of.
SELECT id FROM (SELECT id + 3 AS id FROM slice) x FULL JOIN (SELECT id FROM slice) y USING (id) WHERE id > '9' ORDER BY id
SELECT id FROM (SELECT id FROM slice) y FULL JOIN (SELECT id + 3 AS id FROM slice) x USING (id) WHERE id > '9' ORDER BY id
SELECT id FROM (SELECT id + 3 AS id FROM slice) x NATURAL FULL JOIN (SELECT id FROM slice) y WHERE id >= '9' OR id IN ('4', '5') OR id = 6 ORDER BY id
SELECT id FROM (SELECT id + 3 AS id FROM slice) x RIGHT JOIN (SELECT id FROM slice) y USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id FROM slice) y RIGHT JOIN (SELECT id + 3 AS id FROM slice) x USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id FROM slice) y NATURAL RIGHT JOIN (SELECT id + 3 AS id FROM slice) x WHERE id < '5' ORDER BY id
SELECT id FROM (SELECT id + 3 AS id FROM slice) x FULL JOIN (SELECT id FROM slice) y USING (id) FULL JOIN (SELECT id + 5 AS id FROM slice) z USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id + 3 AS id FROM slice) x FULL JOIN (SELECT id FROM slice) y USING (id) RIGHT JOIN (SELECT id FROM slice WHERE id > 3) z USING (id) WHERE id > '5' ORDER BY id
SELECT id FROM (SELECT id FROM slice) x RIGHT JOIN (SELECT id + 3 AS id FROM slice) y USING (id) FULL JOIN (SELECT id FROM slice) z USING (id) WHERE id > '5' ORDER BY id
WITH c AS (SELECT id + 3 AS id FROM slice), d AS (SELECT * FROM c) SELECT id FROM d FULL JOIN slice USING (id) WHERE id > '5' ORDER BY id
WITH c(k) AS (SELECT CAST(id + 3 AS INT) FROM slice) SELECT k FROM (SELECT k FROM c) FULL JOIN (SELECT id AS k FROM slice) USING (k) WHERE k > '5' ORDER BY k
SELECT id FROM (SELECT id FROM slice x FULL JOIN counter y USING (id)) FULL JOIN (SELECT id + 3 AS id FROM slice) USING (id) WHERE id > '5' ORDER BY id
SELECT * FROM (SELECT id, dur FROM slice) a RIGHT JOIN (SELECT id + 8 AS id, depth FROM slice) b USING (id) ORDER BY id
SELECT typeof(id), a.id IS NULL FROM (SELECT id FROM slice) a RIGHT JOIN (SELECT id + 7.0 AS id FROM slice) b USING (id) ORDER BY id
-- A subquery has its own columns and tables first, whatever an alias around it stands for.
SELECT id, depth AS k FROM slice WHERE (SELECT count(*) FROM slice WHERE depth = k) > 3 ORDER BY id
SELECT id, depth AS tid FROM slice WHERE tid > 0 AND EXISTS (SELECT 1 FROM thread WHERE tid > 150) ORDER BY id
SELECT id, depth AS upid FROM slice WHERE upid = 1 AND EXISTS (SELECT 1 FROM thread WHERE upid = 0) ORDER BY id
SELECT id, depth + 1 AS k FROM slice WHERE k IN (SELECT id FROM slice WHERE id = k) ORDER BY id
SELECT id, depth AS k FROM slice WHERE k = (SELECT max(k) FROM (SELECT depth AS k FROM slice)) ORDER BY id
SELECT a.id, a.depth AS k FROM slice a WHERE (SELECT count(*) FROM slice a WHERE a.depth = k) > 3 ORDER BY 1
SELECT a.id, a.depth AS k FROM slice a WHERE EXISTS (SELECT a.* FROM thread t, slice a WHERE a.parent_id = t.utid AND a.depth = k + 1 ORDER BY a.id) ORDER BY 1
SELECT depth AS k FROM slice GROUP BY depth HAVING (SELECT count(*) FROM slice WHERE depth = k) > 1 ORDER BY 1
SELECT depth AS k FROM slice GROUP BY k HAVING k > 0 AND (SELECT max(slice.id) FROM slice WHERE slice.depth = k) < 5 ORDER BY 1
SELECT id, (SELECT max(n) FROM (SELECT upid AS n FROM thread WHERE n = 0)) FROM (SELECT id, depth AS dur FROM slice WHERE dur > 10) ORDER BY id
-- The columns of a NATURAL join have one name each, also in WHERE.
SELECT id FROM (SELECT id FROM slice) x NATURAL JOIN (SELECT id, value FROM counter) y WHERE id = 3
SELECT id, y.value FROM (SELECT id, name FROM slice) x NATURAL LEFT JOIN (SELECT id, value FROM counter) y WHERE id > 3 AND id < 7 ORDER BY id
SELECT * FROM (SELECT id, name FROM slice) x NATURAL JOIN (SELECT id, value FROM counter) y NATURAL JOIN (SELECT id, tid FROM thread) z WHERE id > 0 ORDER BY id
SELECT id, count(*) FROM (SELECT id, name FROM slice) NATURAL JOIN (SELECT id, value FROM counter) WHERE id IN (SELECT utid FROM thread) GROUP BY id HAVING id > 1 ORDER BY id DESC
-- A subquery beside GROUP BY sees the expressions of the groups.
SELECT a.depth % 2, (SELECT count(*) FROM slice b WHERE b.depth % 2 = a.depth % 2) FROM slice a GROUP BY a.depth % 2
SELECT a.depth % 2 AS d, count(*) FROM slice a GROUP BY a.depth % 2 HAVING (SELECT count(*) FROM slice b WHERE b.depth % 2 = a.depth % 2) > 4
SELECT depth, count(*) AS n FROM slice GROUP BY depth HAVING EXISTS (SELECT 1 FROM slice b WHERE b.id > n) ORDER BY 1
SELECT depth, count(*) AS n, max(dur) AS m FROM slice GROUP BY depth HAVING count(*) > 1 AND (SELECT count(*) FROM thread WHERE utid < n) > 2 AND m IN (SELECT dur FROM slice WHERE dur >= m) ORDER BY n DESC LIMIT 1
SELECT sum(id) AS total FROM slice WHERE depth = 1 HAVING EXISTS (SELECT 1 FROM thread WHERE utid < total)
SELECT a.depth + 1 AS d, count(*) FROM slice a GROUP BY a.depth + 1 HAVING EXISTS (SELECT 1 FROM slice b WHERE b.depth = a.depth + 1) ORDER BY 1
SELECT a.depth + 1 AS d, count(*), sum(a.dur) FROM slice a WHERE a.dur > 0 GROUP BY 1 HAVING EXISTS (SELECT 1 FROM slice b WHERE b.depth = d) ORDER BY d DESC
SELECT slice.dur / 10 AS d, count(*) FROM slice GROUP BY d HAVING count(*) > (SELECT count(*) FROM thread WHERE utid > slice.dur / 10) ORDER BY slice.dur / 10
SELECT a.track_id, a.depth > 0, (SELECT max(b.id) FROM slice b WHERE b.track_id = a.track_id AND (b.depth > 0) = (a.depth > 0)) FROM slice a GROUP BY a.track_id, a.depth > 0 ORDER BY 1, 2
-- Subqueries that read both tables of an outer join.
SELECT a.id, b.id FROM slice a FULL JOIN slice b ON a.id = (SELECT max(c.id) FROM slice c WHERE c.parent_id = b.id AND c.depth > a.depth) ORDER BY 1, 2
SELECT a.id, b.id FROM slice a LEFT JOIN slice b ON a.id = (SELECT max(c.id) FROM slice c WHERE c.parent_id = b.id AND c.depth > a.depth) ORDER BY 1, 2
SELECT a.id, b.utid FROM slice a LEFT JOIN thread b ON EXISTS (SELECT 1 FROM sched c WHERE c.utid = b.utid AND c.ts > a.ts) ORDER BY 1, 2
SELECT a.id, b.utid FROM slice a LEFT JOIN thread b ON a.depth = 0 AND a.track_id IN (SELECT c.utid + a.depth FROM sched c WHERE c.utid >= b.utid) ORDER BY 1, 2
SELECT a.id, b.utid FROM slice a RIGHT JOIN thread b ON a.depth = 0 AND a.track_id IN (SELECT c.utid + a.depth FROM sched c WHERE c.utid >= b.utid) ORDER BY 1, 2
SELECT a.id, b.utid FROM slice a FULL JOIN thread b ON a.depth = 0 AND a.track_id IN (SELECT c.utid + a.depth FROM sched c WHERE c.utid >= b.utid) ORDER BY 1, 2
SELECT a.id, b.utid, a.name, b.name FROM slice a FULL JOIN thread b ON EXISTS (SELECT 1 FROM sched c WHERE c.utid = b.utid AND c.ts > a.ts + 20) ORDER BY 1, 2
SELECT count(*), count(a.id), count(b.utid) FROM slice a FULL JOIN thread b ON (SELECT count(*) FROM sched c WHERE c.utid = b.utid AND c.ts > a.ts) = 1
SELECT a.id, b.utid FROM (SELECT * FROM slice WHERE id > 3) a FULL JOIN (SELECT * FROM thread WHERE utid < 2 UNION ALL SELECT * FROM thread WHERE utid < 2) b ON b.utid = a.track_id AND (SELECT max(c.id) FROM slice c WHERE c.track_id = b.utid AND c.id < a.id) > 0 ORDER BY 1, 2
-- No text is equal to a number in a compound SELECT.
SELECT '7' INTERSECT SELECT 7
SELECT '7' EXCEPT SELECT 7
SELECT tid FROM thread INTERSECT SELECT '100'
SELECT tid FROM thread EXCEPT SELECT tid || '' FROM thread ORDER BY 1
SELECT int_value FROM args INTERSECT SELECT string_value FROM args
SELECT int_value, string_value FROM args EXCEPT SELECT string_value, int_value FROM args ORDER BY 1, 2
SELECT x'41' INTERSECT SELECT 'A'
-- Conditions on the row around a subquery that read columns which it does not select, or selects under other names.
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid, dur FROM sched WHERE sched.id > t.upid) x WHERE x.utid = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid, dur FROM sched WHERE sched.utid > t.upid) x WHERE x.utid = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid, -dur AS d FROM sched WHERE sched.utid = t.utid) x WHERE x.d < 0) ORDER BY 1
SELECT id FROM thread t WHERE (utid, upid) NOT IN (SELECT utid, -dur FROM sched WHERE sched.id > t.upid) ORDER BY 1
SELECT id FROM thread t WHERE (utid, upid) IN (SELECT utid, cpu FROM sched WHERE sched.id > t.upid) ORDER BY 1
SELECT id FROM thread t WHERE (utid, upid) IN (SELECT utid, cpu FROM sched x WHERE x.id >= t.upid AND x.dur > t.utid) ORDER BY 1
SELECT id FROM thread t WHERE utid IN (SELECT utid FROM (SELECT utid, -dur AS d FROM sched WHERE sched.id >= t.upid) x WHERE x.d < 0) ORDER BY 1
SELECT id FROM thread t WHERE utid IN (SELECT utid FROM sched WHERE sched.id >= t.upid) ORDER BY 1
SELECT id FROM thread t WHERE utid IN (SELECT cpu + 1 AS z FROM sched WHERE sched.id >= t.upid) ORDER BY 1
SELECT id FROM thread t WHERE utid IN (SELECT ts FROM (SELECT utid AS ts, cpu AS dur FROM sched) x WHERE x.dur >= t.upid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid AS ts, cpu AS dur FROM sched) x WHERE x.dur >= t.upid AND x.ts = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE (utid, upid) IN (SELECT ts, dur FROM (SELECT utid AS ts, cpu AS dur FROM sched) x WHERE x.dur >= t.upid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid, -dur AS dur FROM sched WHERE sched.dur > t.upid) x WHERE x.utid = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid, -dur AS dur FROM sched WHERE sched.dur > t.utid * 10) x WHERE x.utid >= t.utid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT utid + 1 AS utid, dur FROM sched WHERE sched.utid = t.utid) x WHERE x.dur > 10) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT utid + 1 AS utid FROM sched WHERE sched.utid = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE utid + 1 IN (SELECT utid + 1 AS utid FROM sched WHERE sched.utid = t.utid) ORDER BY 1
SELECT id FROM thread t WHERE utid IN (SELECT cpu AS utid FROM sched WHERE sched.utid > t.utid) ORDER BY 1
SELECT id FROM thread t WHERE NOT EXISTS (SELECT utid + 1 AS utid, dur AS id FROM sched WHERE sched.utid = t.utid AND sched.id > t.upid) ORDER BY 1
SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM (SELECT ts AS dur, dur AS ts, utid FROM sched WHERE sched.ts > t.utid * 1020) x WHERE x.utid > 0) ORDER BY 1
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) ORDER BY 1
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.upid >= s.depth) ORDER BY 1
SELECT id FROM slice s WHERE track_id IN (SELECT t.utid FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) ORDER BY 1
SELECT id FROM slice s WHERE track_id IN (SELECT p.id FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id >= s.track_id) ORDER BY 1
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM (SELECT t.id, p.id AS pid FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id <= s.depth) x WHERE x.id > 0) ORDER BY 1
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM (SELECT t.id FROM thread t WHERE s.depth = 1) x WHERE x.id = s.track_id) ORDER BY 1
SELECT id, (SELECT count(*) FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) FROM slice s ORDER BY 1
SELECT id, (SELECT max(p.pid) FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id <= s.depth) FROM slice s ORDER BY 1
SELECT id, EXISTS (SELECT 1 FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth), track_id IN (SELECT t.utid FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) FROM slice s ORDER BY 1
SELECT id FROM slice s WHERE NOT EXISTS (SELECT 1 FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) ORDER BY 1
SELECT id FROM slice s WHERE track_id NOT IN (SELECT t.utid FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) ORDER BY 1
SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM thread t JOIN process p ON p.upid = t.upid WHERE t.id = s.track_id AND p.id = s.depth) OR s.id = 1 ORDER BY 1
SELECT s.id, u.id FROM slice s JOIN thread u ON EXISTS (SELECT 1 FROM sched a JOIN counter b ON b.ts >= a.ts WHERE a.id = s.depth AND b.id = u.id) ORDER BY 1, 2
SELECT s.id, u.id FROM slice s LEFT JOIN thread u ON EXISTS (SELECT 1 FROM sched a JOIN counter b ON b.ts >= a.ts WHERE a.id = s.depth AND b.id = u.id) ORDER BY 1, 2
SELECT count(*) FROM slice s WHERE EXISTS (SELECT 1 FROM slice a, slice b WHERE a.parent_id = s.id AND b.parent_id = s.id AND a.id < b.id)
SELECT s.id FROM slice s WHERE EXISTS (SELECT 1 FROM slice a JOIN slice b ON a.id = b.parent_id WHERE a.parent_id = s.id AND b.depth > s.depth) ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT 1 FROM slice a JOIN slice b ON a.track_id = b.track_id WHERE a.ts > s.ts AND b.ts < s.ts AND a.depth = s.depth AND b.depth = s.depth) ORDER BY 1
SELECT s.id, (SELECT min(b.ts - a.ts) FROM slice a JOIN slice b ON a.track_id = b.track_id WHERE a.depth = s.depth AND b.depth = s.depth + 1) FROM slice s ORDER BY 1
SELECT s.id, (SELECT group_concat(a.id || '-' || b.id) FROM slice a JOIN slice b ON a.id = b.parent_id WHERE a.track_id = s.track_id AND b.track_id = s.track_id) FROM slice s ORDER BY 1
