//! Queries of catalogs, as tools for PostgreSQL send them.

use super::WireServer;
use super::postgres::{connect, simple};

#[test]
fn information_schema_has_tables_and_columns() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let sql = "SELECT table_schema, table_name, table_type FROM information_schema.tables \
               WHERE table_name IN ('slice', 'trace_bounds') ORDER BY 2";
    assert_eq!(
        simple(&mut client, sql).unwrap(),
        ["public|slice|VIEW", "public|trace_bounds|VIEW"]
    );
    let sql = "SELECT column_name, ordinal_position, data_type, udt_name \
               FROM information_schema.columns WHERE table_name = 'trace_bounds' ORDER BY 2";
    assert_eq!(
        simple(&mut client, sql).unwrap(),
        ["start_ts|1|bigint|int8", "end_ts|2|bigint|int8"]
    );
    let sql = "SELECT schema_name FROM information_schema.schemata ORDER BY 1";
    let schemas = ["information_schema", "pg_catalog", "public"];
    assert_eq!(simple(&mut client, sql).unwrap(), schemas);
    let none = "SELECT * FROM information_schema.key_column_usage";
    assert_eq!(simple(&mut client, none).unwrap(), [""; 0]);
}

#[test]
fn pg_catalog_has_tables_and_columns() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let sql = "SELECT n.nspname, c.relname, c.relkind, c.relnatts FROM pg_class c \
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'trace_bounds'";
    assert_eq!(simple(&mut client, sql).unwrap(), ["public|trace_bounds|v|2"]);
    let sql = "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnum \
               FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid \
               WHERE c.relname = 'trace_bounds' AND a.attnum > 0 ORDER BY a.attnum";
    assert_eq!(simple(&mut client, sql).unwrap(), ["start_ts|bigint|1", "end_ts|bigint|2"]);
    let sql = "SELECT count(*) FROM pg_class WHERE oid = 'trace_bounds'::regclass";
    assert_eq!(simple(&mut client, sql).unwrap(), ["1"]);
    // What a statement creates is there as well.
    server.server.query("CREATE PERFETTO TABLE made AS SELECT 1 AS a, 'b' AS b, 1.5 AS c");
    let sql = "SELECT column_name, data_type FROM information_schema.columns \
               WHERE table_name = 'made' ORDER BY ordinal_position";
    let columns = ["a|bigint", "b|text", "c|double precision"];
    assert_eq!(simple(&mut client, sql).unwrap(), columns);
    let both = "SELECT count(*) FROM pg_class, slice";
    assert!(simple(&mut client, both).is_err());
}

/// What the data source of Grafana asks: versions, the tables, and the columns of one.
#[test]
fn queries_of_grafana_are_answered() {
    const IN_SEARCH_PATH: &str = "quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '\"$user\"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )";
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let version = "SELECT current_setting('server_version_num')::int/100 as version";
    assert_eq!(simple(&mut client, version).unwrap(), ["1600"]);
    let timescale = "SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'";
    assert_eq!(simple(&mut client, timescale).unwrap(), [""; 0]);
    let tables = format!(
        "SELECT CASE WHEN {IN_SEARCH_PATH}
            THEN quote_ident(table_name)
            ELSE quote_ident(table_schema) || '.' || quote_ident(table_name)
          END AS \"table\"
          FROM information_schema.tables
          WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog',
            '_timescaledb_cache', '_timescaledb_catalog', '_timescaledb_internal',
            '_timescaledb_config', 'timescaledb_information', 'timescaledb_experimental')
          ORDER BY CASE WHEN {IN_SEARCH_PATH} THEN 0 ELSE 1 END, 1"
    );
    let tables = simple(&mut client, &tables).unwrap();
    assert!(tables.iter().any(|table| table == "slice"), "{tables:?}");
    assert!(tables.is_sorted(), "{tables:?}");
    for table in ["trace_bounds", "public.trace_bounds"] {
        let columns = format!(
            "SELECT quote_ident(column_name) AS \"column\", data_type AS \"type\"
              FROM information_schema.columns
              WHERE CASE WHEN array_length(parse_ident('{table}'),1) = 2
                THEN quote_ident(table_schema) = (parse_ident('{table}'))[1]
                  AND quote_ident(table_name) = (parse_ident('{table}'))[2]
                ELSE quote_ident(table_name) = '{table}' AND {IN_SEARCH_PATH}
              END"
        );
        let columns = simple(&mut client, &columns).unwrap();
        assert_eq!(columns, ["start_ts|bigint", "end_ts|bigint"], "{table}");
    }
    // What a panel asks.
    let panel = "SELECT ts / 1000000000 AS \"time\", avg(dur) FROM slice GROUP BY 1 ORDER BY 1";
    assert_eq!(simple(&mut client, panel).unwrap(), ["0|600", "5|50"]);
}

/// What DBeaver asks when it connects, lists schemas and tables, and opens one.
#[test]
fn queries_of_dbeaver_are_answered() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    for (sql, has_rows) in [
        ("SET extra_float_digits = 3", false),
        ("SET application_name = 'DBeaver 25.1.5 - Main <tpq>'", false),
        ("SELECT current_schema(),session_user", true),
        ("SHOW search_path", true),
        ("SELECT version()", true),
        ("SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datname='tpq'", true),
        ("SELECT * FROM pg_catalog.pg_settings where name='standard_conforming_strings'", true),
        ("SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1", false),
        ("SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1", false),
        (
            "SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n \
             LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 \
             AND d.classoid='pg_namespace'::regclass ORDER BY nspname",
            true,
        ),
        (
            "SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname \
             FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid \
             WHERE t.oid = 1034",
            true,
        ),
        (
            "SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) \
             as base_type_name, d.description FROM pg_catalog.pg_type t \
             LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem \
             LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid \
             LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid \
             WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') \
             AND (et.typcategory IS NULL OR et.typcategory <> 'C')",
            true,
        ),
        (
            "SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) \
             as partition_expr, pg_catalog.pg_get_partkeydef(c.oid) as partition_key \
             FROM pg_catalog.pg_class c \
             LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 \
             AND d.classoid='pg_class'::regclass \
             WHERE c.relnamespace='public'::regnamespace AND c.relkind not in ('i','I','c')",
            true,
        ),
        (
            "SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) \
             as def_value,dsc.description FROM pg_catalog.pg_attribute a \
             INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid) \
             LEFT OUTER JOIN pg_catalog.pg_attrdef ad \
             ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum) \
             LEFT OUTER JOIN pg_catalog.pg_description dsc \
             ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) \
             WHERE NOT a.attisdropped AND c.relname='slice' ORDER BY a.attnum",
            true,
        ),
        ("SELECT ts, dur FROM public.slice LIMIT 200", true),
    ] {
        let rows = simple(&mut client, sql);
        let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(!rows.is_empty(), has_rows, "{sql}: {rows:?}");
    }
}
