-- LIKE and GLOB.
SELECT 'abc' LIKE 'ABC', 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' LIKE 'b', 'a' LIKE NULL, NULL LIKE 'a'
SELECT id FROM slice WHERE name LIKE '%ER%' ORDER BY id
SELECT id FROM slice WHERE name NOT LIKE 'app%' ORDER BY id
SELECT '50%' LIKE '50\%' ESCAPE '\', '50x' LIKE '50\%' ESCAPE '\', 'a_b' LIKE 'a!_b' ESCAPE '!'
SELECT 'a\b' LIKE 'a\b', 'a\%' LIKE 'a\%', '\' LIKE '\'
SELECT 'Ä' LIKE 'ä', 'É' LIKE 'É', 'ÄB' LIKE 'Äb'
SELECT 123 LIKE '1%', dur LIKE '5%' FROM slice ORDER BY id
SELECT like('a%', 'ABC'), like('x', 'y'), like('a!%', 'a%', '!')
SELECT 'abc' GLOB 'a*', 'abc' GLOB 'A*', 'abc' GLOB 'a?c', 'abc' GLOB '[a-c]bc', 'abc' GLOB '[^a]*'
SELECT id FROM slice WHERE name GLOB 'app*' ORDER BY id
SELECT id FROM slice WHERE name NOT GLOB '*e*' ORDER BY id
SELECT glob('a*', 'abc'), glob('*[0-9]', 'cpu7'), dur GLOB '5*' FROM slice WHERE id = 0
SELECT count(*) FROM slice WHERE name GLOB 'Choreographer#doFrame [0-9]*'
SELECT name LIKE '%#%' AS has FROM slice ORDER BY id
SELECT sum(CASE WHEN name LIKE 'app%' THEN dur ELSE 0 END) FROM slice
SELECT 'a' NOT LIKE 'b', 'a' NOT GLOB 'a', NOT 'a' LIKE 'a'
SELECT name LIKE 'a%' OR name LIKE 'r%' FROM slice ORDER BY id
-- Parts of text.
SELECT substr('hello', 2), substr('hello', 2, 3), substr('hello', -3), substr('hello', -3, 2), substr('hello', 0)
SELECT substr('hello', 0, 3), substr('hello', -10, 7), substr('hello', 3, -2), substr('hello', 10), substr('hello', 2, 0)
SELECT substring('hello', 2, 2), substr('üñï', 2, 1), substr(NULL, 1), substr('abc', NULL), substr('abc', 1, NULL)
SELECT substr(12345, 2, 3), substr(name, 1, 3), substr(name, -3) FROM slice ORDER BY id
SELECT substr('hello', -2, -2), substr('hello', 1, 100), substr('hello', -1, 1), substr('', 1)
SELECT instr('hello', 'l'), instr('hello', 'z'), instr('hello', ''), instr(NULL, 'a'), instr('üx', 'x')
SELECT substr(name, instr(name, '#') + 1), instr(name, ' ') FROM slice ORDER BY id
SELECT substr(name, 1, instr(name, '#') - 1) FROM slice WHERE name LIKE '%#%' ORDER BY id
SELECT instr(12345, 34), instr('a', NULL)
SELECT replace('hello', 'l', 'L'), replace('hello', '', 'x'), replace('a', 'a', NULL), replace(NULL, 'a', 'b'), replace(112, 1, 5)
SELECT replace(name, 'app', 'APP') FROM slice ORDER BY id
SELECT trim('  a '), ltrim('  a '), rtrim('  a '), trim('xxaxx', 'x'), ltrim('xyxa', 'xy'), rtrim('axyx', 'yx')
SELECT trim('a'), trim(NULL), trim('abc', ''), trim('abc', NULL), trim(5), trim('  ')
SELECT upper('abc'), lower('ABC'), upper('äb'), lower('ÄB'), upper(NULL), upper(5)
SELECT upper(name), lower(name) FROM slice ORDER BY id
SELECT length('abc'), length('ü'), length(NULL), length(12345), length(1.5), length(x'000102'), length('')
SELECT length(name), length(dur), octet_length('ü') FROM slice ORDER BY id
SELECT unicode('A'), unicode('ü'), unicode(''), unicode(NULL), char(65, 66, 67), char(), char(252)
SELECT hex('abc'), hex(x'00ff'), hex(NULL), hex(255), hex(''), hex(1.5)
SELECT unhex('4142', ''), unhex('zz', ''), unhex('', '-'), unhex('41-42', '-'), unhex('4-1', '-'), hex(unhex('00FF', ''))
SELECT quote('it''s'), quote(5), quote(1.5), quote(NULL), quote(x'41'), quote(name) FROM slice WHERE id = 0
SELECT zeroblob(3), hex(zeroblob(2)), length(zeroblob(5))
SELECT concat('a', NULL, 1), concat_ws(',', 'a', NULL, 'b', 2), concat(1.0, 'x')
SELECT reverse FROM (SELECT 'x' AS reverse)
SELECT soundex IS NULL FROM (SELECT NULL AS soundex)
-- PRINTF and FORMAT.
SELECT printf('%d', 42), printf('%5d|', 42), printf('%-5d|', 42), printf('%05d', 42), printf('%+d', 42), printf('% d', 42)
SELECT printf('%s', 'a'), printf('%5s|', 'a'), printf('%-5s|', 'a'), printf('%.2s', 'abc'), printf('%s', NULL), printf('%s', 5)
SELECT printf('%f', 3.14159), printf('%.2f', 3.14159), printf('%8.2f|', 3.14159), printf('%e', 12345.678), printf('%g', 0.0001), printf('%g', 1e10)
SELECT printf('%x', 255), printf('%X', 255), printf('%o', 8), printf('%08x', 255), printf('%#x', 255), printf('0x%x', 4096)
SELECT printf('%c', 'abc'), printf('%%'), printf('%d%%', 50), printf('%q', 'it''s'), printf('%Q', 'it''s'), printf('%Q', NULL), printf('%w', 'a"b')
SELECT printf('%,d', 1234567), printf('%,d', -1234567), printf('%,d', 12), printf('%,.2f', 1234567.891)
SELECT printf('%*d', 5, 42), printf('%-*d|', 5, 42), printf('%.*f', 2, 3.14159)
SELECT printf('%!.3f', 1.0), printf('%!g', 1.0), printf('%.0f', 2.5), printf('%.0f', 3.5), printf('%.1f', 0.25)
SELECT printf('%d', '12ab'), printf('%d', 3.9), printf('%d', NULL), printf('%f', 'abc'), printf('%s', 1.0), printf('%s', 1.5e20)
SELECT printf('%s:%d', name, dur), format('%s', name) FROM slice ORDER BY id
SELECT printf('%.2f ms', dur / 1e6) FROM slice ORDER BY id
SELECT printf('%s'), printf('%d'), printf('no args'), printf(NULL), printf('%5.1f|%-8s|%03d', 2.25, 'ab', 7)
SELECT printf('%i', 5), printf('%u', 5), printf('%ld', 5), printf('%lld', 5), printf('%lu', 7), printf('%llx', 255)
SELECT printf('%02d:%02d', 75 / 60, 75 % 60), format('%s-%s', 1, 2)
SELECT printf('%+.2e', 12345.678), printf('%G', 1e-10), printf('%10.3e|', 0.00012345)
SELECT printf('%d', 9223372036854775807), printf('%x', -1), printf('%s', 'ünï'), printf('%5s|', 'ü')
SELECT printf('%z'), printf('a%'), printf('%d %d', 1)
SELECT printf('%.3d', 5), printf('%.15g', 0.1), printf('%.3g', 1234.5), printf('%#.3g', 1.0), printf('%g', 100000.0), printf('%g', 1000000.0)
SELECT unistr('a\00fcb'), unistr('\u00fc\+01F600\U0001F600'), unistr('a\\b'), unistr(NULL), unistr(5), unistr('')
SELECT unistr_quote('a'), unistr_quote('it''s' || char(10) || '\'), unistr_quote(NULL), unistr_quote(5), unistr_quote(x'41')
SELECT sqlite_version()
SELECT timediff('2024-03-15', '2023-01-31'), timediff('2023-01-31', '2024-03-15'), timediff('2024-02-29', '2024-02-29')
SELECT timediff('2023-03-01', '2023-01-31'), timediff('2023-01-31', '2023-03-01'), timediff('2024-01-01 00:00:00', '2023-12-31 23:59:59.5')
SELECT timediff('2000-01-01 12:34:56.789', '1970-01-01'), timediff(0, 1), timediff(NULL, '2000-01-01'), timediff('x', '2000-01-01')
SELECT timediff('2024-12-30', '2024-11-30'), timediff('2024-02-01 01:00', '2024-01-01 02:00'), timediff('2021-10-31', '2020-12-31')
SELECT replace('abc', '', NULL), replace(NULL, '', NULL), replace('abc', 'b', NULL)
SELECT length('a' || char(0) || 'b'), quote(9e999), quote(-9e999)
SELECT 'a' LIKE 'ax' ESCAPE 'x', 'a' LIKE 'a%x' ESCAPE 'x', 'x' LIKE 'xx' ESCAPE 'x', name LIKE 'appx' ESCAPE 'x' FROM slice ORDER BY id
SELECT printf('%-05d|', 2), printf('%5%|'), printf('%-5%|'), printf('%-05x|', 10), printf('%-08.2f|', 1.5), printf('%.17g', 0.1), printf('%!.20g', 0.1), printf('%.20g', 1.0 / 3)
-- The text of the greatest number is not the greatest text.
SELECT max(s), min(s) FROM (SELECT CAST(tid AS TEXT) AS s FROM thread)
SELECT max(CAST(ts AS TEXT)), min(CAST(ts AS TEXT)), max(CAST(dur AS TEXT)) FROM slice
SELECT max(v) FROM (SELECT CAST(id AS TEXT) AS v FROM slice UNION ALL SELECT CAST(ts AS TEXT) FROM slice)
SELECT date(0), datetime(100.25), date(-1), strftime('%Y', 0), date(5373484), date(5373485), date('-0001-01-01')
