-- Packages of user ids.

-- Returns the package of a user id. Of several packages with the same app id, the one with the
-- shortest name counts, then the first in alphabetical order.
CREATE PERFETTO FUNCTION android_package_lookup(
  -- User id; the app id is its last five digits.
  uid LONG
)
-- Name of the package; NULL if no package has this user id.
RETURNS STRING AS
SELECT _intrinsic_package_lookup($uid);
