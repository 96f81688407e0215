//! The queries around the place that a walk over a statement has reached.

use datafusion::sql::sqlparser::ast::Query;

use super::scope::Scope;

/// The scopes of these queries, the innermost last.
pub(super) struct ScopeStack<'a>(Vec<Scope<'a>>);

impl<'a> ScopeStack<'a> {
    /// The stack of a walk that begins in `outermost`. Without a scope it stays empty.
    pub(super) fn new(outermost: Option<Scope<'a>>) -> Self {
        Self(outermost.into_iter().collect())
    }

    pub(super) fn innermost(&self) -> Option<&Scope<'a>> {
        self.0.last()
    }

    pub(super) fn enter(&mut self, query: &Query) {
        let scope = self.0.last().map(|scope| scope.within(query));
        self.0.extend(scope);
    }

    /// Leaves the innermost query; its scope.
    pub(super) fn leave(&mut self) -> Option<Scope<'a>> {
        self.0.pop()
    }
}

/// The scopes of these queries, for a walk that replaces a name: a query or SELECT with a column or
/// an alias of that name shadows it.
pub(super) struct NameScopes<'a> {
    scopes: ScopeStack<'a>,
    /// For each query and SELECT around, whether it shadows the name.
    shadowed: Vec<bool>,
}

impl<'a> NameScopes<'a> {
    /// For a walk that begins in `outermost`, where the name is visible.
    pub(super) fn new(outermost: Option<Scope<'a>>) -> Self {
        Self { scopes: ScopeStack::new(outermost), shadowed: Vec::new() }
    }

    /// Whether the walk is in no query or SELECT yet.
    pub(super) fn is_outermost(&self) -> bool {
        self.shadowed.is_empty()
    }

    pub(super) fn is_visible(&self) -> bool {
        !self.shadowed.contains(&true)
    }

    /// Enters a query; `shadows` gets its scope.
    pub(super) fn enter_query(
        &mut self,
        query: &Query,
        shadows: impl FnOnce(Option<&Scope<'a>>) -> bool,
    ) {
        self.scopes.enter(query);
        self.enter_select(shadows);
    }

    pub(super) fn leave_query(&mut self) {
        self.leave_select();
        self.scopes.leave();
    }

    /// Enters a SELECT; `shadows` gets the scope of its query.
    pub(super) fn enter_select(&mut self, shadows: impl FnOnce(Option<&Scope<'a>>) -> bool) {
        let is_shadowed = shadows(self.scopes.innermost());
        self.shadowed.push(is_shadowed);
    }

    pub(super) fn leave_select(&mut self) {
        self.shadowed.pop();
    }
}
