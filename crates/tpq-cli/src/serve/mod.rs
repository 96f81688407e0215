//! Runs a server with the import of this program.
//!
//! ```text
//! main runtime: queries, imports ◀── tpq_server::Engine ◀── server runtime: connections
//! ```
//!
//! Connections have a runtime of their own, so that no query keeps them waiting.

mod loader;
mod messages;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tokio::runtime::{Builder, Handle, Runtime};
use tpq::ImportOptions;
use tpq_server::{Access, Endpoints, Engine, Limits, Server};

use self::loader::{ImportedTrace, Loader};
use self::messages::Messages;
use crate::args::{ImportArgs, table_cache};
use crate::metatrace::Recording;
use crate::{health_line, open, signals};

/// The number of threads for connections.
const SERVER_THREADS: usize = 2;

/// What a server is to do.
pub struct Settings {
    /// Where to listen.
    pub endpoints: Endpoints,
    /// The rules of access to it.
    pub access: Access,
    /// What clients may use.
    pub limits: Limits,
    /// Whether statements may read files.
    pub allow_files: bool,
}

/// Serves until a signal ends the process.
///
/// # Errors
/// When an endpoint is in use, or a trace cannot be imported.
pub async fn run(import: &ImportArgs, settings: Settings) -> anyhow::Result<()> {
    let recording = Recording::start(import.flags.metatrace.as_deref(), &import.traces)?;
    let cache = if import.no_cache { None } else { table_cache(&import.config)? };
    let options = ImportOptions {
        cache,
        strict: import.strict,
        sql_packages: import.add_sql_package.clone(),
        allow_files: settings.allow_files,
        metatrace: recording.metatrace(),
        ..open::options(&import.flags)
    };
    let outcome = serve(import, options, settings).await;
    recording.finish(outcome)
}

async fn serve(
    import: &ImportArgs,
    options: ImportOptions,
    settings: Settings,
) -> anyhow::Result<()> {
    let Settings { endpoints, access, limits, .. } = settings;
    let has_token = access.needs_token();
    let runtime = ServerRuntime::start()?;
    let messages = Arc::new(Messages::new(import.flags.quiet));
    let loader = Loader::new(options.clone(), import.flags.quiet, Arc::clone(&messages));
    let loader = Arc::new(loader);
    let engine = Engine::new(loader, Arc::clone(&messages) as _, limits, Handle::current());
    let engine = engine.map_err(|error| anyhow::anyhow!(error))?;
    // Before the import: a port that is in use should not cost its time.
    let (shared, places) = (Arc::clone(&engine), endpoints.clone());
    let server = runtime.run(async move { Server::bind(shared, access, &places) }).await??;
    if !import.traces.is_empty() {
        engine.set_trace(Arc::new(open_traces(import, options).await?)).await;
    }
    // Perfetto's page asks for the list of all modules and their objects when it opens.
    drop(tokio::task::spawn_blocking(|| tpq_sql::read_built_in_modules(1)));
    signals::handle_one_end();
    let mut ends = signals::interrupts();
    messages.listening(&server.addresses(), &endpoints, has_token);
    runtime.run(async move { server.run(ends.next()).await }).await??;
    messages.ended();
    Ok(())
}

/// Opens the traces of the command line, from the cache or by an import.
async fn open_traces(import: &ImportArgs, options: ImportOptions) -> anyhow::Result<ImportedTrace> {
    let trace = open::open(&import.traces, &import.flags, options).await?;
    if !import.flags.quiet {
        health_line::report(&trace)?;
    }
    let name = |path: &std::path::PathBuf| {
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let names: Vec<String> = import.traces.iter().map(name).collect();
    Ok(ImportedTrace::new(trace, names.join(", ")))
}

/// The name of this machine in its network, by which others may reach it.
pub fn machine_name() -> Option<String> {
    let name = std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname")).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The threads for connections.
struct ServerRuntime(Option<Runtime>);

impl ServerRuntime {
    fn start() -> anyhow::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(SERVER_THREADS).thread_name("server").enable_all();
        Ok(Self(Some(builder.build().context("cannot start the threads of the server")?)))
    }

    /// Runs work on these threads.
    async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let runtime = self.0.as_ref().context("the threads of the server have ended")?;
        runtime.spawn(work).await.context("the server stopped unexpectedly, a bug in tpq")
    }
}

impl Drop for ServerRuntime {
    /// Connections that are open end here.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
