//! Plans of what statements created, kept until a name in them may refer to something else.
//!
//! A view and the body of a function are texts, as in SQLite: they read what has a name when they
//! are used, not what had it when they were created.

use std::sync::{PoisonError, RwLock};

/// A plan that is made on first use, and again after something was replaced or dropped.
#[derive(Debug)]
pub(super) struct KeptPlan<T>(RwLock<Option<(u64, T)>>);

impl<T> Default for KeptPlan<T> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

impl<T: Clone> KeptPlan<T> {
    /// The last plan, whatever was changed since; `None` before the first use.
    pub(super) fn last(&self) -> Option<T> {
        self.kept().map(|(_, plan)| plan)
    }

    /// The plan that was made when there had been as many `changes`; otherwise the one that `make`
    /// makes.
    ///
    /// # Errors
    /// When `make` fails.
    pub(super) fn get_or_make<E>(
        &self,
        changes: u64,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some((made_after, plan)) = self.kept()
            && made_after == changes
        {
            return Ok(plan);
        }
        let plan = make()?;
        let kept = Some((changes, plan.clone()));
        // The plan before is freed after the lock is.
        let before = {
            let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *place, kept)
        };
        drop(before);
        Ok(plan)
    }

    fn kept(&self) -> Option<(u64, T)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_made_again_after_a_change() {
        let plan = KeptPlan::default();
        assert_eq!(plan.last(), None);
        assert_eq!(plan.get_or_make(0, || Err("no")), Err("no"));
        assert_eq!(plan.last(), None);
        assert_eq!(plan.get_or_make(0, || Ok::<_, &str>(1)), Ok(1));
        assert_eq!(plan.get_or_make(0, || Ok::<_, &str>(2)), Ok(1));
        assert_eq!(plan.get_or_make(3, || Err("no")), Err("no"));
        assert_eq!(plan.get_or_make(3, || Ok::<_, &str>(4)), Ok(4));
        assert_eq!(plan.last(), Some(4));
    }
}
