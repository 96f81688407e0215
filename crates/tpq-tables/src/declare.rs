//! How a table is declared: name, documentation and typed columns, once.

use arrow_schema::{DataType, Field};

use crate::TableGroup;

/// The meaning of a column's values, beyond their machine type; shown by `.schema` and in
/// `docs/tables.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// The row's own id: dense, from 0, in the order rows were made.
    Id,
    /// The id of a row of another table.
    JoinId(&'static str),
    /// Trace time, nanoseconds.
    Timestamp,
    /// Nanoseconds; -1 when the end was never seen.
    Duration,
    /// A 64-bit integer.
    Long,
    /// A 64-bit float.
    Double,
    /// 0 or 1, as SQLite has no other booleans.
    Bool,
    /// Text.
    String,
    /// Joins with `args.arg_set_id`.
    ArgSetId,
}

impl ColumnKind {
    /// The Arrow type SQL sees.
    pub fn sql_type(self) -> DataType {
        match self {
            Self::Double => DataType::Float64,
            Self::String => DataType::Utf8View,
            _ => DataType::Int64,
        }
    }

    /// The word for it in docs and `.schema`.
    pub fn label(self) -> String {
        match self {
            Self::Id => "ID".into(),
            Self::JoinId(table) => format!("JOINID({table}.id)"),
            Self::Timestamp => "TIMESTAMP".into(),
            Self::Duration => "DURATION".into(),
            Self::Long => "LONG".into(),
            Self::Double => "DOUBLE".into(),
            Self::Bool => "BOOL".into(),
            Self::String => "STRING".into(),
            Self::ArgSetId => "ARGSETID".into(),
        }
    }
}

/// One column of a table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDecl {
    /// Its name in SQL.
    pub name: &'static str,
    /// One sentence on what it means.
    pub doc: &'static str,
    /// The kind of its values.
    pub kind: ColumnKind,
    /// Whether it may be NULL.
    pub nullable: bool,
}

impl ColumnDecl {
    /// The Arrow field SQL sees.
    pub fn field(&self) -> Field {
        Field::new(self.name, self.kind.sql_type(), self.nullable)
    }
}

/// A table as SQL sees it.
#[derive(Clone, Copy, Debug)]
pub struct TableDecl {
    /// Its name in SQL.
    pub name: &'static str,
    /// One sentence on what a row is.
    pub doc: &'static str,
    /// The columns, in SQL's order. Columns are appended, never reordered.
    pub columns: &'static [ColumnDecl],
    /// The group of tables that it is made with, if an import can do without.
    pub group: Option<TableGroup>,
}

impl TableDecl {
    /// The position of a column.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// Declares a table: its row type, its builder and its [`TableDecl`].
///
/// ```ignore
/// declare_table! {
///     /// What a row is.
///     table "sched_slice" => SchedSliceTable, SchedSliceRow {
///         /// What the column means.
///         ts: i64 => Timestamp,
///     }
/// }
/// ```
///
/// The Rust type says how a cell is given and whether it may be NULL (`Option`, [`StringId`]);
/// the [`ColumnKind`] after `=>` says what it means. An `id` column comes first without being
/// written down. `column as "name"` gives SQL a name Rust cannot use. `table "name" of Group` says
/// that an import can leave the table out, with the others of a [`TableGroup`].
///
/// [`StringId`]: crate::StringId
macro_rules! declare_table {
    (@name $column:ident $sql_name:literal) => { $sql_name };
    (@name $column:ident) => { stringify!($column) };
    (@arg_sets ArgSetId $column:expr, $ids:ident) => { $column.renumber(&|set| {
        $ids.get(set as usize).copied().unwrap_or_default()
    }) };
    (@arg_sets $kind:ident $column:expr, $ids:ident) => {};
    (@group $group:ident) => { Some($crate::TableGroup::$group) };
    (@group) => { None };
    (@strings String $column:expr, $ids:ident) => { $column.renumber_wide(&$ids) };
    (@strings $kind:ident $column:expr, $ids:ident) => {};
    (
        $(#[doc = $doc:literal])+
        table $name:literal $(of $group:ident)? => $table:ident, $row:ident {
            $(
                $(#[doc = $column_doc:literal])+
                $column:ident $(as $sql_name:literal)?: $cell:ty => $kind:ident $(($target:literal))?
            ),+ $(,)?
        }
    ) => {
        #[doc = concat!("A row of `", $name, "`.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $row {
            $($(#[doc = $column_doc])+ pub $column: $cell,)+
        }

        #[doc = concat!("Builds `", $name, "`.")]
        #[derive(Default)]
        pub struct $table {
            $($(#[doc = $column_doc])+ pub $column: $crate::ColumnBuilder<$cell>,)+
            rows: u32,
        }

        impl $table {
            /// The table as SQL sees it.
            pub const DECL: &'static $crate::TableDecl = {
                // Each crate that uses a constant has a copy of it, which is adjusted to the
                // address of the program whenever a process starts.
                static DECL: $crate::TableDecl = $crate::TableDecl {
                    name: $name,
                    doc: concat!($($doc, "\n",)+),
                    columns: &[
                        $crate::ColumnDecl {
                            name: "id",
                            doc: "The row's id, dense from 0.",
                            kind: $crate::ColumnKind::Id,
                            nullable: false,
                        },
                        $($crate::ColumnDecl {
                            name: declare_table!(@name $column $($sql_name)?),
                            doc: concat!($($column_doc, "\n",)+),
                            kind: $crate::ColumnKind::$kind $(($target))?,
                            nullable: <$cell as $crate::Cell>::NULLABLE,
                        },)+
                    ],
                    group: declare_table!(@group $($group)?),
                };
                &DECL
            };

            /// Appends a row and gives its id.
            pub fn push(&mut self, row: $row) -> u32 {
                $(self.$column.push(row.$column);)+
                self.rows += 1;
                self.rows - 1
            }

            /// Appends rows, which takes less time than to append each by itself.
            pub fn push_all(&mut self, rows: &[$row]) {
                $(self.$column.extend(rows, |row| row.$column);)+
                self.rows += rows.len() as u32;
            }

            /// The number of rows.
            pub fn len(&self) -> u32 {
                self.rows
            }

            /// Whether there are no rows.
            pub fn is_empty(&self) -> bool {
                self.rows == 0
            }

            /// Has chunks packed by `packer` from now on.
            pub fn pack_by(&mut self, packer: &std::sync::Arc<$crate::Packer>) {
                $(self.$column.pack_by(packer);)+
            }

            /// Gives every set of arguments that the table refers to another id: the one at its
            /// number, where 0 is NULL.
            #[allow(unused_variables, reason = "not every table refers to sets")]
            pub(crate) fn renumber_arg_sets(&mut self, ids: &[u32]) {
                $(declare_table!(@arg_sets $kind self.$column, ids);)+
            }

            /// Gives the strings of a table that was built with [`FOREIGN`] ids the ones they have
            /// in the pool it becomes part of.
            ///
            /// [`FOREIGN`]: $crate::StringId::FOREIGN
            #[allow(unused_variables, reason = "not every table has strings")]
            pub fn adopt(&mut self, ids: impl Fn(u32) -> u32 + Sync) {
                $(declare_table!(@strings $kind self.$column, ids);)+
            }

            /// Ends building.
            pub fn finish(self, strings: &std::sync::Arc<$crate::StringViews>) -> $crate::Table {
                let columns = vec![$(self.$column.finish()),+];
                $crate::Table::new(Self::DECL, self.rows as usize, columns, strings)
            }
        }
    };
}
