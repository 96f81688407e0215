//! Checks of rules between the parts of a manifest.

use std::collections::HashSet;

use super::{Manifest, ManifestClocks, ManifestError, ManifestFile, ManifestProblem as Problem};
use crate::archive::plain;

impl Manifest {
    /// Checks the references to files and machines.
    pub(super) fn check(&self) -> Result<(), ManifestError> {
        self.check_trace_time()
            .map_err(|problem| ManifestError::Document { file: self.shown.clone(), problem })?;
        let mut seen = HashSet::new();
        for file in &self.files {
            let twice = !seen.insert(plain(&file.path));
            let result = if twice { Err(Problem::PathTwice) } else { self.check_clocks(file) };
            result.map_err(|problem| self.entry_error(file, problem))?;
        }
        Ok(())
    }

    /// Returns the error for a file with an entry that breaks a rule.
    pub(crate) fn entry_error(&self, file: &ManifestFile, problem: Problem) -> ManifestError {
        ManifestError::Entry { file: self.shown.clone(), path: file.path.clone(), problem }
    }

    fn check_trace_time(&self) -> Result<(), Problem> {
        let Some(trace_time) = &self.trace_time else { return Ok(()) };
        let Some(file) = &trace_time.file else { return Ok(()) };
        self.check_reference(
            ("trace_time.file", file),
            ("trace_time.machine", trace_time.machine.as_deref()),
        )
    }

    fn check_clocks(&self, file: &ManifestFile) -> Result<(), Problem> {
        let Some(clocks) = &file.clocks else { return Ok(()) };
        match &clocks.machine {
            Some(machine) => declared(file, "clocks.machine", machine)?,
            None if file.is_multi_machine() => {
                return Err(Problem::NoClockMachine(file.path.clone()));
            }
            None => {}
        }
        self.check_reference(
            ("clocks: sync_to.file", &clocks.to_file),
            ("clocks: sync_to.machine", clocks.to_machine.as_deref()),
        )?;
        if is_itself(file, clocks) { Err(Problem::SyncToItself) } else { Ok(()) }
    }

    /// Checks that a file is listed and that the reference names a machine if the file has several.
    fn check_reference(
        &self,
        (file_field, path): (&'static str, &str),
        (machine_field, machine): (&'static str, Option<&str>),
    ) -> Result<(), Problem> {
        let path = path.to_owned();
        let Some(file) = self.file(&path) else {
            return Err(Problem::UnknownFile { field: file_field, path });
        };
        match machine {
            Some(machine) => declared(file, machine_field, machine),
            None if file.is_multi_machine() => {
                Err(Problem::NoReferenceMachine { field: file_field, path })
            }
            None => Ok(()),
        }
    }
}

fn declared(file: &ManifestFile, field: &'static str, machine: &str) -> Result<(), Problem> {
    if file.declares(machine) {
        return Ok(());
    }
    let (machine, path) = (machine.to_owned(), file.path.clone());
    Err(Problem::UndeclaredName { field, machine, path })
}

fn is_itself(file: &ManifestFile, clocks: &ManifestClocks) -> bool {
    // For a file with one machine, the machine may be named or not.
    let own = |machine: &Option<String>| machine.clone().or_else(|| file.machine.clone());
    plain(&clocks.to_file) == plain(&file.path)
        && clocks.to_clock == clocks.clock
        && own(&clocks.to_machine) == own(&clocks.machine)
}
