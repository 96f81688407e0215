-- A NULL leaves a comparison unknown unless other parts decide it.
SELECT (1, 2) = (1, 2), (1, 2) = (1, 3), (1, 2) <> (1, 3), (1, 2) <> (1, 2)
SELECT (1, NULL) = (1, 2), (1, NULL) = (2, 2), (1, NULL) = (1, NULL), (1, NULL) <> (2, 2)
SELECT (1, 2) < (1, 3), (1, 2) < (1, 2), (1, 2) <= (1, 2), (2, 1) > (1, 9), (1, 1, 2) >= (1, 1, 1)
SELECT (1, NULL) < (2, 0), (1, NULL) < (1, 2), (NULL, 1) < (2, 0), (2, NULL) <= (1, 0), (1, 2, NULL) < (1, 3, 0)
SELECT (1, NULL) IS (1, NULL), (1, NULL) IS (1, 2), (1, NULL) IS NOT (1, NULL), (1, 2) IS NOT (1, NULL)
SELECT (1, 5) BETWEEN (1, 2) AND (2, 0), (2, 1) BETWEEN (1, 2) AND (2, 0), (1, NULL) BETWEEN (0, 0) AND (1, 0)
SELECT CASE (1, 2) WHEN (1, 1) THEN 'a' WHEN (1, 2) THEN 'b' ELSE 'c' END, CASE (1, NULL) WHEN (1, NULL) THEN 'a' ELSE 'b' END
SELECT id FROM slice WHERE (depth, dur) > (0, 50) ORDER BY id
SELECT id FROM slice WHERE (depth, parent_id) = (1, 3) ORDER BY id
SELECT id FROM slice WHERE (ts, dur) = (SELECT ts, dur FROM slice WHERE id = 4)
SELECT id FROM slice WHERE (ts, dur) >= (SELECT ts, dur FROM slice WHERE id = 7) ORDER BY id
SELECT (SELECT ts, dur FROM slice WHERE id = 4) = (1030, 0), (1, 2) = (SELECT ts, dur FROM slice WHERE id = 400)
SELECT id FROM slice WHERE (track_id, depth) IN (SELECT track_id, max(depth) FROM slice GROUP BY 1) ORDER BY id
SELECT id FROM slice WHERE (track_id, depth) IN (VALUES (0, 1), (2, 0)) ORDER BY id
SELECT id FROM slice WHERE (depth, parent_id) IN (SELECT depth, parent_id FROM slice) ORDER BY id
SELECT id FROM slice WHERE (depth, parent_id) NOT IN (SELECT depth, parent_id FROM slice WHERE id < 3) ORDER BY id
SELECT id FROM slice WHERE (depth, parent_id) NOT IN (SELECT depth, parent_id FROM slice WHERE id BETWEEN 1 AND 2) ORDER BY id
SELECT utid FROM thread WHERE (utid, upid) NOT IN (SELECT utid, upid FROM thread WHERE utid = 0) ORDER BY utid
SELECT utid FROM thread WHERE (utid, upid) IN (SELECT utid, upid FROM thread WHERE utid = 1)
SELECT tid FROM thread WHERE (tid, upid) IN (SELECT tid, upid FROM thread) ORDER BY tid
SELECT (depth, parent_id) IN (SELECT depth, parent_id FROM slice WHERE id < 3) FROM slice ORDER BY id
SELECT (depth, parent_id) NOT IN (SELECT depth, parent_id FROM slice WHERE id < 3), (depth, parent_id) IN (SELECT 1, 1 WHERE 0) FROM slice ORDER BY id
SELECT id FROM slice WHERE NOT ((depth, parent_id) IN (SELECT depth, parent_id FROM slice WHERE id < 3)) ORDER BY id
SELECT id FROM slice WHERE ((depth, parent_id) IN (SELECT depth, parent_id FROM slice WHERE id < 3)) IS NULL OR dur > 90 ORDER BY id
SELECT id FROM slice WHERE dur > 90 OR ((depth, parent_id) IN (SELECT depth, parent_id FROM slice WHERE id < 3) AND dur > 5) ORDER BY id
SELECT coalesce((track_id, parent_id) IN (SELECT track_id, parent_id FROM slice WHERE track_id = 1), -1) AS found, count(*) FROM slice GROUP BY found ORDER BY found
SELECT a.id, b.id FROM slice a JOIN slice b ON a.id < b.id AND (a.depth, b.parent_id) IN (SELECT depth, id FROM slice) ORDER BY 1, 2
SELECT CASE WHEN (1, NULL) IN (SELECT 1, 2) THEN 'in' WHEN NOT (1, NULL) IN (SELECT 2, 2) THEN 'not in' END
-- Mixed types in ranges, lists and subqueries.
SELECT '5' BETWEEN 1 AND 9, 5 BETWEEN '1' AND '9', 'b' BETWEEN 'a' AND 'c'
SELECT id FROM slice WHERE name BETWEEN 1 AND 5 ORDER BY id
SELECT id FROM slice WHERE dur BETWEEN '10' AND '40' ORDER BY id
SELECT id FROM slice WHERE dur NOT BETWEEN 10 AND 40.5 ORDER BY id
SELECT id FROM slice WHERE (SELECT max(tid) FROM thread) BETWEEN dur AND ts ORDER BY id
SELECT tid FROM thread WHERE tid IN (SELECT '100') ORDER BY tid
SELECT tid FROM thread WHERE CAST(tid AS TEXT) IN (SELECT tid FROM thread WHERE tid > 100) ORDER BY tid
SELECT name FROM thread WHERE name IN (SELECT tid FROM thread)
SELECT x'41' = 'A', 'A' = x'41', x'41' > 'Z', x'' > 9, 5 < x'00', x'41' <> 'A', NULL = x'41', x'41' = x'41'
SELECT id FROM slice WHERE name < x'00' ORDER BY id
-- Names.
WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH a AS (SELECT 2 AS x) SELECT a.x FROM a) AS inner, a
WITH a AS (SELECT 1 AS x), b AS (WITH a AS (SELECT 2 AS x) SELECT x + 1 AS y FROM a) SELECT * FROM a, b
WITH a AS (SELECT id FROM slice WHERE id < 2) SELECT id, (WITH a AS (SELECT max(utid) AS m FROM thread) SELECT m FROM a) FROM a ORDER BY id
SELECT -dur AS dur FROM slice ORDER BY dur + 0, id
SELECT -dur AS dur FROM slice ORDER BY dur, id
SELECT id, -dur AS ts FROM slice s ORDER BY abs(ts - 1040), id
-- Numbers.
SELECT 1_000, 1_0.5_0, 1_000 + 1
SELECT id FROM slice ORDER BY id LIMIT '3'
SELECT id FROM slice ORDER BY id LIMIT 2 - 3
SELECT id FROM slice ORDER BY id LIMIT 4 - 1 OFFSET '2'
SELECT s.id, t.utid FROM (slice s JOIN thread t ON 1) WHERE s.id < 2 ORDER BY 1, 2
SELECT s.id, t.utid FROM (slice s LEFT JOIN thread t ON t.utid) WHERE s.id < 2 ORDER BY 1, 2
-- Orders of aggregates.
SELECT group_concat(name, ',' ORDER BY name, utid), group_concat(tid, ',' ORDER BY tid DESC) FROM thread
SELECT track_id, group_concat(id, ' ' ORDER BY dur, id), group_concat(dur, ' ' ORDER BY id DESC), count(*) FROM slice GROUP BY track_id ORDER BY track_id
SELECT group_concat(DISTINCT dur ORDER BY dur) FROM slice
SELECT group_concat(DISTINCT dur ORDER BY dur DESC), group_concat(DISTINCT name ORDER BY name) FROM slice
SELECT group_concat(DISTINCT dur ORDER BY dur) FROM slice WHERE id > 100
SELECT datetime('2024-01-02 03:04:05', 'auto'), datetime(1700000000, 'auto'), date('2024-01-31', 'auto', '+1 day')
SELECT printf('%.2f', 1.555), printf('%.1f', 0.25), printf('%.0f', 2.5), printf('%.2f', 1.005), printf('%.3f', 2.0005), printf('%.2f', 1e15 + 0.125)
-- An alias of a subquery comes before the columns of the queries around it, and after those of its own tables.
SELECT s.ts, (SELECT t.utid + 1 AS ts FROM thread t WHERE ts = 2) FROM slice s
SELECT s.ts, (SELECT count(*) AS ts FROM thread t WHERE utid < 3 HAVING ts = 3) FROM slice s
SELECT s.ts, (SELECT count(*) FROM (SELECT t.utid + 1 AS ts FROM thread t WHERE ts > 1)) FROM slice s
SELECT s.ts, (SELECT ts + 1 AS ts FROM thread t WHERE ts = 1011) FROM slice s
SELECT s.ts, (SELECT t.utid AS dur FROM thread t GROUP BY dur ORDER BY dur DESC) FROM slice s ORDER BY 1
SELECT s.ts, (SELECT t.utid + 5 AS dur FROM thread t ORDER BY dur DESC) FROM slice s ORDER BY 1
SELECT s.ts, (SELECT -t.utid AS dur FROM thread t JOIN process p ON dur = -p.upid ORDER BY dur) FROM slice s ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT t.utid AS dur FROM thread t WHERE EXISTS (SELECT 1 FROM process p WHERE p.upid = dur AND dur = 1))
SELECT s.id FROM slice s WHERE id IN (SELECT t.utid AS dur FROM thread t WHERE dur > 1)
SELECT s.id FROM slice s WHERE id IN (SELECT t.utid AS dur FROM thread t WHERE dur > 1 UNION SELECT upid AS ts FROM process WHERE ts = 0)
SELECT s.id FROM slice s WHERE EXISTS (SELECT dur AS ts, utid AS dur FROM thread WHERE ts = 50) ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT dur AS ts, ts AS dur FROM thread WHERE ts = 50 AND dur = 1000) ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT dur + utid AS ts, utid AS dur FROM thread WHERE ts = 52 AND dur = 2) ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT t.utid AS dur FROM thread t FULL JOIN process p ON dur = p.upid WHERE t.utid = 1 AND p.upid = 1) ORDER BY 1
SELECT s.id FROM slice s WHERE EXISTS (SELECT t.utid AS dur FROM thread t RIGHT JOIN process p ON dur = p.upid WHERE t.utid = 1) ORDER BY 1
-- A table with the name of a column.
SELECT s.id FROM slice s JOIN (SELECT utid AS s FROM thread) t ON t.s = s.id
SELECT s.id, s FROM slice s JOIN (SELECT utid AS s FROM thread) t ON s = s.id
SELECT name.id FROM slice name WHERE name = 'app'
SELECT name.id, name FROM slice name WHERE name.name = 'app'
-- The same where a subquery has the column, and the query around it the table.
SELECT s.id, (SELECT count(*) FROM (SELECT end_state AS s, ts FROM sched) x WHERE s = 'S' AND x.ts >= s.ts) FROM slice s
SELECT s.id FROM slice s WHERE EXISTS (SELECT 1 FROM (SELECT id AS s FROM thread) WHERE s = s.id)
SELECT s.id FROM slice s WHERE EXISTS (SELECT 1 FROM (SELECT id AS s FROM thread) x WHERE x.s = s.depth + 1)
SELECT s.id, (SELECT count(*) FROM (SELECT utid AS s FROM thread) x WHERE x.s >= s.id) FROM slice s ORDER BY s.id
SELECT s.pid FROM process s WHERE s.pid IN (SELECT s.pid FROM (SELECT upid AS s FROM thread) x WHERE x.s = s.upid) ORDER BY s.pid
SELECT s.id FROM slice s WHERE EXISTS (SELECT 1 FROM (SELECT utid AS s FROM thread) x WHERE EXISTS (SELECT 1 FROM counter c WHERE c.ts = s.ts AND x.s = c.track_id)) ORDER BY s.id
SELECT s.id FROM slice s WHERE (SELECT max(s) FROM (SELECT utid AS s FROM thread) WHERE s > s.depth) = 3 AND s.track_id = 0 ORDER BY s.id
-- Row values with calls, and several rows.
SELECT (name, abs(id)) = (SELECT name, id FROM slice WHERE id > 3) FROM slice ORDER BY id
SELECT (SELECT name, id FROM slice WHERE id > 3) < (lower(name), abs(id)) FROM slice ORDER BY id
SELECT id FROM slice WHERE (depth, abs(dur)) = (SELECT s.depth, s.dur FROM slice s JOIN thread t ON t.utid = s.depth ORDER BY s.id DESC) ORDER BY id
SELECT id FROM slice WHERE (depth, abs(dur)) = (SELECT max(depth), 5 FROM slice) ORDER BY id
SELECT id, (lower(name), abs(id)) <> (SELECT p.name, p.id FROM slice p WHERE p.id <= slice.id ORDER BY p.id DESC) FROM slice ORDER BY id
SELECT abs(dur), count(*) FROM slice GROUP BY abs(dur) HAVING (abs(dur), 1) = (SELECT dur, 1 FROM slice ORDER BY id)
SELECT id, (name, id) = (SELECT p.name, p.id FROM slice p ORDER BY p.id DESC) FROM slice ORDER BY id
SELECT id, (name, id) <> (SELECT p.name, p.id FROM slice p WHERE p.id <= slice.id ORDER BY p.id DESC) FROM slice ORDER BY id
SELECT count(*), (max(dur), min(id)) IS (SELECT dur, 0 FROM slice ORDER BY dur DESC) FROM slice
SELECT id FROM slice WHERE (SELECT depth, dur FROM slice ORDER BY dur DESC, id LIMIT 3 OFFSET 1) >= (depth, abs(dur)) ORDER BY id
-- A subquery without a row gives NULLs.
SELECT id, (parent_id, dur) IS (SELECT id, dur FROM slice WHERE id > 100), (parent_id, NULL) IS (SELECT id, dur FROM slice WHERE id > 100) FROM slice ORDER BY id
SELECT id FROM slice WHERE (parent_id, abs(dur)) IS NOT (SELECT p.id, p.dur FROM slice p WHERE p.id > 100 ORDER BY p.id) ORDER BY id
SELECT s.id, t.utid FROM slice s LEFT JOIN thread t ON t.utid = s.depth AND (s.id, abs(s.depth)) IS NOT (SELECT utid, utid FROM thread WHERE utid > 100) ORDER BY s.id
SELECT id, (SELECT p.id, p.dur FROM slice p WHERE p.id = slice.parent_id) IS (parent_id, abs(dur)) FROM slice ORDER BY id
-- Row values with aggregates and window functions.
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) IN (SELECT depth, 4 FROM slice)
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) NOT IN (SELECT depth, 4 FROM slice) ORDER BY depth
SELECT count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) IN (SELECT depth, 4 FROM slice)
SELECT s.depth AS d, count(*) AS n FROM slice s GROUP BY s.depth HAVING (s.depth, count(*)) IN (SELECT depth, 4 FROM slice) ORDER BY 1
SELECT s.depth AS d, count(*) AS n FROM slice s GROUP BY s.depth HAVING (d, n) IN (SELECT depth, 4 FROM slice) ORDER BY 1
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) = (SELECT 1, 4)
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) > (SELECT 0, 4) ORDER BY depth
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) IN (SELECT depth, 4 FROM slice) AND max(dur) > 5 OR depth = 2 ORDER BY 1
SELECT max(dur) FROM slice HAVING (max(dur), 1) IN (SELECT dur, 1 FROM slice)
SELECT depth % 2, count(*) FROM slice GROUP BY depth % 2 HAVING (depth % 2, count(*)) IN (VALUES (1, 4), (0, 1)) ORDER BY 1
SELECT depth, count(*) FROM slice GROUP BY depth HAVING count(*) IN (SELECT utid + 1 FROM thread) ORDER BY 1
SELECT depth, (SELECT count(*) FROM thread WHERE utid = slice.depth) AS c FROM slice GROUP BY depth HAVING c > 0 ORDER BY depth
SELECT (depth, count(*)) = (SELECT 1, 4) FROM slice GROUP BY depth ORDER BY depth
SELECT depth, (depth, max(dur)) < (SELECT 1, 7) FROM slice GROUP BY depth ORDER BY depth
SELECT id, (depth, row_number() OVER (ORDER BY id)) = (SELECT 0, 1) FROM slice ORDER BY id
SELECT id, (depth, abs(dur)) = (SELECT b.depth, b.dur FROM slice b WHERE b.id = slice.id) FROM slice ORDER BY id
SELECT depth, count(*) FROM slice GROUP BY depth HAVING (depth, count(*)) IN (SELECT depth, 4 FROM slice WHERE (id, ts) IN (SELECT id, ts FROM slice WHERE dur > 0)) ORDER BY depth
