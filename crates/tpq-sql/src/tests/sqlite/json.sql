-- Values as JSON.
SELECT json_array(), json_array(1, 2.5, 'a', NULL, -3), json_array('"', '\', char(10, 9, 1, 8, 12, 13), 'é'), json_array(1e20, 0.1)
SELECT json_object(), json_object('a', 1, 'b', NULL, 'a', 'x'), json_object('a b', 2.0)
SELECT json_array(json_array(1), json('{"a": [1, 2]}'), '[1]'), json_object('a', json_object('b', json_array()))
SELECT json_quote('a"b'), json_quote(1), json_quote(NULL), json_quote(json('[1, 2]')), json_quote(1.5)
SELECT json_object('id', id, 'name', name, 'dur', dur) FROM slice ORDER BY id
SELECT json_array(name, value) FROM slice JOIN counter USING (id) ORDER BY id
-- Text that is JSON.
SELECT json(' { "a" : [ 1 , 2.50 , "b c" , true , null ] } '), json('"x"'), json('  7 '), json(NULL), json('[1e5, -0, 0.10]')
SELECT json('{"a":1,"a":2}'), json('[]'), json('{ }'), json('[ [ ] , { } ]'), json('"\u0041\/\n"')
SELECT json_valid('{"a":1}'), json_valid('{"a":1'), json_valid('{a:1}'), json_valid(NULL), json_valid('1'), json_valid(''), json_valid('[1,]'), json_valid('"a'), json_valid('01'), json_valid('nul')
SELECT json_type('{"a":[1,2.5,"x",null,true,false,{}]}'), json_type('[1]'), json_type('1'), json_type('1.0'), json_type('"a"'), json_type('null'), json_type('true'), json_type(NULL)
SELECT json_type('{"a":[1,2.5,"x",null,true,false,{}]}', '$.a'), json_type('{"a":[1,2.5]}', '$.a[1]'), json_type('{"a":1}', '$.b'), json_type('{"a":1}', NULL), json_type('[{}]', '$[0]')
SELECT json_array_length('[1,2,3]'), json_array_length('[]'), json_array_length('{"a":[1,2]}'), json_array_length('{"a":[1,2]}', '$.a'), json_array_length('{"a":[1,2]}', '$.b'), json_array_length(NULL), json_array_length('7')
-- Values at paths.
SELECT json_extract('{"a":"x","b":"y\u00e9\n\"z"}', '$.a'), json_extract('{"a":"x","b":"y\u00e9\n\"z"}', '$.b'), json_extract('{"a":null}', '$.a'), json_extract('{"a":1}', '$.b'), json_extract(NULL, '$'), json_extract('{"a":1}', NULL)
SELECT json_extract('{"a":{"b":[1, 2, {"c": 3}]}}', '$.a'), json_extract('{"a":{"b":[1, 2, {"c": 3}]}}', '$.a.b[2]'), json_extract('{"a":{"b":[1,[2]]}}', '$.a.b[#-1]'), json_extract('{"a.b":["x"]}', '$."a.b"'), json_extract('[["x"]]', '$[0][0]')
SELECT json_extract('{"a":1,"b":[2, 3]}', '$.a', '$.b', '$.c'), json_extract('["x", "y"]', '$[1]', '$[5]')
SELECT CAST(json_extract('{"a":7,"b":-2.5,"c":true,"d":false}', '$.a') AS INT), CAST(json_extract('{"b":-2.5}', '$.b') AS REAL), CAST(json_extract('{"c":true}', '$.c') AS INT), CAST(json_extract('{"d":false}', '$.d') AS INT)
SELECT json_extract('{"a":7}', '$.a') = 7, json_extract('{"a":7}', '$.a') > 5.5, 8 > json_extract('{"a":7}', '$.a'), json_extract('{"a":"x"}', '$.a') > 5, json_extract('{"a":"x"}', '$.a') = 'x', json_extract('{"a":null}', '$.a') = 1
SELECT json_extract('[1,2]', '$[99999999999]'), json_extract('{"\u0061":"x"}', '$.a'), json_extract('{"a":"first","a":"second"}', '$.a')
-- The operators.
SELECT '{"a":{"b":"x"}}' -> 'a', '{"a":{"b":"x"}}' -> 'a' ->> 'b', '{"a":{"b":"x"}}' ->> '$.a.b', '["x", [1, 2]]' -> 1, '["x", "y"]' ->> -1, '["x"]' -> 5, '{"a b":"x"}' ->> 'a b', '{"a.b":"x"}' ->> 'a.b', '["x"]' ->> '[0]'
SELECT '{"a":null}' -> 'a', '{"a":null}' ->> 'a', '{"a":"x"}' -> 'a', NULL -> 'a', '{"a":1}' -> NULL, '{"a":"x"}' ->> 'a' || 'y', '{"a":"b"}' ->> 'a' = 'b', '{"a":3}' ->> 'a' > 2
SELECT json_array('{"a":[1,2]}' -> 'a', '{"a":[1,2]}' ->> 'a'), json_object('x', '{"a":"b"}' -> 'a')
SELECT id FROM slice WHERE json_object('d', dur) ->> 'd' > 20 ORDER BY id
SELECT json_object('d', dur, 'n', name) ->> 'n' FROM slice ORDER BY id
-- Aggregates.
SELECT json_group_array(name) FROM (SELECT name FROM slice WHERE id = 0)
SELECT json_group_array(dur ORDER BY id), json_group_array(value ORDER BY id) FROM slice LEFT JOIN counter USING (id)
SELECT json_group_array(name ORDER BY id DESC) FROM slice
SELECT json_group_array(id) FROM slice WHERE 0
SELECT json_group_object(name, dur) FROM slice WHERE id = 3
SELECT json_group_object(name, dur ORDER BY id) FROM slice WHERE name IS NOT NULL
SELECT json_group_object(name, dur) FROM slice WHERE 0
SELECT track_id, json_group_array(json_object('id', id) ORDER BY id) FROM slice GROUP BY track_id ORDER BY track_id
SELECT track_id, json_group_array(dur ORDER BY id) FILTER (WHERE dur > 10) FROM slice GROUP BY track_id ORDER BY track_id
SELECT json_object('rows', json_group_array(id ORDER BY id), 'count', count(*)) FROM slice
SELECT json_group_array(id) FROM (SELECT id FROM slice ORDER BY dur, id)
SELECT json_group_object(id, name) FROM (SELECT id, name FROM slice WHERE id < 4 ORDER BY id DESC)
SELECT depth, JSON_GROUP_ARRAY(ts) FROM (SELECT * FROM slice ORDER BY ts DESC) GROUP BY depth ORDER BY depth
SELECT key, type, parent, fullkey, path FROM json_each('[1, "b", null, 2.5, [3]]')
SELECT key, value, type, atom FROM json_each('["b", null, "c"]')
SELECT key, type, fullkey, path FROM json_each('{"a": 1, "b c": {"d": true}}')
SELECT key, value, type FROM json_each('{"a": [4, 5, 6]}', '$.a')
SELECT key, atom, type, fullkey FROM json_tree('[1, [2, 3]]') ORDER BY fullkey
SELECT count(*) FROM json_each('[]')
SELECT count(*) FROM json_each(NULL)
SELECT sum(value) FROM json_each('[1, 2, 3, 4]')
SELECT json_pretty('[1,2]'), json_pretty('{"a":[],"b":{},"c":{"d":null}}'), json_pretty('[1]', '  '), json_pretty(NULL), json_pretty('5')
SELECT json_pretty(' { "a,[:" : [ ] , "b" : [ 1, { "c\"" : "x y" } ] } '), json_pretty('[[[]]]', ''), json_pretty('["a"]', NULL)
