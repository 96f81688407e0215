-- Conversion of times between nanoseconds and other units.

-- Converts nanoseconds to a time.
CREATE PERFETTO FUNCTION time_from_ns(
  -- Number of nanoseconds.
  nanos LONG
)
-- Time in ns.
RETURNS TIMESTAMP AS
SELECT $nanos;

-- Converts microseconds to a time.
CREATE PERFETTO FUNCTION time_from_us(
  -- Number of microseconds.
  micros LONG
)
-- Time in ns.
RETURNS LONG AS
SELECT $micros * 1000;

-- Converts milliseconds to a time.
CREATE PERFETTO FUNCTION time_from_ms(
  -- Number of milliseconds.
  millis LONG
)
-- Time in ns.
RETURNS TIMESTAMP AS
SELECT $millis * 1000000;

-- Converts seconds to a time.
CREATE PERFETTO FUNCTION time_from_s(
  -- Number of seconds.
  seconds LONG
)
-- Time in ns.
RETURNS TIMESTAMP AS
SELECT $seconds * 1000000000;

-- Converts minutes to a time.
CREATE PERFETTO FUNCTION time_from_min(
  -- Number of minutes.
  minutes LONG
)
-- Time in ns.
RETURNS TIMESTAMP AS
SELECT $minutes * 60000000000;

-- Converts hours to a time.
CREATE PERFETTO FUNCTION time_from_hours(
  -- Number of hours.
  hours LONG
)
-- Time in ns.
RETURNS TIMESTAMP AS
SELECT $hours * 3600000000000;

-- Converts days to a time.
CREATE PERFETTO FUNCTION time_from_days(
  -- Number of days.
  days LONG
)
-- Time in ns.
RETURNS LONG AS
SELECT $days * 86400000000000;

-- Converts a time to nanoseconds.
CREATE PERFETTO FUNCTION time_to_ns(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of nanoseconds.
RETURNS LONG AS
SELECT $nanos;

-- Converts a time to microseconds, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_us(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of microseconds.
RETURNS LONG AS
SELECT $nanos / 1000;

-- Converts a time to milliseconds, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_ms(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of milliseconds.
RETURNS LONG AS
SELECT $nanos / 1000000;

-- Converts a time to seconds, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_s(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of seconds.
RETURNS LONG AS
SELECT $nanos / 1000000000;

-- Converts a time to minutes, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_min(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of minutes.
RETURNS LONG AS
SELECT $nanos / 60000000000;

-- Converts a time to hours, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_hours(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of hours.
RETURNS LONG AS
SELECT $nanos / 3600000000000;

-- Converts a time to days, rounded towards zero.
CREATE PERFETTO FUNCTION time_to_days(
  -- Time in ns.
  nanos TIMESTAMP
)
-- Number of days.
RETURNS LONG AS
SELECT $nanos / 86400000000000;
