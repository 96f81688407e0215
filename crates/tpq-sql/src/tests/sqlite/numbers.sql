-- CAST.
SELECT CAST('12' AS INT), CAST('12ab' AS INT), CAST('abc' AS INT), CAST('' AS INT), CAST(' 5' AS INT), CAST('-7.9' AS INT), CAST('1e3' AS INT)
SELECT CAST(1.9 AS INT), CAST(-1.9 AS INT), CAST(NULL AS INT), CAST(1e20 AS INT), CAST(-1e20 AS INT), CAST('0x1F' AS INT)
SELECT CAST('1.5' AS REAL), CAST('1.5abc' AS REAL), CAST('abc' AS REAL), CAST(5 AS REAL), CAST('1e3' AS REAL), CAST('.5' AS REAL), CAST('-' AS REAL)
SELECT CAST(5 AS TEXT), CAST(1.0 AS TEXT), CAST(1.5 AS TEXT), CAST(1e20 AS TEXT), CAST(0.1 AS TEXT), CAST(123456789.123 AS TEXT), CAST(1e-5 AS TEXT), CAST(NULL AS TEXT)
SELECT CAST(100.0 AS TEXT), CAST(-0.0 AS TEXT), CAST(1e15 AS TEXT), CAST(1e16 AS TEXT), CAST(2.0/3 AS TEXT), CAST(12345678.9 AS TEXT)
SELECT CAST('abc' AS BLOB), CAST(5 AS BLOB), CAST(x'414243' AS TEXT), CAST(NULL AS BLOB)
SELECT CAST('12' AS INTEGER), CAST('12' AS BIGINT), CAST(5 AS VARCHAR), CAST(5 AS CHAR(10)), CAST('5' AS DOUBLE), CAST(5 AS STRING) = '5'
SELECT CAST(dur AS TEXT), CAST(dur AS REAL), CAST(name AS INT), CAST(dur AS INT) FROM slice ORDER BY id
SELECT CAST(value AS INT), CAST(value AS TEXT) FROM counter ORDER BY id
SELECT CAST(dur > 10 AS INT), CAST(dur > 10 AS TEXT), CAST(1 = 1 AS REAL) FROM slice ORDER BY id
SELECT CAST(substr('cpu12', 4) AS INT), CAST(substr(name, instr(name, ' ') + 1) AS INT) FROM slice ORDER BY id
SELECT CAST(ts AS REAL) / 1e9, CAST(ts / 1000 AS INT) FROM slice ORDER BY id
SELECT CAST('9223372036854775808' AS INT), CAST('-9223372036854775809' AS INT), CAST(9.99e18 AS INT)
SELECT CAST('  12  ' AS REAL), CAST('1_000' AS INT), CAST('+5' AS INT), CAST('--5' AS INT), CAST('5e' AS REAL), CAST('5e+' AS REAL)
-- Rounding and the like.
SELECT round(2.5), round(-2.5), round(1.5), round(0.5), round(2.4), round(5), round(NULL), round('2.7')
SELECT round(1.2345, 2), round(1.255, 2), round(123.456, -1), round(1234, 2), round(2.675, 2), round(1.005, 2)
SELECT round(dur / 3.0, 2), round(dur / 7.0), round(dur) FROM slice ORDER BY id
SELECT typeof(round(5)), typeof(round(2.5, 1)), typeof(abs(5)), typeof(abs(-5.5)), typeof(abs('5'))
SELECT abs(-5), abs(5.5), abs(NULL), abs('-7'), abs('abc'), abs(0)
SELECT abs(dur), abs(value - 3) FROM slice JOIN counter ON slice.id = counter.id ORDER BY slice.id
SELECT sign(-5), sign(0), sign(2.5), sign(NULL), sign('abc')
SELECT max(dur, 20), min(dur, 20, depth), max(0, dur) FROM slice ORDER BY id
SELECT max(ts, 1050) - min(ts + dur, 1100) FROM slice ORDER BY id
SELECT min('a', 'b'), max('a', 'B'), max(name, 'k') FROM slice ORDER BY id
SELECT max(parent_id, 0), min(parent_id, 5) FROM slice ORDER BY id
SELECT coalesce(NULL, 1), coalesce(NULL, NULL), coalesce(parent_id, -1), coalesce(name, 'none'), coalesce(NULL, NULL, 'x') FROM slice ORDER BY id
SELECT ifnull(NULL, 2), ifnull(1, 2), ifnull(parent_id, dur), ifnull(name, 'unnamed') FROM slice ORDER BY id
SELECT nullif(1, 1), nullif(1, 2), nullif(dur, 0), nullif(name, 'app'), nullif(NULL, 1) FROM slice ORDER BY id
SELECT nullif(1, '1'), nullif('a', 'b')
SELECT likely(1), unlikely(0), likelihood(5, 0.5)
SELECT id FROM slice WHERE likely(dur > 10) ORDER BY id
SELECT random() IS NOT NULL, typeof(random()), abs(random()) >= 0
SELECT length(randomblob(4)), typeof(randomblob(4))
-- Dates.
SELECT date('2024-02-29'), time('12:34:56'), datetime('2024-02-29 12:34:56'), date('2024-02-29T12:34:56Z')
SELECT julianday('2000-01-01 12:00:00'), unixepoch('1970-01-02'), unixepoch('2024-01-01 00:00:01')
SELECT datetime(1700000000, 'unixepoch'), date(1700000000, 'unixepoch'), time(1700000000, 'unixepoch')
SELECT strftime('%Y-%m-%d %H:%M:%S', 1700000000, 'unixepoch'), strftime('%s', '2024-01-01'), strftime('%j %w %W', '2024-03-10')
SELECT strftime('%f', '2024-01-01 12:34:56.789'), strftime('%H:%M:%f', 1700000000.25, 'unixepoch'), strftime('%%')
SELECT date('2024-01-31', '+1 month'), date('2024-01-15', '+1 day', '-1 year'), datetime('2024-01-01', '+90 minutes'), date('2024-05-17', 'start of month'), date('2024-05-17', 'start of year')
SELECT date('garbage'), date(NULL), datetime('2024-13-01'), unixepoch('nope')
SELECT datetime(2460000.5), date(2460000), strftime('%Y', 2460000.5), time('23:59:59', '+2 seconds')
SELECT datetime(ts, 'unixepoch') FROM slice ORDER BY id
SELECT date('2024-05-17', 'weekday 0'), datetime('2024-05-17 10:20:30', 'start of day'), strftime('%e|%k|%I|%l|%p|%P|%R|%T|%u', '2024-05-07 15:04:05')
SELECT datetime('2024-01-01T00:00:00+02:00'), julianday('2024-01-01')
-- Two zeros are one value.
SELECT count(*) FROM (SELECT DISTINCT round(v) FROM (SELECT -0.2 AS v UNION ALL SELECT 0.2))
SELECT - x'35', x'35' + 1, 1 - x'312e35', x'' * 2, x'3335' / 2, x'37' % 4, '.' + 0
SELECT 0x1_0, 0xff_FF
SELECT count(DISTINCT (dur - 10) * 0.0), count(*), sum(DISTINCT (dur - 10) * 0.0) FROM slice
SELECT id FROM slice WHERE -depth * 0.0 IN (0.0, 1.0, 2.0, 3.0) AND -depth * 0.0 NOT IN (1.5, 2.5, 3.5, 4.5) ORDER BY id
SELECT CASE -depth * 0.0 WHEN 0 THEN 'zero' ELSE 'other' END, CASE depth * 1.0 WHEN -depth * 0.0 THEN 1 WHEN 2.0 THEN 2 END FROM slice ORDER BY id
