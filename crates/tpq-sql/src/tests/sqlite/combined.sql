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
