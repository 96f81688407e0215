-- Statements that combine many clauses, and functions at the edges of what they take.
SELECT s.id, t.name, p.name FROM slice s JOIN thread t ON t.utid = s.track_id LEFT JOIN process p USING (upid) WHERE upid IS NOT NULL ORDER BY s.id
SELECT track_id, utid, count(*) FROM slice LEFT JOIN thread ON track_id = utid LEFT JOIN sched USING (utid) GROUP BY track_id, utid ORDER BY 1, 2
SELECT utid, count(*), sum(s.dur) FROM thread JOIN sched s USING (utid) LEFT JOIN process p USING (upid) GROUP BY utid HAVING count(p.pid) > 0 ORDER BY utid
SELECT * FROM (SELECT utid, tid FROM thread) NATURAL JOIN (SELECT utid, cpu FROM sched) NATURAL LEFT JOIN (SELECT upid AS cpu, pid FROM process) ORDER BY utid, cpu
SELECT a.id, b.id, c.id FROM slice a LEFT JOIN slice b ON b.parent_id = a.id LEFT JOIN slice c ON c.parent_id = b.id AND c.dur > 3 WHERE a.depth = 0 ORDER BY 1, 2, 3
SELECT a.id FROM slice a WHERE NOT EXISTS (SELECT 1 FROM slice b LEFT JOIN thread t ON t.utid = b.track_id WHERE b.parent_id = a.id AND t.name IS NULL) ORDER BY a.id
SELECT id FROM slice WHERE parent_id NOT IN (SELECT parent_id FROM slice WHERE depth = 1) ORDER BY id
SELECT id, parent_id NOT IN (0, NULL), parent_id IN (0, NULL), NULL IN (SELECT 1 WHERE 0), NULL NOT IN (SELECT 1 WHERE 0) FROM slice ORDER BY id
SELECT id FROM slice s WHERE id IN (SELECT parent_id FROM slice c WHERE c.track_id = s.track_id EXCEPT SELECT 3) ORDER BY id
SELECT id, name IN (SELECT name FROM thread), name NOT IN (SELECT name FROM thread WHERE name IS NOT NULL) FROM slice ORDER BY id
SELECT id, (SELECT max(b.id) FROM slice b WHERE b.track_id = a.track_id AND b.id < a.id) AS p FROM slice a ORDER BY p IS NULL, p DESC, id LIMIT 4
SELECT id FROM slice a WHERE dur > (SELECT avg(dur) FROM slice b WHERE b.track_id = a.track_id AND b.name IS NOT a.name) ORDER BY id
SELECT id, dur, sum(dur) OVER (PARTITION BY name ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), count(name) OVER (PARTITION BY name) FROM slice ORDER BY id
SELECT id, avg(parent_id) OVER (ORDER BY parent_id RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY parent_id DESC NULLS FIRST RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT id, dense_rank() OVER (ORDER BY name), percent_rank() OVER (ORDER BY name), cume_dist() OVER (ORDER BY name NULLS LAST), ntile(3) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, last_value(name) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), nth_value(name, 2) OVER (PARTITION BY track_id ORDER BY ts) FROM slice ORDER BY id
SELECT id, lag(name, 2, '-') OVER w, lead(dur, 1, -1) OVER w, first_value(parent_id) OVER (PARTITION BY track_id ORDER BY parent_id NULLS LAST) FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY ts) ORDER BY id
SELECT track_id, sum(sum(dur)) OVER (ORDER BY track_id), max(count(*)) OVER () FROM slice GROUP BY track_id ORDER BY track_id
SELECT id, sum(value) OVER (ORDER BY ts GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP), total(value) FILTER (WHERE value > 0) OVER (ORDER BY ts) FROM counter ORDER BY id
SELECT 1 < 'a', 1.5 < x'00', 'z' < x'', NULL < x'00', 10 < '9', 10 > '9'
SELECT x'6162' = 'ab', x'6162' > 'ab', CAST(x'6162' AS TEXT) = 'ab', typeof(x'61' || x'62'), x'61' || x'62' = 'ab'
SELECT id, value = track_id, value > '0', value IN ('1', 2.5, '100.0') FROM counter ORDER BY id
SELECT id, int_value = '7', string_value = 7, string_value > 7, real_value < '1' FROM args ORDER BY id
SELECT max(name), min(name), max(dur), min(value_type) FROM slice, args WHERE slice.id = args.id
SELECT depth, name, max(dur) FROM slice GROUP BY depth ORDER BY depth
SELECT name, dur FROM slice WHERE id < 3 UNION SELECT name, tid FROM thread ORDER BY 2 DESC, 1 LIMIT 5
SELECT track_id FROM slice EXCEPT SELECT utid FROM thread WHERE upid = 0 UNION ALL SELECT upid FROM process ORDER BY 1 DESC LIMIT 2 OFFSET 1
SELECT name FROM slice INTERSECT SELECT name FROM thread UNION SELECT NULL ORDER BY name
SELECT id, dur FROM (SELECT id, dur FROM slice ORDER BY dur DESC LIMIT 4) UNION ALL SELECT id, ts FROM counter WHERE value < 0 ORDER BY dur, id
SELECT * FROM (SELECT id FROM slice ORDER BY id DESC LIMIT 2) UNION SELECT * FROM (SELECT utid FROM thread ORDER BY utid LIMIT 2) ORDER BY 1
SELECT dur / 10 AS bucket, count(*), sum(dur) FROM slice GROUP BY bucket HAVING sum(dur) > 0 ORDER BY bucket DESC
SELECT substr(name, 1, 3) AS p, count(DISTINCT track_id) FROM slice GROUP BY 1 ORDER BY 2 DESC, 1
SELECT upper(name) AS name, count(*) FROM slice GROUP BY name ORDER BY 1
SELECT depth % 2 = 0 AS even, group_concat(id, ';') FROM (SELECT * FROM slice ORDER BY id) GROUP BY even ORDER BY even
SELECT CASE WHEN dur > 10 THEN 'long' WHEN dur > 0 THEN 'short' END AS k, count(*), total(dur) FROM slice GROUP BY k ORDER BY k
SELECT count(*), max(dur) FROM slice HAVING max(dur) > 50
SELECT sum(dur) FROM slice WHERE id > 100 HAVING count(*) = 0
SELECT count(DISTINCT name), count(DISTINCT parent_id), sum(DISTINCT depth), avg(DISTINCT depth), total(DISTINCT dur), max(DISTINCT dur) FROM slice
SELECT track_id, count(DISTINCT name) FILTER (WHERE dur > 5), sum(dur) FILTER (WHERE name LIKE 'r%') FROM slice GROUP BY track_id ORDER BY 1
SELECT id, CASE depth WHEN '0' THEN 'a' WHEN 1.0 THEN 'b' ELSE 'c' END, CASE WHEN parent_id THEN 1 ELSE 0 END, CASE name WHEN NULL THEN 1 ELSE 2 END FROM slice ORDER BY id
SELECT CASE CAST(1 AS TEXT) WHEN 1 THEN 'eq' ELSE 'ne' END, CASE 1 WHEN '1' THEN 'eq' ELSE 'ne' END, CASE '1' WHEN 1 THEN 'eq' ELSE 'ne' END
SELECT CAST(9.99e18 AS INTEGER), CAST(-9.99e18 AS INTEGER), CAST('9223372036854775808' AS INTEGER), CAST(-0.9 AS INTEGER), CAST(1e20 AS TEXT), CAST(100.0 AS TEXT), CAST(NULL AS TEXT)
SELECT CAST(x'313233' AS INTEGER), CAST(x'312e35' AS REAL), CAST(12 AS BLOB) = x'3132', typeof(CAST('a' AS BLOB)), length(CAST('é' AS BLOB))
SELECT 'abc' LIKE 'A_C', 'abc' LIKE '%', '' LIKE '%', '' LIKE '_', 'a%c' LIKE 'a\%c' ESCAPE '\', 'abc' LIKE 'a\%c' ESCAPE '\', NULL LIKE '%', 'abc' LIKE NULL
SELECT 'abc' GLOB 'a*', 'abc' GLOB 'A*', 'a]c' GLOB 'a[]]c', 'abc' GLOB 'a[^b]c', 'a-c' GLOB 'a[a-]c', 'abc' GLOB '[a-c][a-c][!a]', '*' GLOB '[*]', '' GLOB '', 'abc' GLOB '???'
SELECT id FROM slice WHERE name GLOB '*[0-9]*' OR name LIKE '%_s%' ORDER BY id
SELECT printf('%d', '12abc'), printf('%d', 3.99), printf('%s', 1.0), printf('%f', '1.5x'), printf('%d'), printf('%s', NULL), printf('%,d', 1234567), printf('%!.3s', 'héé')
SELECT substr('hello', 0), substr('hello', -3), substr('hello', -3, 2), substr('hello', 2, -1), substr('hello', 0, 2), substr('hello', 10), substr('hello', -10, 7), substr('héllo', 2, 1), substr(12345, 2, 3), substr(NULL, 1), substr('abc', 1, NULL)
SELECT instr('hello', 'l'), instr('hello', ''), instr('', 'a'), instr(NULL, 'a'), instr('héllo', 'l'), instr(12345, 34), instr(x'010203', x'02'), instr('abc', 'C')
SELECT replace('aaa', 'a', 'ba'), replace('abc', '', 'x'), replace('abc', 'b', ''), replace('abc', 'B', 'x'), replace(NULL, 'a', 'b'), replace(1213, 1, 'x'), replace('abc', 'b', NULL)
SELECT length('héé'), length(x'0102'), length(123), length(1.5), length(NULL), upper('straße'), lower('ÄB'), hex('é'), hex(12), hex(NULL), unicode('é'), char(104, 233), unicode(''), quote('it''s'), quote(x'01'), quote(1.5), quote(NULL)
SELECT id, coalesce(name, 'none') || ':' || dur, name || NULL, ifnull(nullif(depth, 0), 'root') = 'root' FROM slice ORDER BY id
SELECT round(2.5), round(-2.5), round(1.25, 1), round(1e15 + 0.5), round('3.7'), round(NULL), round(5), abs(-3), abs('-3.5'), abs(NULL), sign(-2.5), typeof(round(5))
SELECT 7 / 2, -7 / 2, 7 % -3, -7 % 3, 7.5 % 2, 1 / 0, 1.0 / 0, 5 % 0, '7' / 2, 1 << 62, 1 << 64, -1 >> 1, ~5, 5 & '3', 6 | 1.9
SELECT id FROM slice WHERE (depth, track_id) IN (SELECT depth, utid FROM sched JOIN slice s USING (ts)) ORDER BY id
SELECT id FROM slice WHERE (track_id, depth) > (1, 0) ORDER BY id
SELECT DISTINCT depth, name IS NULL FROM slice ORDER BY 2 DESC, 1 LIMIT 3
SELECT id, iif(dur > 10, name, NULL) IS NULL, name IS NOT DISTINCT FROM NULL, dur BETWEEN 5 AND 20, NOT dur BETWEEN 5 AND 20 AND depth FROM slice ORDER BY id
WITH RECURSIVE up(id, root, n) AS (SELECT id, id, 0 FROM slice WHERE parent_id IS NULL UNION ALL SELECT s.id, up.root, n + 1 FROM slice s JOIN up ON s.parent_id = up.id) SELECT root, count(*), max(n) FROM up GROUP BY root ORDER BY root
WITH a AS (SELECT track_id, count(*) AS n FROM slice GROUP BY 1), b AS (SELECT *, rank() OVER (ORDER BY n DESC) AS r FROM a) SELECT b.track_id, b.n, t.name FROM b LEFT JOIN thread t ON t.utid = b.track_id WHERE r <= 2 ORDER BY b.track_id
SELECT s.id, t.utid, (SELECT count(*) FROM counter c WHERE c.track_id = t.utid AND c.ts >= s.ts) FROM slice s JOIN thread t ON t.utid = s.track_id WHERE EXISTS (SELECT 1 FROM sched x WHERE x.utid = t.utid AND x.ts + x.dur > s.ts) ORDER BY s.id
SELECT date(0, 'unixepoch'), datetime(1700000000, 'unixepoch'), strftime('%Y-%m', 86400, 'unixepoch'), date('2024-02-29', '+1 year'), julianday('2000-01-01'), date('nonsense')
SELECT id, nth_value(id, 1 + 1) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) FROM slice ORDER BY id
SELECT d, n FROM (SELECT a.depth % 2 AS d, count(*) AS n FROM slice a GROUP BY 1) WHERE (SELECT count(*) FROM slice b WHERE b.depth % 2 = d) > 4
SELECT s.name, t.name, p.name, c.value FROM slice s LEFT JOIN thread t ON t.utid = s.track_id LEFT JOIN process p ON p.upid = t.upid LEFT JOIN counter c ON c.track_id = s.track_id AND c.ts BETWEEN s.ts AND s.ts + s.dur ORDER BY s.id, c.ts
SELECT * FROM (SELECT 1 AS a, 2 AS b) NATURAL JOIN (SELECT 1 AS a, 3 AS c) NATURAL JOIN (SELECT 3 AS c, 4 AS d)
SELECT * FROM (SELECT 1 AS a, 2 AS b) NATURAL JOIN (SELECT 5 AS c)
SELECT a.id, b.id FROM slice a, slice b WHERE a.parent_id = b.id AND b.name = a.name OR a.id = b.id AND a.depth > 1 ORDER BY 1, 2
SELECT a.id FROM slice a LEFT JOIN slice b ON a.id = b.parent_id WHERE b.id IS NULL AND a.name IS NOT NULL ORDER BY a.id
SELECT a.track_id, b.utid FROM (SELECT DISTINCT track_id FROM slice) a CROSS JOIN (SELECT utid FROM thread) b WHERE a.track_id <> b.utid ORDER BY 1 DESC, 2
SELECT count(*) FROM slice a JOIN slice b USING (track_id, depth) JOIN slice c USING (track_id)
SELECT id, sum(dur) OVER (ORDER BY ts RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING), count(*) OVER (ORDER BY name RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT id, min(name) OVER (PARTITION BY depth ORDER BY id DESC), max(parent_id) OVER (PARTITION BY track_id, depth), group_concat(depth) OVER (ORDER BY id ROWS 2 PRECEDING) FROM slice ORDER BY id
SELECT id FROM slice ORDER BY row_number() OVER (PARTITION BY depth ORDER BY dur DESC), id LIMIT 4
SELECT depth, count(*) AS n, rank() OVER (ORDER BY count(*) DESC, depth) FROM slice GROUP BY depth ORDER BY n, depth
SELECT name, n FROM (SELECT name, count(*) OVER (PARTITION BY name) AS n, row_number() OVER (PARTITION BY name ORDER BY id) AS r FROM slice) WHERE r = 1 ORDER BY n DESC, name
SELECT id, sum(CASE WHEN name IS NULL THEN 1 ELSE 0 END) OVER (ORDER BY ts) AS g FROM slice ORDER BY id
SELECT avg(dur), sum(dur) / count(*), sum(dur) * 1.0 / count(*), total(dur) / count(*) FROM slice WHERE id > 2
SELECT sum(value), avg(value), sum(track_id), total(NULL), sum(NULL), count(NULL), max(NULL), group_concat(NULL), avg(NULL) FROM counter
SELECT track_id, max(value), ts FROM counter GROUP BY track_id ORDER BY track_id
SELECT depth, min(dur), name, id FROM slice WHERE dur > 0 GROUP BY depth ORDER BY depth
SELECT track_id || '/' || depth AS k, sum(dur) FROM slice GROUP BY track_id || '/' || depth HAVING k > '0/1' ORDER BY k
SELECT name FROM slice GROUP BY name HAVING count(*) > 1 AND min(dur) < max(dur) ORDER BY max(id) DESC
SELECT dur > 10, dur > 20, count(*) FROM slice GROUP BY 1, dur > 20 ORDER BY 1, 2
SELECT DISTINCT name FROM slice WHERE name LIKE '%e%' ORDER BY length(name), name DESC
SELECT id FROM slice ORDER BY name COLLATE NOCASE DESC, dur LIMIT 5 OFFSET 2
SELECT name FROM thread UNION ALL SELECT name FROM process ORDER BY name COLLATE NOCASE, 1
SELECT id, dur FROM slice ORDER BY -dur, +id LIMIT -1 OFFSET 7
SELECT id FROM slice ORDER BY dur IN (0, 20), depth = 1 DESC, id
SELECT (SELECT name FROM slice WHERE id = 99), (SELECT name FROM slice ORDER BY id DESC), EXISTS (SELECT NULL), NOT EXISTS (SELECT 1 WHERE NULL)
SELECT id, (SELECT count(*) FROM slice b WHERE b.ts < a.ts AND (b.name = a.name OR a.name IS NULL)) FROM slice a ORDER BY 2 DESC, 1
SELECT t.utid, (SELECT s.name FROM slice s WHERE s.track_id = t.utid ORDER BY s.dur DESC, s.id LIMIT 1), (SELECT sum(x.dur) FROM sched x WHERE x.utid = t.utid AND x.end_state <> 'S') FROM thread t ORDER BY t.utid
SELECT utid FROM thread t WHERE utid NOT IN (SELECT s.utid FROM sched s WHERE s.utid = t.utid OR s.end_state IS NULL) ORDER BY utid
SELECT id FROM slice a WHERE (SELECT count(*) FROM slice b WHERE b.parent_id = a.id) = (SELECT max(n) FROM (SELECT count(*) AS n FROM slice GROUP BY parent_id HAVING parent_id IS NOT NULL)) ORDER BY id
SELECT id, string_value + 0.0, string_value || 1, -string_value IS NULL, CAST(string_value AS INTEGER) FROM args ORDER BY id
SELECT typeof(1 + '1.0'), typeof(1 || 1), typeof(1 / 2), typeof(1 / 2.0), typeof(NULL + 1), typeof(sum(dur)), typeof(avg(dur)), typeof(total(dur)), typeof(x'') FROM slice
SELECT '1' = 1, '1' = 1.0, 1 = 1.0, 'a' = 'A', 'a' < 'B', NULL = NULL, NULL IS NULL, 0 = '', '' = x'', 2 = '2 '
SELECT 'ab' GLOB 'a?', 'a?' GLOB 'a[?]', 'a' GLOB '[^a]', 'b' GLOB '[^a]', '-' GLOB '[a-]', 'a' GLOB '[', '[' GLOB '[[]', 'ab' GLOB '*b', 'é' GLOB '?', 12 GLOB '1*', NULL GLOB '*'
SELECT instr(NULL, NULL), instr('aXbX', 'X'), replace('a.b.c', '.', ''), replace('', '', 'x'), trim('', ' '), rtrim('abc  '), ltrim('  '), upper(NULL), lower(12), length(''), char(), hex(''), hex('abc')
SELECT printf('%s %d', name, dur), printf('%08.3f', dur / 3.0), printf('%-8s|', depth), printf('%lld', ts) FROM slice WHERE name IS NOT NULL ORDER BY id
SELECT strftime('%s', '1970-01-02'), time(3661, 'unixepoch'), datetime('2024-03-10 12:34:56', '-1 day', 'start of month'), date('2024-12-31', 'weekday 0'), strftime('%j %w %H:%M:%f', '2024-02-01 01:02:03.456'), julianday(NULL), date('2024-13-01')
SELECT total(x), sum(x), count(*) FROM (SELECT CASE id % 3 WHEN 0 THEN dur WHEN 1 THEN value ELSE NULL END AS x FROM (SELECT s.id, s.dur, c.value FROM slice s LEFT JOIN counter c USING (id)))
WITH t(a, b) AS (VALUES (1, 'x'), (2, NULL), (NULL, 'y')) SELECT a, b, a IS b, a = 1 OR b = 'y', a IN (1, 2) AND b NOT IN ('z') FROM t ORDER BY a DESC, b
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6) SELECT i, i % 2 = 0, (SELECT count(*) FROM slice WHERE depth < i), sum(i) OVER (ORDER BY i ROWS 1 PRECEDING) FROM n WHERE i NOT IN (SELECT utid FROM thread) ORDER BY i DESC
WITH RECURSIVE path(id, p) AS (SELECT id, coalesce(name, '?') FROM slice WHERE parent_id IS NULL UNION SELECT s.id, path.p || '>' || coalesce(s.name, '?') FROM path JOIN slice s ON s.parent_id = path.id) SELECT id, p FROM path ORDER BY p, id
SELECT x.d, y.n FROM (SELECT DISTINCT depth AS d FROM slice) x LEFT JOIN (SELECT depth AS d, count(*) AS n FROM slice WHERE dur > 10 GROUP BY depth) y ON x.d = y.d AND y.n > 1 ORDER BY x.d
SELECT s.id, x.cpu, s.ts - x.ts AS at FROM slice s JOIN sched x ON s.ts >= x.ts AND s.ts < x.ts + x.dur AND x.utid = s.track_id ORDER BY s.id, at
SELECT id, dur FROM slice WHERE dur = (SELECT max(dur) FROM slice) OR dur = (SELECT min(dur) FROM slice WHERE dur >= 0) ORDER BY dur, id
SELECT id, ts, (SELECT ts FROM slice n WHERE n.track_id = s.track_id AND n.ts > s.ts ORDER BY n.ts LIMIT 1) - ts AS gap FROM slice s ORDER BY gap IS NULL, gap, id
SELECT id FROM slice WHERE name = 'render' IS NULL OR NOT name = 'app' AND dur ORDER BY id
SELECT id FROM slice WHERE 'x' || depth = 'x1' OR depth = '0' AND dur = 50.0 ORDER BY id
SELECT depth, (SELECT group_concat(id) FROM (SELECT id FROM slice b WHERE b.depth = a.depth ORDER BY id DESC)) FROM slice a GROUP BY depth ORDER BY depth
SELECT sum(n) FROM (SELECT count(*) AS n FROM slice GROUP BY track_id UNION ALL SELECT count(*) FROM sched GROUP BY cpu UNION SELECT 4)
SELECT CAST('12abc' AS INTEGER), CAST(' -7.9 ' AS INTEGER), CAST('1e3' AS INTEGER), CAST('1e3' AS REAL), CAST('' AS INTEGER), CAST('.5' AS REAL), CAST('0x10' AS INTEGER)
SELECT 10 LIKE '1%', 1.5 LIKE '1._', 'É' LIKE 'é', 'ab' LIKE 'abc', 'a_b' LIKE 'a__b'
SELECT printf('%5d|%-5d|%05d|%+d|%x|%X|%o', 42, 42, 42, 42, 255, 255, 8), printf('%s|%10s|%-10s|%.2s', 'abc', 'abc', 'abc', 'abc'), printf('%%|%c|%q|%Q', 'xyz', 'it''s', NULL)
SELECT trim('  a b '), ltrim('xxabxx', 'x'), rtrim('xxabxx', 'x'), trim('xyxaxyx', 'xy'), trim('abc', ''), trim(NULL), trim(12321, 1)
SELECT nullif(1, '1'), nullif('a', 'A'), ifnull(NULL, NULL), coalesce(NULL, NULL, 3), min('a', 'B', 'c'), min(NULL, 1), iif(NULL, 1, 2), iif('0', 1, 2), iif('1x', 1, 2)
SELECT substr('abc', -1, -2), substr('abc', 4, -2), substr('abc', 1.9, 1), substr('abc', '2'), substr(x'010203', 2, 1) = x'02', substring('abc', 2), substr('', 1, 5)
SELECT 'abc' LIKE 'ABC', 'abc' LIKE '%B%', 'aXb' LIKE 'a_b', 'a' LIKE 'a%%', '%' LIKE '\%' ESCAPE '\', '_a' LIKE '!_a' ESCAPE '!', 'é' LIKE '_', 5 LIKE 5.0
SELECT 'a' || 1.0 || NULL IS NULL, 1e100 || '', 1.0 || '', -0.0 || '', 123456789012345678 || '', 0.00001 || ''
-- Joins, windows, groups and subqueries by hand.
SELECT s.name, t.name, count(*) FROM slice s LEFT JOIN thread t ON s.track_id = t.utid AND t.name < s.name GROUP BY 1, 2 ORDER BY 1, 2
SELECT t.name, (SELECT group_concat(name, '|') FROM (SELECT s.name FROM slice s WHERE s.track_id = t.utid ORDER BY s.dur DESC, s.id)) FROM thread t ORDER BY t.utid
SELECT a.id, (SELECT b.id FROM slice b WHERE b.ts > a.ts AND b.depth = a.depth ORDER BY b.ts LIMIT 1 OFFSET 1) FROM slice a ORDER BY a.id
SELECT a.id, (SELECT count(*) FROM slice b WHERE (b.name, b.depth) = (a.name, a.depth)) FROM slice a ORDER BY a.id
SELECT id FROM slice WHERE dur > (SELECT avg(b.dur) FROM slice b WHERE b.track_id = slice.track_id) ORDER BY id
SELECT id, dur - (SELECT min(b.dur) FROM slice b WHERE b.track_id = slice.track_id AND b.dur > 0) FROM slice ORDER BY id
SELECT name FROM slice UNION SELECT name FROM thread EXCEPT SELECT 'app' ORDER BY 1
SELECT name FROM slice EXCEPT SELECT name FROM thread INTERSECT SELECT name FROM slice ORDER BY 1
SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 2 ORDER BY 1 DESC
SELECT NULL AS x UNION SELECT NULL UNION SELECT 1 ORDER BY x
SELECT id, name FROM slice WHERE name IS NOT 'app' AND (name IS NULL OR name > 'b') ORDER BY name, id
SELECT x.v, count(*) FROM (SELECT nullif(depth, 0) AS v FROM slice) x GROUP BY x.v ORDER BY 1
SELECT sum(v), count(v), avg(v), min(v), max(v), total(v) FROM (SELECT nullif(dur, 0) AS v FROM slice WHERE id > 100)
SELECT id, first_value(dur) OVER w, last_value(dur) OVER w, nth_value(dur, 2) OVER w, count(*) OVER w FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY id
SELECT id, percent_rank() OVER (ORDER BY depth), cume_dist() OVER (ORDER BY depth), ntile(3) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY depth RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY depth DESC RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY name NULLS LAST), rank() OVER (ORDER BY name DESC) FROM slice ORDER BY id
SELECT id, lag(name, 1, 'none') OVER (PARTITION BY depth ORDER BY ts DESC), lead(ts) OVER (PARTITION BY depth ORDER BY ts) - ts FROM slice ORDER BY id
SELECT id, group_concat(name, '-') OVER (PARTITION BY track_id ORDER BY ts) FROM slice ORDER BY id
SELECT id, sum(dur) FILTER (WHERE depth = 0) OVER (ORDER BY id ROWS 3 PRECEDING), avg(dur) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM slice ORDER BY id
SELECT id, max(name) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING), min(name) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM slice ORDER BY id
SELECT id, row_number() OVER (ORDER BY name) - rank() OVER (ORDER BY name) >= 0 FROM slice ORDER BY id
SELECT p.name, t.name, s.id FROM process p LEFT JOIN thread t USING (upid) LEFT JOIN slice s ON s.track_id = t.utid AND s.depth = 0 ORDER BY p.upid, t.utid, s.id
SELECT t.utid, p.name FROM thread t FULL JOIN process p ON p.upid = t.upid AND t.tid > 100 ORDER BY t.utid, p.upid
SELECT upid, t.name, p.name FROM thread t FULL JOIN process p USING (upid) ORDER BY upid, t.utid
SELECT upid, count(t.utid) FROM process p LEFT JOIN thread t USING (upid) GROUP BY upid ORDER BY upid
SELECT a.utid, b.utid FROM thread a JOIN thread b ON a.upid IS b.upid AND a.utid < b.utid ORDER BY 1, 2
SELECT a.utid, b.utid FROM thread a LEFT JOIN thread b ON a.upid IS b.upid AND a.utid <> b.utid ORDER BY 1, 2
SELECT typeof(int_value), typeof(string_value), count(*) FROM args GROUP BY int_value IS NULL ORDER BY 3
SELECT cpu, end_state, sum(dur), count(*) FILTER (WHERE end_state LIKE 'R%') FROM sched GROUP BY cpu, end_state ORDER BY cpu, end_state
SELECT cpu, utid, ts, ts + dur AS te, lead(ts) OVER (PARTITION BY cpu ORDER BY ts) - (ts + dur) AS idle FROM sched ORDER BY cpu, ts
SELECT DISTINCT utid, first_value(end_state) OVER (PARTITION BY utid ORDER BY ts DESC) FROM sched ORDER BY utid
SELECT utid, max(ts), end_state, cpu FROM sched GROUP BY utid ORDER BY utid
SELECT utid, min(ts), max(dur), count(*) FROM sched GROUP BY utid HAVING count(*) > 1 OR max(dur) > 40 ORDER BY utid
SELECT track_id, value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) FROM counter ORDER BY id
SELECT track_id, avg(value), sum(value * 2) / 2, round(avg(value), 1) FROM counter GROUP BY track_id ORDER BY 1
SELECT value, CAST(value AS INTEGER), CAST(value AS TEXT), value || '', -value, abs(value), value % 2, value / 3 FROM counter ORDER BY id
SELECT id FROM counter WHERE value BETWEEN '0' AND 2.5 ORDER BY id
SELECT id FROM counter WHERE value = '2.5' OR value = '100' OR value IN ('1') ORDER BY id
SELECT c.id, s.id FROM counter c JOIN slice s ON c.value = s.depth ORDER BY 1, 2
SELECT c.id, a.id FROM counter c LEFT JOIN args a ON c.value > a.real_value ORDER BY 1, 2
SELECT a.id, b.id FROM args a JOIN args b ON a.int_value = b.string_value ORDER BY 1, 2
SELECT a.id, b.id FROM args a JOIN args b ON a.string_value = b.int_value + 0 ORDER BY 1, 2
SELECT a.id, s.id FROM args a JOIN slice s ON a.string_value > s.dur AND s.id < 3 ORDER BY 1, 2
SELECT max(string_value, int_value), min(string_value, 'm') FROM args ORDER BY id
SELECT id, int_value + string_value, int_value * real_value FROM args ORDER BY id
SELECT id, length(int_value), upper(string_value), int_value || string_value, ifnull(string_value, '') || ifnull(int_value, '') FROM args ORDER BY id
SELECT id FROM args ORDER BY string_value DESC, int_value, id
SELECT string_value IS NULL, count(*), count(int_value), sum(real_value) FROM args GROUP BY 1 ORDER BY 1
SELECT name LIKE '%r', name GLOB '*r', instr(name, 'r'), substr(name, -2), replace(name, 'r', 'R') FROM slice ORDER BY id
SELECT CASE WHEN name LIKE 'app%' THEN 'app' WHEN name IS NULL THEN 'null' ELSE 'other' END AS k, count(*), min(id) FROM slice GROUP BY k ORDER BY k
SELECT CASE name WHEN 'app' THEN 1 WHEN NULL THEN 2 ELSE 0 END, CASE WHEN dur THEN 'y' END FROM slice ORDER BY id
WITH RECURSIVE anc(id, a) AS (SELECT id, parent_id FROM slice UNION ALL SELECT anc.id, s.parent_id FROM anc JOIN slice s ON s.id = anc.a WHERE s.parent_id IS NOT NULL) SELECT id, group_concat(a, '/') FROM (SELECT * FROM anc WHERE a IS NOT NULL ORDER BY id, a) GROUP BY id ORDER BY id
WITH RECURSIVE t(x) AS (VALUES (1) UNION SELECT (x * 2) % 7 FROM t) SELECT x FROM t ORDER BY x
WITH RECURSIVE fib(n, a, b) AS (SELECT 1, 0, 1 UNION ALL SELECT n + 1, b, a + b FROM fib WHERE n < 20) SELECT n, a FROM fib WHERE a % 2 = 0 ORDER BY n
WITH x AS (SELECT depth, count(*) AS n FROM slice GROUP BY depth), y AS (SELECT max(n) AS m FROM x) SELECT x.depth FROM x, y WHERE x.n = y.m
WITH x(a, b) AS (SELECT depth, dur FROM slice), y AS (SELECT a, sum(b) AS s FROM x GROUP BY a) SELECT x.a, x.b, y.s, x.b * 100 / nullif(y.s, 0) FROM x LEFT JOIN y USING (a) ORDER BY 1, 2
SELECT (SELECT count(*) FROM slice) - (SELECT count(*) FROM thread), EXISTS (SELECT 1 FROM slice WHERE dur > 1000), (SELECT NULL) IS NULL, (SELECT 1 WHERE 0)
SELECT id FROM slice WHERE EXISTS (SELECT 1 FROM sched WHERE sched.ts BETWEEN slice.ts AND slice.ts + slice.dur AND sched.utid = slice.track_id) ORDER BY id
SELECT id FROM slice WHERE NOT EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = slice.id) AND depth > 0 ORDER BY id
SELECT id FROM slice WHERE id IN (SELECT parent_id FROM slice) ORDER BY id
SELECT id FROM slice WHERE id NOT IN (SELECT parent_id FROM slice) ORDER BY id
SELECT id FROM slice WHERE parent_id NOT IN (1, 3, NULL) ORDER BY id
SELECT id FROM slice WHERE (parent_id IN (1, 3)) IS NULL ORDER BY id
SELECT count(*) FROM slice a, slice b, thread t WHERE a.track_id = t.utid AND b.track_id = t.utid AND a.id < b.id
SELECT t.utid, count(s.id), sum(s.dur), max(s.name) FROM thread t LEFT JOIN slice s ON s.track_id = t.utid AND s.dur > 10 GROUP BY t.utid ORDER BY t.utid
SELECT depth, sum(dur) AS d FROM slice GROUP BY depth ORDER BY sum(dur) DESC, depth LIMIT 2
SELECT depth, dur FROM slice ORDER BY depth DESC, dur IS NULL, dur LIMIT 3 OFFSET 1
SELECT depth + 1 AS depth, count(*) FROM slice GROUP BY depth ORDER BY depth
SELECT id AS x FROM slice WHERE x > 5 ORDER BY x DESC
SELECT id, dur AS id FROM slice ORDER BY id LIMIT 3
SELECT -id AS id FROM slice WHERE id > 7 ORDER BY id
SELECT sum(dur) AS dur FROM slice WHERE dur > 10
SELECT max(dur) AS dur, name FROM slice GROUP BY track_id ORDER BY dur
SELECT count(*) AS n, depth FROM slice GROUP BY depth HAVING n > 1 ORDER BY n
SELECT sum(x) FROM (SELECT 1 AS x UNION ALL SELECT '2' UNION ALL SELECT 3.5)
SELECT * FROM (SELECT 1 AS a, 'x' AS b) CROSS JOIN (SELECT 2 AS c) LEFT JOIN (SELECT 2 AS c, NULL AS d) USING (c)
SELECT count(DISTINCT depth || ',' || track_id), count(DISTINCT nullif(depth, 0)) FROM slice
SELECT DISTINCT name IS NULL AS n, depth FROM slice ORDER BY 1, 2
SELECT DISTINCT upper(substr(name, 1, 1)) AS u FROM slice ORDER BY u
SELECT id % 3 AS m, min(name), max(name), group_concat(name) FROM (SELECT * FROM slice ORDER BY name) GROUP BY m ORDER BY m
SELECT total(dur) / count(*), sum(dur) / count(*), avg(dur) FROM slice
SELECT 5 / 2, -5 / 2, 5 % -3, 5.0 / 2, 5 / 0, 5 % 0, '5' / 2, 1e3 % 7, 7 / 2.0, -7 % 2
SELECT 1 = 1.0, '1' = 1, 'a' < 'B', NULL = NULL, NULL IS NULL, 1 IS 1.0, '1' IS 1, x'61' = 'a', 2 > '10', 'abc' > 5
SELECT 1 + '2', '3' * '4', '1a' + 1, 'a' + 1, '' + 0, ' 2 ' + 1, '0x10' + 0, '1e2' + 1, -'3', +'3'
SELECT NOT NULL, NOT 0, NOT 'a', NOT '1', 1 AND NULL, 0 AND NULL, 1 OR NULL, 0 OR NULL, NOT 2.5
SELECT 1 << 3, 256 >> 4, 5 | 2, 7 & 3, ~0, -1 >> 63, 1 << 63, 1 << -1
SELECT abs(-5.5), max(1, 2.5, '3'), min('a', 'b'), round(2.567, 2), round(-2.5), sign(-3), nullif(1, 1.0), ifnull(NULL, 'x'), coalesce(NULL, NULL)
SELECT s.id, (SELECT t.name FROM thread t WHERE t.utid = s.track_id AND EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id AND c.track_id = t.utid)) FROM slice s ORDER BY s.id
SELECT s.id, (SELECT max(x) FROM (SELECT c.dur + s.depth AS x FROM slice c WHERE c.parent_id = s.id)) FROM slice s ORDER BY s.id
SELECT s.id, (SELECT sum(n) FROM (SELECT count(*) AS n FROM slice c WHERE c.ts >= s.ts GROUP BY c.track_id)) FROM slice s ORDER BY s.id
SELECT s.id, (SELECT group_concat(d) FROM (SELECT DISTINCT c.depth AS d FROM slice c WHERE c.ts < s.ts ORDER BY d DESC)) FROM slice s ORDER BY s.id
SELECT t.utid, (SELECT count(*) FROM slice s WHERE s.track_id = t.utid AND s.dur > (SELECT avg(x.dur) FROM slice x WHERE x.track_id = t.utid)) FROM thread t ORDER BY 1
SELECT t.utid, (SELECT s.name FROM slice s WHERE s.track_id = t.utid GROUP BY s.name ORDER BY count(*) DESC, s.name LIMIT 1) FROM thread t ORDER BY 1
SELECT t.utid, t.upid IN (SELECT p.upid FROM process p WHERE p.pid = t.tid), t.tid IN (SELECT pid FROM process) FROM thread t ORDER BY 1
SELECT a.id FROM slice a WHERE (a.track_id, a.depth) IN (SELECT b.track_id, max(b.depth) FROM slice b GROUP BY b.track_id) ORDER BY a.id
SELECT a.id FROM slice a WHERE (a.track_id, a.dur) NOT IN (SELECT b.track_id, max(b.dur) FROM slice b GROUP BY b.track_id) ORDER BY a.id
SELECT a.id FROM slice a WHERE (a.name, 1) IN (SELECT name, upid FROM thread) OR (a.name, 0) IN (SELECT name, upid FROM thread) ORDER BY a.id
SELECT a.id, (a.parent_id, a.depth) IN (SELECT parent_id, depth FROM slice WHERE id > a.id) FROM slice a ORDER BY a.id
SELECT a.id FROM slice a WHERE (a.parent_id, a.depth) = (SELECT parent_id, depth FROM slice WHERE id = 4) ORDER BY a.id
SELECT (1, 2) < (1, 3), (1, NULL) < (1, 3), (1, NULL) < (2, 3), (NULL, 1) = (NULL, 1), (1, 'a') IS (1, 'a'), (1, NULL) IS (1, NULL)
SELECT id FROM slice WHERE (depth, dur) BETWEEN (0, 20) AND (1, 7) ORDER BY id
SELECT depth AS d, count(*) AS c FROM slice GROUP BY d HAVING c > (SELECT count(*) FROM thread WHERE utid = d) ORDER BY d
SELECT depth AS d, count(*) AS c FROM slice GROUP BY 1 HAVING EXISTS (SELECT 1 FROM thread WHERE utid = c - 4) ORDER BY c
SELECT depth, max(dur) AS m FROM slice GROUP BY depth HAVING m IN (SELECT dur FROM slice WHERE depth = 0) ORDER BY 1
SELECT depth, (SELECT name FROM thread WHERE utid = slice.depth), count(*) FROM slice GROUP BY depth ORDER BY depth
SELECT depth, (SELECT max(dur) FROM sched WHERE cpu = slice.depth) - max(dur) AS x FROM slice GROUP BY depth ORDER BY x
SELECT track_id, sum(dur) AS s, rank() OVER (ORDER BY sum(dur) DESC) AS r FROM slice GROUP BY track_id HAVING s > 40 ORDER BY r
SELECT track_id, count(*), sum(count(*)) OVER (ORDER BY track_id), count(*) * 100 / sum(count(*)) OVER () FROM slice GROUP BY track_id ORDER BY track_id
SELECT depth, track_id, sum(dur), sum(sum(dur)) OVER (PARTITION BY depth), lag(sum(dur)) OVER (PARTITION BY depth ORDER BY track_id) FROM slice GROUP BY depth, track_id ORDER BY 1, 2
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY track_id ORDER BY dur DESC, id) AS r FROM slice) WHERE r <= 2 ORDER BY id
SELECT id, r FROM (SELECT id, rank() OVER (ORDER BY depth DESC) AS r, depth FROM slice) WHERE depth < 2 ORDER BY r, id
SELECT id, s FROM (SELECT id, sum(dur) OVER (ORDER BY id) AS s FROM slice) WHERE s BETWEEN 70 AND 200 ORDER BY id
SELECT id, sum(CASE WHEN x THEN 1 ELSE 0 END) OVER (ORDER BY id) AS grp FROM (SELECT id, name IS NOT lag(name) OVER (ORDER BY id) AS x FROM slice) ORDER BY id
SELECT grp, count(*), min(id) FROM (SELECT id, sum(x) OVER (ORDER BY id) AS grp FROM (SELECT id, depth <> ifnull(lag(depth) OVER (ORDER BY id), -1) AS x FROM slice)) GROUP BY grp ORDER BY grp
SELECT a.id, b.id FROM slice a JOIN slice b ON b.ts >= a.ts AND b.ts < a.ts + a.dur AND b.track_id = a.track_id AND b.id <> a.id ORDER BY 1, 2
SELECT a.id, count(b.id) FROM slice a LEFT JOIN slice b ON b.ts BETWEEN a.ts AND a.ts + max(a.dur, 0) AND b.id <> a.id GROUP BY a.id ORDER BY a.id
SELECT count(*) FROM slice a LEFT JOIN thread t ON t.utid = a.track_id AND t.name LIKE 'w%' WHERE t.utid IS NULL
SELECT t.name, x.n FROM thread t LEFT JOIN (SELECT track_id, count(*) AS n FROM slice WHERE dur > 5 GROUP BY track_id) x ON x.track_id = t.utid ORDER BY t.utid
SELECT t.name, coalesce(x.n, 0) + 1 FROM thread t LEFT JOIN (SELECT track_id, 1 AS n FROM slice GROUP BY track_id) x ON x.track_id = t.utid ORDER BY t.utid
SELECT x.track_id, x.one FROM thread t LEFT JOIN (SELECT track_id, 'one' AS one FROM slice WHERE depth = 1) x ON x.track_id = t.utid AND x.one = 'one' ORDER BY t.utid, x.track_id
SELECT utid, cpu FROM thread NATURAL LEFT JOIN sched ORDER BY utid, cpu
SELECT count(*) FROM thread NATURAL JOIN process
SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE upid = 0 ORDER BY utid
SELECT upid FROM thread LEFT JOIN process USING (upid) WHERE process.name IS NULL
SELECT a.upid, b.upid, upid FROM thread a LEFT JOIN process b USING (upid) ORDER BY a.utid
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a), c AS (SELECT a.x + b.x AS x FROM a, b) SELECT * FROM a, b, c
WITH a(x) AS (SELECT id FROM slice), b AS (SELECT x FROM a WHERE x > 5) SELECT count(*) FROM a WHERE x NOT IN (SELECT x FROM b)
SELECT (WITH m AS (SELECT max(dur) AS d FROM slice WHERE track_id = t.utid) SELECT d FROM m) FROM thread t ORDER BY utid
SELECT name, id FROM slice WHERE name IN (SELECT name FROM thread UNION SELECT 'render') ORDER BY id
SELECT id, name FROM slice ORDER BY CASE WHEN name IS NULL THEN 1 ELSE 0 END, name DESC, id
SELECT name FROM slice GROUP BY name ORDER BY min(ts), name
SELECT name, count(*) FROM slice GROUP BY name ORDER BY count(*) DESC, name IS NULL, name LIMIT 3
SELECT dur FROM slice UNION SELECT depth FROM slice ORDER BY dur DESC LIMIT 3
SELECT id AS a, dur AS b FROM slice WHERE id < 2 UNION ALL SELECT utid, tid FROM thread ORDER BY b, a
SELECT id FROM slice WHERE id < 3 UNION SELECT utid FROM thread UNION ALL SELECT 0 ORDER BY 1
SELECT 1 AS a UNION SELECT 2 EXCEPT SELECT 1 UNION ALL SELECT 3 ORDER BY a
SELECT * FROM (SELECT id, name FROM slice ORDER BY ts DESC LIMIT 3) ORDER BY id
SELECT sum(dur) FROM (SELECT dur FROM slice ORDER BY dur DESC LIMIT 3 OFFSET 1)
SELECT id FROM slice LIMIT (SELECT count(*) FROM process) OFFSET (SELECT 3)
SELECT max(id), min(id) FROM slice WHERE id > 100
SELECT count(*), sum(x) FROM (SELECT 1 AS x WHERE 0)
SELECT depth, count(*) FROM slice WHERE 0 GROUP BY depth
SELECT 'x' AS k, count(*) FROM slice WHERE 0 GROUP BY k
SELECT count(*) FROM slice HAVING count(*) > 100
SELECT avg(v) IS NULL, sum(v) IS NULL, total(v), count(v), max(v) IS NULL FROM (SELECT NULL AS v UNION ALL SELECT NULL)
SELECT v + 1, v || 'x', v = NULL, coalesce(v, 'd'), typeof(v) FROM (SELECT NULL AS v)
SELECT id, name FROM slice WHERE name > 'render' OR name < 'B' ORDER BY 1
SELECT id FROM slice WHERE dur = '50' OR dur = 7.0 OR dur = '7x' ORDER BY id
SELECT id FROM slice WHERE name = 5 OR name > 5 AND name < 'b' ORDER BY id
SELECT tid FROM thread WHERE tid || '' = 100 OR tid = '0200' OR tid = ' 101 ' ORDER BY 1
SELECT id, ts + dur > 1050, ts / 7 * 7, ts % 7 FROM slice WHERE NOT dur = 0 AND (depth OR parent_id IS NULL) ORDER BY id
SELECT id FROM slice s WHERE s.dur = (SELECT max(dur) FROM slice WHERE track_id = s.track_id) ORDER BY id
SELECT id FROM slice s WHERE dur >= (SELECT dur FROM slice WHERE id = s.parent_id) ORDER BY id
SELECT id FROM slice s WHERE 1 = (SELECT count(*) FROM slice WHERE name = s.name) ORDER BY id
SELECT id FROM slice s WHERE name IN (SELECT t.name FROM thread t WHERE t.utid = s.track_id) ORDER BY id
SELECT id, EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id) + 0 AS has, NOT EXISTS (SELECT 1 FROM slice c WHERE c.name = s.name AND c.id <> s.id) FROM slice s ORDER BY has DESC, id
SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM thread t WHERE t.name = s.name)) FROM slice s
SELECT sum((SELECT count(*) FROM slice c WHERE c.parent_id = s.id)) FROM slice s
SELECT depth, sum((SELECT count(*) FROM slice c WHERE c.parent_id = s.id)) FROM slice s GROUP BY depth ORDER BY depth
SELECT id FROM slice s ORDER BY (SELECT count(*) FROM slice c WHERE c.parent_id = s.id) DESC, id
SELECT id, row_number() OVER (ORDER BY (SELECT count(*) FROM slice c WHERE c.parent_id = s.id), id DESC) FROM slice s ORDER BY id
SELECT (SELECT count(*) FROM slice c WHERE c.parent_id = s.id) AS n, count(*) FROM slice s GROUP BY n ORDER BY n
SELECT CASE (SELECT count(*) FROM slice c WHERE c.parent_id = s.id) WHEN 0 THEN 'leaf' WHEN 1 THEN 'one' ELSE 'many' END AS k, group_concat(id) FROM (SELECT * FROM slice ORDER BY id) s GROUP BY k ORDER BY k
SELECT id, CASE WHEN row_number() OVER (ORDER BY id) > 2 THEN lag(name) OVER (ORDER BY id) ELSE coalesce(lead(name) OVER (ORDER BY id), 'x') END FROM slice ORDER BY 1
SELECT id, sum(a) OVER (ORDER BY id) FROM (SELECT id, sum(dur) OVER (ORDER BY id) AS a FROM slice) ORDER BY 1
SELECT depth, sum(dur) + (sum(sum(dur)) OVER (ORDER BY depth) - (max(count(*)) OVER ())) FROM slice GROUP BY depth ORDER BY 1
SELECT id, max(sum(dur) OVER w, (count(*) OVER w) * (1 + (ntile(2) OVER (ORDER BY id)))) FROM slice WINDOW w AS (PARTITION BY depth ORDER BY id) ORDER BY 1
SELECT id, iif(row_number() OVER (ORDER BY id) % 2 = 0, 'a' || lag(name, 1, 'z') OVER (ORDER BY id), 'b' || ((lead(dur) OVER (ORDER BY id)) + (lead(ts) OVER (ORDER BY id)))) FROM slice ORDER BY 1
SELECT id, sum(dur) OVER (PARTITION BY depth % 2 ORDER BY id), count(*) OVER (PARTITION BY (depth % 2) + 1 ORDER BY id) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (PARTITION BY abs(depth - 1)), count(*) OVER (PARTITION BY abs(abs(depth - 1) - 1)) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (PARTITION BY abs(depth - 1)) + count(*) OVER (PARTITION BY abs(depth - 1) + abs(track_id - 1)) FROM slice ORDER BY id
SELECT id, row_number() OVER (PARTITION BY coalesce(parent_id, id) ORDER BY coalesce(name, 'x'), id), rank() OVER (PARTITION BY coalesce(coalesce(parent_id, id), 0) ORDER BY id) FROM slice ORDER BY id
SELECT id, row_number() OVER (PARTITION BY substr(lower(name), 1, 1) ORDER BY id), rank() OVER (PARTITION BY lower(name) ORDER BY id), count(*) OVER (PARTITION BY substr(lower(name), 1, 1), lower(name)) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY CASE WHEN depth > 0 THEN 1 ELSE 0 END), count(*) OVER (PARTITION BY CASE WHEN depth > 0 THEN 1 ELSE 0 END + 1) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY depth / 2), sum(dur) OVER (PARTITION BY depth / 2 + track_id / 2), max(dur) OVER (PARTITION BY (depth / 2) * 2 ORDER BY id) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY depth * 2 + 1), sum(dur) OVER (PARTITION BY depth * 2 + 1, depth * 2) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY depth + 1), count(*) OVER (PARTITION BY depth + 1 + track_id), count(*) OVER (PARTITION BY -(depth + 1)) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY name COLLATE NOCASE), count(*) OVER (PARTITION BY lower(name) COLLATE NOCASE) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY depth = 1), count(*) OVER (PARTITION BY (depth = 1) = (track_id = 1)) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY name || 'x'), count(*) OVER (PARTITION BY name || 'x' || 'y') FROM slice ORDER BY id
SELECT depth, count(*) OVER (PARTITION BY depth + 0), sum(count(*)) OVER (PARTITION BY (depth + 0) % 2 ORDER BY depth) FROM slice GROUP BY depth ORDER BY depth
SELECT id, lag(id) OVER (PARTITION BY (SELECT count(*) FROM slice b WHERE b.parent_id = a.id) ORDER BY id), count(*) OVER (PARTITION BY (SELECT count(*) FROM slice b WHERE b.parent_id = a.id) % 2) FROM slice a ORDER BY id
SELECT id, count(*) OVER (PARTITION BY ts / 10 * 10), sum(dur) OVER (PARTITION BY ts / 10), sum(dur) OVER (PARTITION BY ts / 10 * 10 ORDER BY ts / 10) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY track_id % 2 ORDER BY depth % 2, track_id % 2), sum(dur) OVER (PARTITION BY depth % 2 ORDER BY (depth % 2) + (track_id % 2)) FROM slice ORDER BY id
SELECT id, sum(value) OVER (PARTITION BY value > 0 ORDER BY value), sum(value) OVER (PARTITION BY NOT (value > 0) ORDER BY -value) FROM counter ORDER BY id
SELECT id, sum(dur) OVER (PARTITION BY ifnull(nullif(depth, 1), -1) ORDER BY ts), sum(dur) OVER (PARTITION BY nullif(depth, 1) ORDER BY ts) FROM slice ORDER BY id
