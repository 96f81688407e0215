-- Days after the end of a month.
SELECT date('2024-02-30'), date('2023-02-29', '+1 year'), date('2024-02-30', 'floor'), date('2024-01-31', '+1 month'), date('2024-01-31', '+1 month', 'ceiling'), date('2024-01-31', '+1 month', 'floor')
SELECT date('2024-01-31', '+1 month', 'start of month'), date('2024-01-31', 'floor', '+1 month'), date('2023-02-29', '+1 year', 'floor'), date('2023-02-29', '+1 day')
-- Fractions of seconds.
SELECT datetime('2024-01-01 10:20:30.567', 'subsec'), time('12:00', 'subsec'), strftime('%s', '2024-01-01 10:20:30.567', 'subsec'), date('2024-01-01', 'subsec')
-- Forms of times.
SELECT date('2024-01-01  '), date('2024-01-01T'), datetime('2024-01-01   10:00 '), datetime('2024-01-01 10:00Z '), datetime('2024-01-01 10:00 +01:00'), datetime('2024-01-01 10:00+01:00')
SELECT date('2024-13-01'), date('2024-01-32'), date('2024-1-1'), date(' 2024-01-01'), time('24:00'), time('24:30'), time('25:00'), time('12:60'), time('12:00:60'), time('1:2:3'), datetime('2024-01-01 24:00')
-- Modifiers.
SELECT datetime('2024-01-01', '+01:30'), datetime('2024-01-01', '-01:30:15.5'), datetime('2024-01-01', '+0001-02-03 04:05'), date('2024-01-01', '-0001-00-01'), datetime('2024-01-01', '1:30'), datetime('2024-01-01', '01:30')
SELECT datetime('2024-01-01', '+1.5 months'), datetime('2024-01-01', '1 day'), datetime('2024-01-01', '+1day'), datetime('2024-01-01', '+1.5 years'), datetime('2024-01-01', '-1.5 months'), datetime('2024-01-01', 'weekday 7'), datetime('2024-01-01', 'weekday 1.0')
-- The first and last times.
SELECT date(0), time(0.25), date(5373484.4), date(5373484.5), date(-1), datetime(1e10, 'unixepoch'), strftime('%Y', 0), unixepoch(0)
SELECT strftime('%s', 0), strftime('%J', 0.0), strftime('%J', 2460000.5), strftime('%f', 0.1), strftime('', 0), strftime('%Q', 'now')
SELECT length(current_timestamp), length(current_time), length(current_date), date('now') = current_date
