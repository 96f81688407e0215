//! Execution of statements without rows: they create, include, change and drop.

use std::sync::Arc;

use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;

use crate::cancel::CancelToken;
use crate::catalog::{Catalog, Created, Definition, MaterializedTable, SqlFunction};
use crate::changes::{Change, changed};
use crate::errors::{Names, SqlError, SqlErrorKind, nearest, translate};
use crate::perfetto_sql::{
    Command, Creation, FunctionDeclaration, Macro, MacroDeclaration, Name, ObjectKind, Planner,
    Script, Statement, Text, exists_already, expand, legacy_function, named, split_script,
};
use crate::primary_key::OnConflict;

/// Carries out statements that give no rows.
pub(crate) struct Executor<'a> {
    pub state: &'a SessionState,
    pub catalog: &'a Catalog,
    /// Whether definitions are checked at once. Those of modules are checked on first use, so that
    /// including a module is cheap.
    pub checked: bool,
}

impl Executor<'_> {
    fn planner(&self) -> Planner<'_> {
        Planner::new(self.state, self.catalog)
    }

    /// An error once the statement was cancelled. Its rows may be there by then, and its table must
    /// not be.
    fn not_cancelled(&self, text: &Text) -> Result<(), SqlError> {
        let cancelled = CancelToken::of(self.state.config().options()).check();
        cancelled.map_err(|error| translate(error, text, &Names::none()))
    }

    /// A statement with its macros expanded.
    pub(crate) fn expanded(&self, statement: &Statement) -> Result<Text, SqlError> {
        let text = statement.text_as_written();
        if Command::declares_macro(&text) {
            return Ok(text);
        }
        let text = legacy_function(&text)?.unwrap_or(text);
        expand(text, self.catalog)
    }

    /// Carries out a command that gives no rows; others are no concern of it.
    pub(crate) async fn execute(&self, command: Command, text: &Text) -> Result<(), SqlError> {
        match command {
            Command::Sql | Command::Show(_) | Command::Summarize(_) => Ok(()),
            Command::Attach(declaration) => self.attach(declaration, text).await,
            Command::Detach { if_exists, name } => self.detach(if_exists, &name, text),
            Command::Include(paths) => {
                for path in &paths {
                    self.include(path, text)?;
                }
                Ok(())
            }
            Command::CreateRelation(declaration) => {
                let creation = declaration.creation.clone();
                let definition = Definition::from_relation(declaration, text);
                self.create_relation(&creation, definition, text).await
            }
            Command::CreateVirtualTable(creation, table) => {
                let definition = Definition::from_virtual_table(creation.clone(), table, text);
                self.create_relation(&creation, definition, text).await
            }
            Command::CreateFunction(declaration) => self.create_function(declaration, text),
            Command::CreateMacro(declaration) => self.create_macro(declaration, text),
            Command::CreateOwn(creation, query) => {
                let query = Text { sources: text.sources.clone(), tokens: query };
                self.create_own(&creation, &query, text).await
            }
            // Chunks are pruned by what they hold, and joins hash: an index would add nothing.
            Command::CreateIndex { table, columns } => self.check_index(&table, &columns, text),
            Command::DropIndex { table } => self.check_index(&table, &[], text),
            Command::Drop { kind, if_exists, name } => self.drop(kind, if_exists, &name, text),
        }
    }

    /// Whether `creation` may go ahead: not where something is there already that is kept.
    fn may_create(&self, creation: &Creation, exists: bool, text: &Text) -> Result<bool, SqlError> {
        match exists && !creation.or_replace {
            true if creation.if_not_exists => Ok(false),
            true => Err(exists_already(creation, text)),
            false => Ok(true),
        }
    }

    pub(crate) async fn create_relation(
        &self,
        creation: &Creation,
        definition: Definition,
        text: &Text,
    ) -> Result<(), SqlError> {
        let name = &creation.name.text;
        let exists = self.catalog.objects().relation(name).is_some();
        if !self.may_create(creation, exists, text)? {
            return Ok(());
        }
        if self.checked {
            self.fill(&definition, text).await?;
            self.not_cancelled(text)?;
        }
        let created = Created::Declared(Arc::new(definition));
        self.catalog.add_relation(name, created);
        Ok(())
    }

    /// Plans a definition, runs the query of a table, and builds the index of a table function.
    async fn fill(&self, definition: &Definition, text: &Text) -> Result<(), SqlError> {
        let function = definition.function(&self.planner())?;
        let filled = match function {
            Some(function) => function.prepare(self.state).await,
            None => {
                definition.source(&self.planner())?;
                match definition.materialized() {
                    Some(table) => table.rows(self.state).await.map(|_| ()),
                    None => Ok(()),
                }
            }
        };
        filled.map_err(|error| self.planner().error(error, text))
    }

    fn create_function(
        &self,
        declaration: FunctionDeclaration,
        text: &Text,
    ) -> Result<(), SqlError> {
        let creation = declaration.creation.clone();
        let exists = self.catalog.objects().function(&creation.name.text).is_some();
        if !self.may_create(&creation, exists, text)? {
            return Ok(());
        }
        let function = SqlFunction::new(declaration, text.clone());
        let (old, name) = (self.catalog.objects().function(&creation.name.text), &creation.name);
        let is_built_in = self.state.scalar_functions().contains_key(&name.text);
        self.catalog.add_function(function, is_built_in);
        if !self.checked {
            return Ok(());
        }
        let checked = self.check_function(name, text);
        if checked.is_err() {
            let mut objects = self.catalog.objects_mut();
            match old {
                Some(old) => objects.restore_function(old),
                None => _ = objects.drop_function(&name.text),
            }
        }
        checked
    }

    fn check_function(&self, name: &Name, text: &Text) -> Result<(), SqlError> {
        let Some(function) = self.catalog.objects().function(&name.text) else { return Ok(()) };
        let planner = self.planner();
        let Some(other) = function.delegates_to() else {
            return function.body(&planner).map(|_| ());
        };
        let known = planner.names().functions;
        if known.contains(&other.text) {
            return Ok(());
        }
        let hint = nearest(&other.text, known.iter().map(String::as_str));
        let message = format!("no function is called `{}`", other.written);
        Err(SqlError::new(SqlErrorKind::UnknownFunction, message)
            .at(text.sources.location(other.span))
            .hint(hint.map(|near| format!("did you mean `{near}`?"))))
    }

    fn create_macro(&self, declaration: MacroDeclaration, text: &Text) -> Result<(), SqlError> {
        let Some(script) = text.sources.script().map(Arc::clone) else { return Ok(()) };
        let creation = declaration.creation.clone();
        let exists = self.catalog.objects().has_macro(&creation.name.text);
        if self.may_create(&creation, exists, text)? {
            self.catalog.objects_mut().add_macro(Macro { declaration, script });
        }
        Ok(())
    }

    async fn create_own(
        &self,
        creation: &Creation,
        query: &Text,
        text: &Text,
    ) -> Result<(), SqlError> {
        let name = &creation.name.text;
        let exists = self.catalog.objects().relation(name).is_some();
        if !self.may_create(creation, exists, text)? {
            return Ok(());
        }
        let planner = self.planner();
        let failed = |error| self.planner().error(error, text);
        let plan = planner.plan(query).and_then(|plan| {
            let plan = named(plan).and_then(|plan| planner.with_final_types(plan));
            plan.map_err(failed)
        })?;
        let table = MaterializedTable::from_query(name, plan);
        table.rows(self.state).await.map_err(failed)?;
        self.not_cancelled(text)?;
        self.catalog.add_relation(name, Created::Own(Arc::new(table)));
        Ok(())
    }

    fn check_index(&self, table: &Name, columns: &[Name], text: &Text) -> Result<(), SqlError> {
        if !self.checked {
            return Ok(());
        }
        let planner = self.planner();
        let source = self.catalog.source(&table.text, &planner);
        let schema = source.map_err(|error| planner.error(error, text))?.schema();
        let Some(column) =
            columns.iter().find(|column| schema.column_with_name(&column.text).is_none())
        else {
            return Ok(());
        };
        let near = nearest(&column.text, schema.fields().iter().map(|field| field.name().as_str()));
        let message = format!("`{}` has no column `{}`", table.written, column.written);
        Err(SqlError::new(SqlErrorKind::UnknownColumn, message)
            .at(text.sources.location(column.span))
            .hint(near.map(|near| format!("did you mean `{near}`?"))))
    }

    fn drop(
        &self,
        kind: ObjectKind,
        if_exists: bool,
        name: &Name,
        text: &Text,
    ) -> Result<(), SqlError> {
        let mut objects = self.catalog.objects_mut();
        let found = match kind {
            ObjectKind::Table | ObjectKind::View => objects.drop_relation(&name.text),
            ObjectKind::Function => objects.drop_function(&name.text),
            ObjectKind::Macro => objects.drop_macro(&name.text),
        };
        if found || if_exists {
            return Ok(());
        }
        let message = format!("nothing called `{}` was created", name.written);
        Err(SqlError::new(SqlErrorKind::Invalid, message).at(text.sources.location(name.span)))
    }

    /// Includes a module, or all that a path with `*` means.
    fn include(&self, path: &Name, text: &Text) -> Result<(), SqlError> {
        let modules = self.catalog.modules().matching(&path.text);
        if modules.is_empty() {
            let known = self.catalog.modules();
            let names = known.names();
            let near = nearest(&path.text, names.iter().copied());
            let message = format!("no module is called `{}`", path.written);
            return Err(SqlError::new(SqlErrorKind::UnknownTable, message)
                .at(text.sources.location(path.span))
                .hint(near.map(|near| format!("did you mean `{near}`?"))));
        }
        modules.iter().try_for_each(|module| {
            self.not_cancelled(text)?;
            self.include_module(module)
        })
    }

    fn include_module(&self, name: &str) -> Result<(), SqlError> {
        if !self.catalog.objects_mut().include(name) {
            return Ok(());
        }
        let Some(text) = self.catalog.modules().text(name) else { return Ok(()) };
        let script = Arc::new(Script { module: Some(name.into()), text });
        let module = Executor { checked: false, ..*self };
        let included = split_script(&script)
            .and_then(|statements| statements.iter().try_for_each(|it| module.declare(it)));
        if included.is_err() {
            self.catalog.objects_mut().forget(name);
        }
        included
    }

    /// Carries out a statement of a module, which only declares.
    fn declare(&self, statement: &Statement) -> Result<(), SqlError> {
        let text = self.expanded(statement)?;
        match Command::parse(&text)? {
            Command::Include(paths) => paths.iter().try_for_each(|path| self.include(path, &text)),
            Command::CreateRelation(mut declaration) => {
                // A module replaces objects of the same name that the user created.
                declaration.creation.or_replace = true;
                let name = declaration.creation.name.text.clone();
                let definition = Definition::from_relation(declaration, &text);
                self.add(&name, definition);
                Ok(())
            }
            Command::CreateVirtualTable(creation, table) => {
                let name = creation.name.text.clone();
                self.add(&name, Definition::from_virtual_table(creation, table, &text));
                Ok(())
            }
            Command::CreateFunction(mut declaration) => {
                declaration.creation.or_replace = true;
                self.create_function(declaration, &text)
            }
            Command::CreateMacro(mut declaration) => {
                declaration.creation.or_replace = true;
                self.create_macro(declaration, &text)
            }
            // Hints, and rows that would not be shown.
            _ => Ok(()),
        }
    }

    fn add(&self, name: &str, definition: Definition) {
        let created = Created::Declared(Arc::new(definition));
        self.catalog.add_relation(name, created);
    }

    /// Carries out a change of the user's own tables.
    pub(crate) async fn change(&self, change: Change, text: &Text) -> Result<(), SqlError> {
        let failed = |error| self.planner().error(error, text);
        match change {
            Change::Nothing => Ok(()),
            Change::Create { name, schema, key, if_not_exists } => {
                if self.catalog.objects().relation(&name).is_some() {
                    let message = format!("`{name}` exists already");
                    return match if_not_exists {
                        true => Ok(()),
                        false => Err(SqlError::new(SqlErrorKind::Invalid, message)
                            .hint(Some(format!("DROP TABLE {name} first")))),
                    };
                }
                let table = MaterializedTable::empty(&name, schema, key).map_err(failed)?;
                self.catalog.add_relation(&name, Created::Own(Arc::new(table)));
                Ok(())
            }
            Change::Add { table, rows, on_conflict } => {
                self.replace(&table, rows, Some(on_conflict), text).await
            }
            Change::Replace { table, rows } => self.replace(&table, rows, None, text).await,
            Change::Drop { names, if_exists } => {
                names.iter().try_for_each(|name| self.drop_own(name, if_exists))
            }
        }
    }

    /// Adds rows to a table, or replaces its rows by them where nothing is said of conflicts.
    async fn replace(
        &self,
        name: &str,
        rows: LogicalPlan,
        adds: Option<OnConflict>,
        text: &Text,
    ) -> Result<(), SqlError> {
        let failed = |error| self.planner().error(error, text);
        let table = self.planner().own_table(name)?;
        let old = table.rows(self.state).await.map_err(failed)?;
        let old = if adds.is_some() { old.batches().map_err(failed)? } else { Vec::new() };
        // The reservation for the rows is released before that for the table is made.
        let new =
            MaterializedTable::from_query(name, rows).rows(self.state).await.map_err(failed)?;
        let new = new.batches().map_err(failed)?;
        let config = self.state.config_options();
        let created = changed(name, &table, &old, &new, adds, config);
        let created = created.map_err(failed)?;
        self.catalog.add_relation(name, created);
        Ok(())
    }

    fn drop_own(&self, name: &str, if_exists: bool) -> Result<(), SqlError> {
        if self.catalog.objects_mut().drop_relation(name) || if_exists {
            return Ok(());
        }
        let message = match self.catalog.is_built_in(name) {
            true => format!("`{name}` is of the trace, which is read and never changed"),
            false => format!("no table or view is called `{name}`"),
        };
        Err(SqlError::new(SqlErrorKind::Invalid, message))
    }
}
