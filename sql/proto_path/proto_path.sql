-- Paths of fields in the packets of a trace, as call stacks for a flame graph.

-- Encodes a number as a varint, in hexadecimal.
CREATE PERFETTO FUNCTION _proto_path_varint(
  -- Number from 0 to 2097151.
  number LONG
)
-- One to three bytes, in hexadecimal.
RETURNS STRING AS
SELECT CASE
  WHEN $number < 128 THEN printf('%02x', $number)
  WHEN $number < 16384 THEN printf('%02x%02x', $number % 128 + 128, $number / 128)
  ELSE printf(
    '%02x%02x%02x', $number % 128 + 128, $number / 128 % 128 + 128, $number / 16384
  )
END;

-- Encodes a field of a message that has the number 1 and a length, in hexadecimal.
CREATE PERFETTO FUNCTION _proto_path_field_1(
  -- Content of the field, in hexadecimal.
  content STRING
)
-- The field with its tag and length, in hexadecimal; empty if there is no content.
RETURNS STRING AS
SELECT coalesce('0a' || _proto_path_varint(length($content) / 2) || $content, '');

-- Encodes a call stack with one frame, in hexadecimal.
CREATE PERFETTO FUNCTION _proto_path_named_frame(
  -- Name of the frame.
  name STRING
)
-- Encoded call stack; empty if the frame has no name.
RETURNS STRING AS
SELECT CASE
  WHEN $name IS NULL THEN '' ELSE _proto_path_field_1(_proto_path_field_1(hex($name)))
END;

-- Encodes the frames of one path in hexadecimal. The innermost frame comes first.
CREATE PERFETTO FUNCTION _proto_path_frames(
  -- Type of the field.
  field_type STRING,
  -- Name of the field; NULL for a packet.
  field_name STRING,
  -- Arguments of the path.
  arg_set_id ARGSETID
)
-- Encoded call stack.
RETURNS STRING AS
SELECT
  _proto_path_named_frame($field_type)
  || _proto_path_named_frame($field_name)
  || _proto_path_named_frame('event.category:' || extract_arg($arg_set_id, 'event.category'))
  || _proto_path_named_frame('event.name:' || extract_arg($arg_set_id, 'event.name'));

-- Returns the frames of a path without those of its parents.
CREATE PERFETTO FUNCTION _proto_path_to_frame(
  -- Path; join with `experimental_proto_path` on `id`.
  path_id LONG
)
-- Encoded `Stack` message; NULL if there is no such path.
RETURNS BYTES AS
SELECT decode(_proto_path_frames(field_type, field_name, arg_set_id), 'hex')
FROM experimental_proto_path
WHERE id = $path_id;

-- Returns the frames of a path and of all its parents.
CREATE PERFETTO FUNCTION _proto_path_to_stack(
  -- Path of the innermost frames; join with `experimental_proto_path` on `id`.
  path_id LONG
)
-- Encoded `Stack` message; NULL if there is no such path.
RETURNS BYTES AS
WITH RECURSIVE above(parent_id, frames) AS (
  SELECT parent_id, _proto_path_frames(field_type, field_name, arg_set_id)
  FROM experimental_proto_path
  WHERE id = $path_id
  UNION ALL
  SELECT p.parent_id, a.frames || _proto_path_frames(p.field_type, p.field_name, p.arg_set_id)
  FROM above AS a
  JOIN experimental_proto_path AS p ON p.id = a.parent_id
)
SELECT decode(frames, 'hex') FROM above WHERE parent_id IS NULL;
