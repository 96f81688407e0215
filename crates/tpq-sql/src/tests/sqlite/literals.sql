-- Literals.
SELECT 1, -1, +5, 0x1F, 0xfF, 1e3, 1.5e-3, .5, 5.
SELECT 'it''s', '', 'ünï', x'4142', X'00ff'
SELECT NULL, TRUE, FALSE, true + true
SELECT 9223372036854775807, -9223372036854775808
SELECT 9223372036854775808, 12345678901234567890
SELECT 0x7fffffffffffffff, 0xffffffffffffffff
SELECT "no such column"
SELECT "app" = 'app', name = "app" FROM slice ORDER BY id
SELECT count(*) FROM slice WHERE name = "render"
SELECT [name], `dur`, "ts" FROM slice ORDER BY id
SELECT "Name", [DUR] FROM [slice] ORDER BY id
SELECT slice."name" FROM slice ORDER BY slice.[id]
SELECT typeof(1), typeof(1.0), typeof('a'), typeof(NULL), typeof(x'00'), typeof(1 = 1), typeof(1e3)
SELECT typeof(name), typeof(dur), typeof(parent_id) FROM slice ORDER BY id
SELECT typeof(value), typeof(count(*)) FROM counter GROUP BY value ORDER BY value
