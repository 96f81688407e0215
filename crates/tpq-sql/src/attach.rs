//! `ATTACH 'file' AS name` and `DETACH name`.

use crate::catalog::Definition;
use crate::errors::{SqlError, SqlErrorKind};
use crate::execute::Executor;
use crate::perfetto_sql::{Name, RelationDeclaration, Text};

impl Executor<'_> {
    /// Creates a view of a file.
    ///
    /// # Errors
    /// When another table or view has the name, or the file cannot be read.
    pub(crate) async fn attach(
        &self,
        declaration: RelationDeclaration,
        text: &Text,
    ) -> Result<(), SqlError> {
        let creation = declaration.creation.clone();
        let name = &creation.name.text;
        let exists = self.catalog.objects().relation(name).is_some();
        if exists && creation.if_not_exists {
            return Ok(());
        }
        if exists || self.catalog.is_built_in(name) {
            let message = format!("there is a table or view `{name}` already");
            let hint = "give the file another name, as in ATTACH 'file' AS name";
            return Err(SqlError::new(SqlErrorKind::Invalid, message)
                .at(text.sources.location(creation.name.span))
                .hint(Some(hint.into())));
        }
        let definition = Definition::of_file(declaration, text);
        self.create_relation(&creation, definition, text).await?;
        self.catalog.objects_mut().attach(name);
        Ok(())
    }

    /// Drops the view of a file.
    ///
    /// # Errors
    /// When no file is attached under the name.
    pub(crate) fn detach(&self, if_exists: bool, name: &Name, text: &Text) -> Result<(), SqlError> {
        if self.catalog.objects_mut().detach(&name.text) || if_exists {
            return Ok(());
        }
        let message = format!("no file is attached as `{}`", name.written);
        Err(SqlError::new(SqlErrorKind::Invalid, message).at(text.sources.location(name.span)))
    }
}
