-- Window functions.
SELECT id, row_number() OVER (ORDER BY ts, id) FROM slice ORDER BY id
SELECT id, rank() OVER (ORDER BY depth), dense_rank() OVER (ORDER BY depth) FROM slice ORDER BY id
SELECT id, ntile(3) OVER (ORDER BY id), cume_dist() OVER (ORDER BY depth), percent_rank() OVER (ORDER BY depth) FROM slice ORDER BY id
SELECT id, lag(dur) OVER (ORDER BY id), lead(dur) OVER (ORDER BY id), lag(dur, 2) OVER (ORDER BY id), lead(dur, 1, -5) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, lead(ts, 1, ts + dur) OVER (ORDER BY id), lag(parent_id, 2, -id) OVER w FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY ts, id) ORDER BY id
SELECT id, lag(name, 1, 'none') OVER (PARTITION BY track_id ORDER BY ts, id) FROM slice ORDER BY id
SELECT id, lead(ts) OVER (PARTITION BY track_id ORDER BY ts, id) - ts AS gap FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (PARTITION BY track_id), count(*) OVER () FROM slice ORDER BY id
SELECT id, avg(dur) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM slice ORDER BY id
SELECT id, max(dur) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM slice ORDER BY id
SELECT id, min(dur) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY depth RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY ts RANGE BETWEEN 20 PRECEDING AND 20 FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY depth GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM slice ORDER BY id
SELECT id, first_value(name) OVER (PARTITION BY track_id ORDER BY ts, id), last_value(name) OVER (PARTITION BY track_id ORDER BY ts, id) FROM slice ORDER BY id
SELECT id, last_value(name) OVER (PARTITION BY track_id ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM slice ORDER BY id
SELECT id, nth_value(name, 2) OVER (ORDER BY id), nth_value(dur, 3) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(dur) OVER w, count(*) OVER w FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY id) ORDER BY id
SELECT id, sum(dur) OVER (w ORDER BY id) FROM slice WINDOW w AS (PARTITION BY track_id) ORDER BY id
SELECT id, count(*) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY id) ORDER BY id
SELECT id, row_number() OVER w2 FROM slice WINDOW w AS (PARTITION BY track_id), w2 AS (w ORDER BY dur DESC, id) ORDER BY id
SELECT id, sum(dur) FILTER (WHERE depth = 0) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, sum(dur > 10) OVER (ORDER BY id), max(name = 'app') OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, total(dur) OVER (ORDER BY id), group_concat(id) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT track_id, sum(dur), sum(sum(dur)) OVER (ORDER BY track_id) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id, rank() OVER (ORDER BY sum(dur) DESC) FROM slice GROUP BY track_id ORDER BY track_id
SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY track_id ORDER BY dur DESC, id) AS r FROM slice) WHERE r = 1 ORDER BY id
SELECT id - row_number() OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, dur * 1.0 / sum(dur) OVER () FROM slice ORDER BY id
SELECT typeof(row_number() OVER ()), typeof(ntile(2) OVER ()), typeof(cume_dist() OVER ()), typeof(lag(dur, 1, 0) OVER ()) FROM slice WHERE id = 0
SELECT id, coalesce(lag(ts + dur) OVER (PARTITION BY track_id ORDER BY ts, id), ts) <= ts FROM slice ORDER BY id
SELECT id, sum(iif(dur > 10, 1, 0)) OVER (ORDER BY id) AS grp FROM slice ORDER BY id
SELECT id, max(ts + dur) OVER (PARTITION BY track_id ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) FROM slice ORDER BY id
SELECT id, row_number() OVER (ORDER BY id DESC) FROM slice ORDER BY id LIMIT 2
SELECT id, lead(id) OVER (ORDER BY name, id) FROM slice ORDER BY id
SELECT id, avg(value) OVER (ORDER BY id ROWS 2 PRECEDING), lag(value) OVER (ORDER BY id) FROM counter ORDER BY id
SELECT name, value - lag(value) OVER (PARTITION BY track_id ORDER BY counter.ts) FROM counter JOIN thread ON thread.utid = track_id ORDER BY counter.id
SELECT id, first_value(dur) OVER (ORDER BY id) + 1, dur - first_value(dur) OVER (PARTITION BY track_id ORDER BY id) FROM slice ORDER BY id
SELECT max(r) FROM (SELECT rank() OVER (ORDER BY dur) AS r FROM slice)
SELECT id, sum(dur) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM slice ORDER BY id
SELECT id, count(*) OVER (PARTITION BY track_id ORDER BY depth RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM slice ORDER BY id
SELECT id, sum(dur) OVER (ORDER BY depth GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE GROUP), max(dur) OVER (ORDER BY depth ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE NO OTHERS) FROM slice ORDER BY id
SELECT id, min(dur) OVER w FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id
SELECT id, count(*) OVER (ORDER BY dur > 10 RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND 0 FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 2 * (3 - 1) FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(id) OVER (ORDER BY name RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY name RANGE BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING) FROM slice ORDER BY id
SELECT id, lag(id, depth + 1, -1) OVER (ORDER BY id), lead(name, depth) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, lag(id, 2.0) OVER w, lag(id, '2') OVER w, lead(id, NULL) OVER w, lead(id, 1.5, -7) OVER w FROM slice WINDOW w AS (ORDER BY id) ORDER BY id
SELECT id, lag(id, (SELECT 2)) OVER (PARTITION BY track_id ORDER BY id), lead(id, (SELECT max(depth) FROM slice), -1) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, lead(ts, depth, dur) OVER (PARTITION BY track_id ORDER BY id) FROM slice ORDER BY id
SELECT id, lag(id, -1) OVER (ORDER BY id), lag(id, -1, 77) OVER (PARTITION BY track_id ORDER BY id), lag(id, -(depth > 0)) OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, lead(id, -1) OVER (ORDER BY id), lead(id, -depth, -9) OVER (PARTITION BY track_id ORDER BY id) FROM slice ORDER BY id
SELECT id, nth_value(name, id + 1) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), nth_value(dur, depth + 1) OVER (PARTITION BY track_id ORDER BY id) FROM slice ORDER BY id
SELECT id, nth_value(id, depth + 1) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), nth_value(id, '2') OVER (ORDER BY id) FROM slice ORDER BY id
SELECT id, ntile(track_id + 2) OVER (ORDER BY id), ntile((SELECT 3)) OVER (PARTITION BY track_id ORDER BY id) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY ts RANGE BETWEEN 10.5 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY ts RANGE BETWEEN 0.5 FOLLOWING AND 20.5 FOLLOWING), count(*) OVER (ORDER BY ts DESC RANGE BETWEEN 30.5 PRECEDING AND 9.5 PRECEDING) FROM slice ORDER BY id
SELECT id, sum(id) OVER (ORDER BY NULL RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM slice ORDER BY id
SELECT id, sum(dur + (1 + 2)) OVER (), sum(dur + 3) OVER (), sum(dur) OVER (PARTITION BY depth + (1 - 1)), sum(dur) OVER (PARTITION BY depth + 0) FROM slice ORDER BY id
SELECT id, ntile(1 + 2) OVER (ORDER BY id), ntile(3) OVER (ORDER BY id), lag(id, 1) OVER (ORDER BY id), lag(id, 2 - 1) OVER (ORDER BY id) FROM slice ORDER BY id
-- Partitions and orders by expressions of unknown range.
SELECT id, sum(id) OVER (PARTITION BY length(name) > 5), count(*) OVER (ORDER BY length(name) > 5), row_number() OVER (ORDER BY dur / 10 > 1, id) FROM slice ORDER BY id
SELECT group_concat(id ORDER BY length(name) > 5, id), (SELECT group_concat(id) FROM (SELECT id FROM slice ORDER BY dur / 10 > 1 DESC, id)) FROM slice
SELECT a.id, b.id FROM (SELECT id, length(name) > 5 AS k FROM slice) a JOIN (SELECT utid AS id, length(name) > 5 AS k FROM thread) b USING (k) ORDER BY length(a.id) + k > 1, a.id, b.id LIMIT 20
SELECT id, sum(id) OVER (PARTITION BY CASE WHEN coalesce(parent_id, 0) > 2 THEN parent_id END), rank() OVER (ORDER BY abs(dur) > 10 AND length(name) > 3) FROM slice ORDER BY id
SELECT id, row_number() OVER (PARTITION BY iif(length(name) > 4, 1, 0) + depth ORDER BY CASE WHEN CASE WHEN dur > 5 THEN id ELSE 0 END > 5 THEN 1 ELSE 2 END, id DESC) FROM slice ORDER BY length(name) > 5, id
SELECT id, sum(id) OVER (PARTITION BY abs(dur) > 10), sum(id) OVER (PARTITION BY name > id), count(*) OVER (PARTITION BY name COLLATE NOCASE > 'm') FROM slice ORDER BY id
SELECT id, sum(id) OVER w, lag(id) OVER w, rank() OVER w FROM slice WINDOW w AS (PARTITION BY length(name) % 2 = 1 ORDER BY abs(dur) > 10, id) ORDER BY id
SELECT id, sum(id) OVER (PARTITION BY depth, length(name) > 4 ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), sum(id) OVER (PARTITION BY length(name) > 4, depth) FROM slice ORDER BY id
SELECT id, r FROM (SELECT id, row_number() OVER (PARTITION BY length(name) > 4 ORDER BY abs(dur) > 10 DESC, id) AS r FROM slice) WHERE r <= 2 ORDER BY id
SELECT depth, count(*), sum(count(*)) OVER (PARTITION BY max(length(name)) > 5 ORDER BY depth) FROM slice GROUP BY depth ORDER BY depth
SELECT a.id, b.id, count(*) OVER (PARTITION BY length(a.name) > length(b.name) ORDER BY a.id + b.id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM slice a JOIN slice b ON a.id = b.parent_id ORDER BY 1, 2
SELECT id, (SELECT max(n) FROM (SELECT count(*) OVER (PARTITION BY length(b.name) > 4) AS n FROM slice b WHERE b.depth = a.depth)) FROM slice a ORDER BY id
SELECT id, count(*) OVER (PARTITION BY length((SELECT t.name FROM thread t WHERE t.id = s.depth)) > 3) FROM slice s ORDER BY id
SELECT id, sum(id) OVER (PARTITION BY dur > 10, dur > 10), sum(id) OVER (PARTITION BY (dur > 10) = 1) FROM slice ORDER BY id
SELECT id, count(*) OVER w, sum(id) OVER w FROM slice WINDOW w AS (ORDER BY dur / 10 RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY id
SELECT id, count(*) OVER w, sum(id) OVER w FROM slice WINDOW w AS (ORDER BY -id RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING) ORDER BY id
SELECT id, count(*) OVER w, sum(id) OVER w FROM slice WINDOW w AS (ORDER BY dur * 0.5 RANGE BETWEEN 2 PRECEDING AND 0.5 FOLLOWING) ORDER BY id
SELECT id, count(*) OVER w, sum(id) OVER w FROM slice WINDOW w AS (PARTITION BY lower(name) ORDER BY abs(dur)) ORDER BY id
SELECT id, count(*) OVER w, sum(id) OVER w FROM slice WINDOW w AS (ORDER BY dur > 10 RANGE BETWEEN 0 PRECEDING AND 0 FOLLOWING) ORDER BY id
SELECT id, count(*) OVER w, rank() OVER w FROM slice WINDOW w AS (ORDER BY dur > 10 DESC RANGE BETWEEN 10 PRECEDING AND 5.5 FOLLOWING) ORDER BY id
SELECT id, count(*) OVER (ORDER BY parent_id > 2 RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), sum(id) OVER (ORDER BY parent_id > 2 ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM slice ORDER BY id
SELECT id, ntile(3.7) OVER (ORDER BY id), ntile('2') OVER (ORDER BY id) FROM slice ORDER BY id
-- A frame that begins behind its end has no rows.
SELECT id, sum(dur) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM slice ORDER BY id
SELECT id, count(*) OVER (ORDER BY depth GROUPS BETWEEN 2 FOLLOWING AND 1 FOLLOWING), first_value(id) OVER (ORDER BY id RANGE BETWEEN 3 FOLLOWING AND 1 + 1 FOLLOWING) FROM slice ORDER BY id
SELECT id, count(*) OVER w, group_concat(name) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING EXCLUDE TIES), rank() OVER w FROM slice WINDOW w AS (ORDER BY depth RANGE BETWEEN 1 PRECEDING AND 3 PRECEDING) ORDER BY id
SELECT id, total(dur) OVER w, min(name) OVER w, count(*) FILTER (WHERE depth > 0) OVER w FROM slice WINDOW w AS (PARTITION BY track_id ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) ORDER BY id
