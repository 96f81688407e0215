-- Aggregates.
SELECT count(*), count(), count(parent_id), count(DISTINCT name), count(1) FROM slice
SELECT sum(dur), avg(dur), min(dur), max(dur), total(dur) FROM slice
SELECT sum(value), avg(value), min(value), max(value), total(value) FROM counter
SELECT sum(dur), avg(dur), min(dur), max(dur), total(dur), count(*), group_concat(name) FROM slice WHERE 0
SELECT sum(parent_id), avg(parent_id), total(NULL), sum(NULL), max(NULL), avg(NULL), count(NULL) FROM slice
SELECT typeof(sum(dur)), typeof(avg(dur)), typeof(total(dur)), typeof(sum(value)), typeof(max(name)) FROM slice JOIN counter USING (id)
SELECT min(name), max(name), count(name) FROM slice
SELECT sum(dur) / count(*), sum(dur) * 1.0 / count(*), 100 * sum(dur) / (SELECT sum(dur) FROM slice) FROM slice
SELECT sum(dur / 1e6), sum(dur) / 1e6, sum(iif(dur > 10, 1, 0)), sum(CASE WHEN dur > 10 THEN 1 END) FROM slice
SELECT name, count(*), sum(dur) FROM slice GROUP BY name ORDER BY name
SELECT name AS n, count(*) AS c FROM slice GROUP BY n ORDER BY c DESC, n
SELECT name, count(*) FROM slice GROUP BY 1 ORDER BY 2 DESC, 1
SELECT track_id, depth, count(*) FROM slice GROUP BY 1, 2 ORDER BY 1, 2
SELECT substr(name, 1, 1) AS initial, count(*) FROM slice GROUP BY initial ORDER BY initial
SELECT upper(name), count(*) FROM slice GROUP BY upper(name) ORDER BY 1
SELECT count(*) FROM slice GROUP BY name ORDER BY name
SELECT name FROM slice GROUP BY name ORDER BY count(*) DESC, name
SELECT name FROM slice GROUP BY name ORDER BY max(dur) DESC, name LIMIT 2
SELECT name, sum(dur) AS total FROM slice GROUP BY name HAVING total > 50 ORDER BY total
SELECT name, sum(dur) AS s FROM slice GROUP BY name HAVING s > 10 AND count(*) > 1 ORDER BY s
SELECT name, avg(dur) FROM slice GROUP BY name HAVING avg(dur) > 20 ORDER BY name
SELECT count(*) FROM slice HAVING count(*) > 5
SELECT max(c) FROM (SELECT count(*) AS c FROM slice GROUP BY name)
SELECT track_id, max(dur) - min(dur), sum(dur) + count(*) FROM slice GROUP BY track_id ORDER BY track_id
SELECT dur / 10 AS bucket, count(*) FROM slice GROUP BY bucket ORDER BY bucket
SELECT dur / 10 * 10 AS bucket, count(*) FROM slice GROUP BY dur / 10 ORDER BY bucket
SELECT CASE WHEN dur < 10 THEN 'short' WHEN dur < 50 THEN 'mid' ELSE 'long' END AS class, count(*) FROM slice GROUP BY class ORDER BY class
SELECT max(ts + dur) - min(ts) FROM slice
SELECT count(*) FILTER (WHERE dur > 10), sum(dur) FILTER (WHERE name = 'app'), count(*) FROM slice
SELECT name, count(*) FILTER (WHERE depth = 0) FROM slice GROUP BY name ORDER BY name
SELECT count(DISTINCT name || depth), count(DISTINCT track_id + depth) FROM slice
SELECT count(DISTINCT CASE WHEN dur > 10 THEN name END) FROM slice
SELECT max(length(name)), min(length(name)), sum(length(name)) FROM slice
-- GROUP_CONCAT.
SELECT group_concat(name) FROM (SELECT name FROM slice ORDER BY id)
SELECT group_concat(name, '; ') FROM (SELECT name FROM slice ORDER BY name DESC)
SELECT group_concat(dur, '+') FROM (SELECT dur FROM slice ORDER BY dur)
SELECT track_id, group_concat(name, ',') FROM (SELECT track_id, name FROM slice ORDER BY track_id, id) GROUP BY track_id ORDER BY track_id
SELECT track_id, group_concat(name, ',' ORDER BY dur DESC, id) FROM slice GROUP BY track_id ORDER BY track_id
SELECT group_concat(name ORDER BY id) FROM slice
SELECT group_concat(name, id) FROM (SELECT * FROM slice ORDER BY id)
SELECT group_concat(dur, depth * 0.5 ORDER BY id DESC) FROM slice
SELECT group_concat(id, name ORDER BY id), group_concat(name, nullif(depth, 1) ORDER BY dur, id) FROM slice
SELECT track_id, group_concat(name, '<' || id || '>' ORDER BY id DESC) FILTER (WHERE dur <> 0) FROM slice GROUP BY track_id ORDER BY track_id
SELECT depth, group_concat(parent_id, track_id ORDER BY -id) FROM slice GROUP BY depth ORDER BY depth
SELECT group_concat(name, id ORDER BY id) FROM slice WHERE id > 100
SELECT s.id, (SELECT group_concat(t.id, '<' || s.id || '>' ORDER BY t.id DESC) FROM slice t WHERE t.id <= s.id) FROM slice s ORDER BY s.id
SELECT s.id, (SELECT group_concat(t.id, t.depth ORDER BY t.id DESC) FROM slice t WHERE t.track_id = s.track_id) FROM slice s ORDER BY s.id
SELECT name, group_concat(id, ' ' ORDER BY parent_id, depth DESC, id DESC) FROM slice GROUP BY name ORDER BY name
SELECT string_agg(name, '-' ORDER BY id) FROM slice
SELECT group_concat(value, ' ') FROM (SELECT value FROM counter ORDER BY id)
SELECT group_concat(name || ':' || dur, ', ') FROM (SELECT name, dur FROM slice WHERE name IS NOT NULL ORDER BY id)
SELECT group_concat(name, '') FROM (SELECT name FROM slice ORDER BY id)
SELECT length(group_concat(name)) FROM slice
SELECT group_concat(column1) FROM (VALUES ('b'), ('a'))
SELECT group_concat(name, '>') FROM (SELECT name FROM slice WHERE name IS NOT NULL ORDER BY dur, id)
WITH ordered AS (SELECT name FROM slice WHERE name IS NOT NULL ORDER BY dur, id) SELECT group_concat(name, '>') FROM ordered
SELECT group_concat(n) FROM (SELECT 2 AS n UNION ALL SELECT 1 UNION ALL SELECT 3 ORDER BY n)
SELECT track_id, group_concat(id) FROM (SELECT id, track_id FROM slice ORDER BY -dur, id) GROUP BY track_id ORDER BY track_id
SELECT name, group_concat(id) FROM (SELECT * FROM slice ORDER BY id DESC) GROUP BY name ORDER BY name
-- TOTAL.
SELECT total(dur), total(parent_id), total(value), typeof(total(dur)) FROM slice LEFT JOIN counter USING (id)
SELECT total(dur) FROM slice WHERE 0
SELECT track_id, total(dur) FROM slice GROUP BY track_id HAVING total(dur) > 40.5 ORDER BY total(dur)
SELECT id, total(dur) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT total(dur) FILTER (WHERE dur > 10), total(DISTINCT depth) FROM slice
-- Columns outside GROUP BY.
SELECT name, max(dur) FROM slice
SELECT name, min(dur), ts FROM slice
SELECT id, name, max(ts) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id, name, max(dur) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id, name, ts, min(dur) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id, name || '!' AS n, max(dur) AS m FROM slice GROUP BY track_id ORDER BY m
SELECT s.track_id, t.name, max(s.dur), s.name FROM slice s JOIN thread t ON s.track_id = t.utid GROUP BY s.track_id ORDER BY 1
SELECT tid, thread.name, count(*) FROM sched JOIN thread USING (utid) GROUP BY utid ORDER BY utid
SELECT t.name, sum(s.dur) AS total FROM sched s JOIN thread t USING (utid) GROUP BY s.utid ORDER BY total DESC
SELECT upid, p.name, count(*) FROM thread JOIN process p USING (upid) GROUP BY upid ORDER BY upid
SELECT name, count(*) FROM slice GROUP BY track_id, depth HAVING max(dur) >= 0 AND min(depth) = 1 ORDER BY track_id
SELECT track_id, CASE WHEN depth = 0 THEN 'root' ELSE 'child' END, min(ts) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id + 1, count(*), max(id), name FROM slice GROUP BY track_id ORDER BY track_id
SELECT max(dur), name FROM slice GROUP BY depth ORDER BY depth
SELECT depth, max(dur), name FROM slice WHERE dur > 0 GROUP BY depth HAVING name <> 'nothing' ORDER BY depth
SELECT name, id FROM slice WHERE name IS NOT NULL GROUP BY name HAVING max(ts) ORDER BY name
SELECT ts, name FROM slice GROUP BY name HAVING min(ts) = ts ORDER BY name
SELECT name, max(slice.dur), dur, slice.id FROM slice GROUP BY name ORDER BY name
SELECT *, count(*) FROM (SELECT track_id, max(id) AS m FROM slice GROUP BY track_id) GROUP BY track_id ORDER BY track_id
SELECT name, max(dur) AS dur FROM slice GROUP BY name ORDER BY name
SELECT name, sum(dur) AS dur FROM slice GROUP BY name ORDER BY dur DESC, name
SELECT max(ts) AS ts, name FROM slice
SELECT iif(max(dur) > 60, name, 'short'), track_id FROM slice GROUP BY track_id ORDER BY track_id
SELECT thread.utid, thread.name, max(sched.ts) FROM thread LEFT JOIN sched ON sched.utid = thread.utid GROUP BY thread.utid ORDER BY 1
SELECT DISTINCT track_id, max(dur) FROM slice GROUP BY track_id ORDER BY 1
-- `*` beside an aggregate or GROUP BY.
SELECT *, max(dur) FROM (SELECT id, name, dur FROM slice)
SELECT *, depth + 1 AS d FROM (SELECT id, depth FROM slice) GROUP BY id ORDER BY id
SELECT *, min(dur) AS least FROM (SELECT id, track_id, dur FROM slice WHERE dur > 0) GROUP BY track_id ORDER BY track_id
SELECT max(dur) AS dur, * FROM (SELECT id, track_id, dur FROM slice) GROUP BY track_id ORDER BY dur DESC
SELECT *, max(dur) AS dur FROM (SELECT id, track_id, dur FROM slice) GROUP BY track_id ORDER BY track_id
SELECT s.*, max(s.dur) FROM (SELECT id, track_id, dur FROM slice) s GROUP BY s.track_id ORDER BY s.track_id
SELECT a.*, b.id, max(b.dur) FROM (SELECT id, track_id FROM slice WHERE depth = 0) a JOIN (SELECT id, track_id, dur FROM slice) b ON a.track_id = b.track_id GROUP BY a.id ORDER BY a.id
SELECT *, max(ts) FROM (SELECT id, track_id FROM slice) JOIN (SELECT id, ts FROM slice) USING (id) GROUP BY 2 ORDER BY 2
-- In HAVING a column comes before an alias.
SELECT track_id, max(dur) AS dur FROM slice GROUP BY track_id HAVING dur > 40 ORDER BY track_id
SELECT track_id, -max(dur) AS dur FROM slice GROUP BY track_id HAVING dur > 40 ORDER BY track_id
SELECT track_id, min(dur) AS dur FROM slice WHERE dur > 0 GROUP BY track_id HAVING dur > 5 ORDER BY track_id
SELECT id, sum(dur) - 10 AS dur FROM slice GROUP BY id HAVING dur > 10 ORDER BY id
SELECT track_id, sum(dur) AS total FROM slice GROUP BY track_id HAVING total > 60 ORDER BY track_id
SELECT depth AS k, max(dur) AS depth FROM slice GROUP BY depth HAVING depth > 0 ORDER BY k
-- A key of one table is none of what it is joined with.
SELECT count(*), sum(n) FROM (SELECT k, v, sum(c) AS n FROM (SELECT a.k, b.v, count(*) AS c FROM (SELECT depth AS k, count(*) FROM slice GROUP BY depth) AS a JOIN (SELECT depth, track_id AS v FROM slice) AS b ON a.k = b.depth GROUP BY a.k, b.v) GROUP BY k, v)
SELECT a.k, b.v, count(*) AS c FROM (SELECT depth AS k, count(*) FROM slice GROUP BY depth) AS a JOIN (SELECT depth, name AS v FROM slice) AS b ON a.k = b.depth GROUP BY a.k, b.v ORDER BY a.k, b.v DESC
SELECT s.id, t.name, c.value, count(*) FROM slice AS s JOIN thread AS t ON t.utid = s.track_id JOIN counter AS c ON c.ts > s.ts GROUP BY s.id, t.name, c.value ORDER BY s.id, c.value DESC
SELECT count(*), count(DISTINCT k) FROM (SELECT k, max(c) FROM (SELECT a.k, b.v, count(*) AS c FROM (SELECT depth AS k, count(*) FROM slice GROUP BY depth) AS a JOIN (SELECT depth, track_id AS v FROM slice) AS b ON a.k = b.depth GROUP BY a.k, b.v ORDER BY a.k) GROUP BY k)
SELECT count(*), count(DISTINCT k) FROM (SELECT k, max(c) FROM (SELECT a.k, b.v, count(*) AS c FROM (SELECT depth AS k, count(*) FROM slice GROUP BY depth) AS a JOIN (SELECT depth, track_id AS v FROM slice) AS b ON a.k = b.depth GROUP BY a.k, b.v ORDER BY abs(k) + b.v, count(a.k) LIMIT 100) GROUP BY k)
SELECT * FROM (SELECT a.depth, b.depth, count(*) FROM slice a JOIN slice b ON a.id = b.id GROUP BY a.depth, b.depth) ORDER BY 1
SELECT id, max(dur) FILTER (WHERE depth = 1) FROM slice
SELECT track_id, id, min(dur) FILTER (WHERE depth > 0) FROM slice WHERE track_id < 2 GROUP BY track_id ORDER BY track_id
