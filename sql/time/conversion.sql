-- Times in nanoseconds from and to other units.

-- The time of so many nanoseconds.
CREATE PERFETTO FUNCTION time_from_ns(
  -- How many nanoseconds.
  nanos LONG
)
-- The time in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $nanos;

-- The time of so many microseconds.
CREATE PERFETTO FUNCTION time_from_us(
  -- How many microseconds.
  micros LONG
)
-- The time in nanoseconds.
RETURNS LONG AS
SELECT $micros * 1000;

-- The time of so many milliseconds.
CREATE PERFETTO FUNCTION time_from_ms(
  -- How many milliseconds.
  millis LONG
)
-- The time in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $millis * 1000000;

-- The time of so many seconds.
CREATE PERFETTO FUNCTION time_from_s(
  -- How many seconds.
  seconds LONG
)
-- The time in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $seconds * 1000000000;

-- The time of so many minutes.
CREATE PERFETTO FUNCTION time_from_min(
  -- How many minutes.
  minutes LONG
)
-- The time in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $minutes * 60000000000;

-- The time of so many hours.
CREATE PERFETTO FUNCTION time_from_hours(
  -- How many hours.
  hours LONG
)
-- The time in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $hours * 3600000000000;

-- The time of so many days.
CREATE PERFETTO FUNCTION time_from_days(
  -- How many days.
  days LONG
)
-- The time in nanoseconds.
RETURNS LONG AS
SELECT $days * 86400000000000;

-- How many nanoseconds a time has.
CREATE PERFETTO FUNCTION time_to_ns(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many nanoseconds.
RETURNS LONG AS
SELECT $nanos;

-- How many microseconds a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_us(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many microseconds.
RETURNS LONG AS
SELECT $nanos / 1000;

-- How many milliseconds a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_ms(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many milliseconds.
RETURNS LONG AS
SELECT $nanos / 1000000;

-- How many seconds a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_s(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many seconds.
RETURNS LONG AS
SELECT $nanos / 1000000000;

-- How many minutes a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_min(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many minutes.
RETURNS LONG AS
SELECT $nanos / 60000000000;

-- How many hours a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_hours(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many hours.
RETURNS LONG AS
SELECT $nanos / 3600000000000;

-- How many days a time has, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_days(
  -- The time in nanoseconds.
  nanos TIMESTAMP
)
-- How many days.
RETURNS LONG AS
SELECT $nanos / 86400000000000;
