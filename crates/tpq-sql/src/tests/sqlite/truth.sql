-- Numbers and text as conditions.
SELECT id FROM slice WHERE dur ORDER BY id
SELECT id FROM slice WHERE NOT dur ORDER BY id
SELECT id FROM slice WHERE parent_id ORDER BY id
SELECT id FROM slice WHERE NOT parent_id ORDER BY id
SELECT id FROM slice WHERE dur AND depth ORDER BY id
SELECT id FROM slice WHERE dur OR depth ORDER BY id
SELECT id FROM slice WHERE name ORDER BY id
SELECT id FROM slice WHERE 1 ORDER BY id
SELECT id FROM slice WHERE 0
SELECT id FROM slice WHERE NULL
SELECT id FROM slice WHERE 'abc'
SELECT count(*) FROM slice WHERE '1x'
SELECT count(*) FROM counter WHERE value
SELECT count(*) FROM slice WHERE TRUE AND dur
SELECT 1 AND 2, 1 AND 0, 0 OR 5, NOT 5, NOT 0, NOT NULL, NULL AND 0, NULL OR 1, 0.5 AND 1
SELECT 'a' AND 1, '1' AND 1, '0.1' OR 0, NOT 'a'
SELECT CASE WHEN dur THEN 'yes' ELSE 'no' END FROM slice ORDER BY id
SELECT CASE WHEN parent_id THEN 1 WHEN parent_id IS NULL THEN 2 ELSE 3 END FROM slice ORDER BY id
SELECT iif(NULL, 1, 2), iif(0, 1, 2), iif(0, 1), iif(1, 'x')
SELECT if(1, 2, 3), if(0, 2, 3)
SELECT count(*) FILTER (WHERE dur), sum(dur) FILTER (WHERE depth) FROM slice
SELECT track_id FROM slice GROUP BY track_id HAVING sum(depth) ORDER BY 1
SELECT track_id, count(*) FROM slice GROUP BY track_id HAVING count(*) > 2 ORDER BY 1
SELECT a.id, b.id FROM slice a JOIN slice b ON a.id = b.parent_id AND b.dur ORDER BY 1, 2
SELECT a.id, b.id FROM slice a LEFT JOIN slice b ON b.parent_id = a.id AND a.depth ORDER BY 1, 2
SELECT count(*) FROM slice a JOIN slice b ON 1
SELECT (SELECT count(*) FROM slice WHERE depth), (SELECT count(*) FROM slice WHERE NOT depth)
SELECT sum(dur > 10), sum(name = 'app'), avg(dur > 10), total(depth = 0) FROM slice
SELECT max(dur > 10), min(dur > 10), count(dur > 10) FROM slice
SELECT name, sum(dur = 0) AS instants FROM slice GROUP BY name ORDER BY name
SELECT sum(NOT dur), sum(parent_id IS NULL), sum(name LIKE 'a%'), sum(name GLOB 'a*') FROM slice
SELECT is_main FROM (SELECT name = 'app' AS is_main FROM slice) WHERE is_main = 1
SELECT count(*) FROM (SELECT dur > 10 AS big FROM slice) WHERE big
SELECT count(*) FROM (SELECT dur > 10 AS big FROM slice) WHERE NOT big
SELECT big, count(*) FROM (SELECT dur > 10 AS big FROM slice) GROUP BY big ORDER BY big
SELECT dur > 10 AS big, count(*) FROM slice GROUP BY 1 ORDER BY 1
SELECT dur > 10, count(*) FROM slice GROUP BY dur > 10 ORDER BY 1
SELECT (dur > 10) = 1, (dur > 10) IS 1, (dur > 10) = (depth > 0) FROM slice ORDER BY id
SELECT (dur > 10) || 'x' FROM slice ORDER BY id
SELECT dur > 10 AS big FROM slice UNION SELECT 2 ORDER BY 1
SELECT id, dur > 10 AND depth > 0, dur > 10 OR depth FROM slice ORDER BY dur > 10, id
SELECT abs(dur > 10), hex(dur > 10), max(dur > 10, 0) FROM slice ORDER BY id
