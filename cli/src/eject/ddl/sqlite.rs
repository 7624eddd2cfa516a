//! The schema of SQLite, which keeps its statements.

/// Tables first, then what depends on them. The tables behind a virtual table come with it.
pub const STATEMENTS: &[&str] = &["
    SELECT s.sql || CASE s.type WHEN 'trigger' THEN char(10) ELSE '' END AS statement FROM sqlite_schema s
    WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.tbl_name <> 'seaql_migrations'
        AND s.name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')
    ORDER BY CASE s.type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END, s.rowid"];

/// A column that is computed has none.
pub const DEFAULTS: &str = "
    SELECT t.name AS \"table\", c.name AS \"column\", c.dflt_value AS \"default\"
    FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND c.dflt_value IS NOT NULL";

/// There is nothing that it does not keep.
pub const MISSING: &[&str] = &[];
