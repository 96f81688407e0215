//! The beginning of a connection: encryption is refused, the password is asked for, and the client
//! receives the settings.

use std::time::Duration;

use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey,
};

use super::Shared;
use super::cancels::Registered;
use super::errors::{Failure, code};
use super::input::{Input, InputError, MAX_OPENING};
use super::output::Output;
use super::requests::{Opening, Request};
use super::settings::Settings;

/// The time that a client has to begin a session.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Requests for encryption that are refused before the connection ends.
const MAX_REFUSED: usize = 4;
/// The last minor version of the protocol that is spoken.
const MINOR_VERSION: u16 = 0;

/// A session that has begun.
pub(super) struct Started {
    pub(super) settings: Settings,
    pub(super) registered: Registered,
}

/// Why a session does not begin.
pub(super) enum NotStarted {
    /// The client has gone, or wanted something else.
    Ended,
    /// An error for the client.
    Refused(Failure),
}

impl From<InputError> for NotStarted {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Disconnected => Self::Ended,
            InputError::Protocol(error) => Self::Refused(error.into()),
        }
    }
}

/// Begins a session, or stops the query of another.
pub(super) async fn start(
    shared: &Shared,
    input: &mut Input,
    output: &mut Output,
) -> Result<Started, NotStarted> {
    for _ in 0..MAX_REFUSED {
        match input.opening().await? {
            Opening::Ssl | Opening::Gss => {
                output.refuse_encryption();
                output.flush().await.map_err(|_| NotStarted::Ended)?;
            }
            Opening::Cancel(key) => {
                shared.cancels.cancel(key);
                return Err(NotStarted::Ended);
            }
            Opening::Startup { minor_version, parameters } => {
                authenticate(shared, input, output).await?;
                let mut settings = Settings::default();
                for (name, value) in &parameters {
                    begin_with(&mut settings, name, value);
                }
                let registered = shared.cancels.register();
                let unknown: Vec<String> =
                    parameters.into_keys().filter(|name| name.starts_with("_pq_.")).collect();
                welcome(output, &settings, &registered, minor_version, unknown)
                    .map_err(NotStarted::Refused)?;
                return Ok(Started { settings, registered });
            }
        }
    }
    Err(NotStarted::Ended)
}

/// Asks for the password, if one is needed: the token of the server, whatever the user's name.
async fn authenticate(
    shared: &Shared,
    input: &mut Input,
    output: &mut Output,
) -> Result<(), NotStarted> {
    if !shared.access.needs_token() {
        return Ok(());
    }
    let ask = PgWireBackendMessage::Authentication(Authentication::CleartextPassword);
    output.add(&ask).map_err(|error| NotStarted::Refused(error.into()))?;
    output.flush().await.map_err(|_| NotStarted::Ended)?;
    match input.request(MAX_OPENING).await? {
        Request::Password(given) if shared.access.is_token(&given) => Ok(()),
        Request::Password(_) => {
            let failure = Failure::new(code::WRONG_PASSWORD, "the password is not the token")
                .with_hint("the password is the token that the server was started with");
            Err(NotStarted::Refused(failure.fatal()))
        }
        Request::Terminate => Err(NotStarted::Ended),
        _ => Err(NotStarted::Refused(super::requests::ProtocolError::NoPassword.into())),
    }
}

/// Settings that a client gives when it connects. Those that cannot be are left as they are, so
/// that a client with an unusual environment can connect.
fn begin_with(settings: &mut Settings, name: &str, value: &str) {
    match name {
        "user" => drop(settings.set("session_authorization", value)),
        "database" | "replication" => {}
        "options" => {
            for (name, value) in options(value) {
                drop(settings.set(&name, &value));
            }
        }
        _ => drop(settings.set(name, value)),
    }
}

/// The settings in `-c name=value --other=value`.
fn options(text: &str) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let setting = match word {
            "-c" => words.next().unwrap_or_default(),
            word => word.strip_prefix("--").or(word.strip_prefix("-c")).unwrap_or_default(),
        };
        if let Some((name, value)) = setting.split_once('=') {
            settings.push((name.replace('-', "_"), value.to_owned()));
        }
    }
    settings
}

/// Announces that the session begins, with the settings and the key of the connection.
fn welcome(
    output: &mut Output,
    settings: &Settings,
    registered: &Registered,
    minor_version: u16,
    unknown: Vec<String>,
) -> Result<(), Failure> {
    if minor_version > MINOR_VERSION || !unknown.is_empty() {
        let version = NegotiateProtocolVersion::new(i32::from(MINOR_VERSION), unknown);
        output.add(&PgWireBackendMessage::NegotiateProtocolVersion(version))?;
    }
    output.add(&PgWireBackendMessage::Authentication(Authentication::Ok))?;
    for (name, value) in settings.reported() {
        output.add(&status(name, value))?;
    }
    let key = registered.key;
    let key = BackendKeyData::new(key.process, SecretKey::I32(key.secret));
    output.add(&PgWireBackendMessage::BackendKeyData(key))?;
    Ok(())
}

/// The message with the value of a setting.
pub(super) fn status(name: &str, value: &str) -> PgWireBackendMessage {
    let value = value.replace('\0', "\u{fffd}");
    PgWireBackendMessage::ParameterStatus(ParameterStatus::new(name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_connection_are_settings() {
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            options("-c a=1 --geqo-threshold=2 -cb=3 -x"),
            [setting("a", "1"), setting("geqo_threshold", "2"), setting("b", "3")]
        );
        assert_eq!(options("-c"), []);
    }
}
