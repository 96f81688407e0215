-- Memory maps of processes in bug reports, from the command `showmap`.

-- Lines with numbers of the sections `SHOW MAP <pid>: <process>`. Blanks between columns are
-- reduced to one. A section counts if its header names the columns that are read here.
CREATE PERFETTO TABLE _show_map_lines AS
WITH described AS (
  SELECT DISTINCT section
  FROM android_dumpstate
  WHERE
    section GLOB 'SHOW MAP*'
    AND trim(line) GLOB 'virtual*shared*shared*private*private*Anon*Shmem*File*Shared*Private*'
)
SELECT
  dumped.id,
  CAST(replace(split_part(dumped.section, ' ', 3), ':', '') AS BIGINT) AS pid,
  split_part(dumped.section, ' ', 4) AS process_name,
  regexp_replace(trim(dumped.line), ' +', ' ', 'g') AS line
FROM android_dumpstate AS dumped
JOIN described ON described.section = dumped.section
WHERE trim(dumped.line) GLOB '[0-9]*';

-- The memory of a process for one mapped object. Sums over all objects are left out.
CREATE PERFETTO TABLE android_dumpsys_show_map(
  -- Name of the process.
  process_name STRING,
  -- Kernel id of the process.
  pid JOINID(process.pid),
  -- Size of the mappings, KiB.
  vss_kb LONG,
  -- Resident memory, KiB.
  rss_kb LONG,
  -- Resident memory divided by the number of processes that share it, KiB.
  pss_kb LONG,
  -- Shared unmodified memory, KiB.
  shared_clean_kb LONG,
  -- Shared modified memory, KiB.
  shared_dirty_kb LONG,
  -- Private unmodified memory, KiB.
  private_clean_kb LONG,
  -- Private modified memory, KiB.
  private_dirty_kb LONG,
  -- Memory in swap, KiB.
  swap_kb LONG,
  -- Memory in swap divided by the number of processes that share it, KiB.
  swap_pss_kb LONG,
  -- Memory without a file in huge pages, KiB.
  anon_huge_pages_kb LONG,
  -- Shared memory in huge pages, KiB.
  shmem_pmd_mapped_kb LONG,
  -- Memory of files in huge pages, KiB.
  file_pmd_mapped_kb LONG,
  -- Shared memory in pages of `hugetlbfs`, KiB.
  shared_huge_tlb_kb LONG,
  -- Private memory in pages of `hugetlbfs`, KiB.
  private_hugetlb_kb LONG,
  -- Memory that cannot be swapped, KiB.
  locked_kb LONG,
  -- Number of mappings of the object.
  mapping_count LONG,
  -- Mapped object: the path of a file, or a name in brackets; the first word of a name with blanks.
  mapped_object STRING
) AS
SELECT
  process_name,
  pid,
  CAST(split_part(line, ' ', 1) AS BIGINT) AS vss_kb,
  CAST(split_part(line, ' ', 2) AS BIGINT) AS rss_kb,
  CAST(split_part(line, ' ', 3) AS BIGINT) AS pss_kb,
  CAST(split_part(line, ' ', 4) AS BIGINT) AS shared_clean_kb,
  CAST(split_part(line, ' ', 5) AS BIGINT) AS shared_dirty_kb,
  CAST(split_part(line, ' ', 6) AS BIGINT) AS private_clean_kb,
  CAST(split_part(line, ' ', 7) AS BIGINT) AS private_dirty_kb,
  CAST(split_part(line, ' ', 8) AS BIGINT) AS swap_kb,
  CAST(split_part(line, ' ', 9) AS BIGINT) AS swap_pss_kb,
  CAST(split_part(line, ' ', 10) AS BIGINT) AS anon_huge_pages_kb,
  CAST(split_part(line, ' ', 11) AS BIGINT) AS shmem_pmd_mapped_kb,
  CAST(split_part(line, ' ', 12) AS BIGINT) AS file_pmd_mapped_kb,
  CAST(split_part(line, ' ', 13) AS BIGINT) AS shared_huge_tlb_kb,
  CAST(split_part(line, ' ', 14) AS BIGINT) AS private_hugetlb_kb,
  CAST(split_part(line, ' ', 15) AS BIGINT) AS locked_kb,
  CAST(split_part(line, ' ', 16) AS BIGINT) AS mapping_count,
  split_part(line, ' ', 17) AS mapped_object
FROM _show_map_lines
WHERE split_part(line, ' ', 17) NOT IN ('', 'TOTAL')
ORDER BY id;
