//! Access to the server: host names, origins of web pages, and the token.
//!
//! Any page that a browser shows can send requests to a server on the same machine. Three checks
//! keep it out. The `Host` header must name this machine, or a page could reach the server under a
//! name of its own by changing what its DNS answers. A request that names an origin must name one
//! that is allowed. And a server that other machines can reach wants a token.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Origins of the Perfetto UI: the public one, and a local build.
const PERFETTO_UI: [&str; 3] =
    ["https://ui.perfetto.dev", "http://localhost:10000", "http://127.0.0.1:10000"];

/// Text that is not an origin.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an origin; write a scheme and a host, such as https://example.org:8080")]
pub struct OriginError(String);

/// The origin of pages that may use the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedOrigin(String);

impl FromStr for AllowedOrigin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let wrong = || OriginError(text.to_owned());
        let text = text.strip_suffix('/').unwrap_or(text);
        let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
        let is_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let is_host = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
        let is_origin = !scheme.is_empty()
            && !host.is_empty()
            && scheme.chars().all(is_scheme)
            && host.chars().all(is_host);
        if is_origin { Ok(Self(text.to_ascii_lowercase())) } else { Err(wrong()) }
    }
}

impl fmt::Display for AllowedOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The origin of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestOrigin {
    /// None: a program, or a page of the server itself.
    None,
    /// One that is allowed.
    Allowed,
    /// Any other.
    Foreign,
}

/// The rules of access to the server.
#[derive(Clone, Debug)]
pub struct Access {
    /// Whether only this machine can reach the server.
    is_loopback: bool,
    /// Names of this machine, in addition to those of the loopback interface.
    names: Vec<String>,
    origins: Vec<String>,
    token: Option<String>,
}

impl Access {
    /// Access to a server at `address` for the Perfetto UI, for pages of `origins`, and for
    /// programs. `names` are names of this machine. With a token, each request must have it.
    pub fn new(
        address: IpAddr,
        names: &[String],
        origins: &[AllowedOrigin],
        token: Option<String>,
    ) -> Self {
        let known = PERFETTO_UI.iter().map(|&origin| origin.to_owned());
        Self {
            is_loopback: address.is_loopback(),
            names: names.iter().map(|name| name.to_ascii_lowercase()).collect(),
            origins: known.chain(origins.iter().map(|origin| origin.0.clone())).collect(),
            token,
        }
    }

    /// Whether requests need a token.
    pub fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether the `Host` header of a request names this machine. A request of HTTP/1.1 has one, and
    /// no other version is spoken.
    pub(crate) fn is_own_host(&self, header: Option<&str>) -> bool {
        let Some(header) = header else { return true };
        let host = host_of(header).to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        if host == "localhost" || self.names.iter().any(|name| name == host) {
            return true;
        }
        match host.parse::<IpAddr>() {
            // An address is no name, so DNS has no say in it.
            Ok(address) => !self.is_loopback || is_loopback(address),
            Err(_) => false,
        }
    }

    /// The origin of a request to `host`, by its headers `Origin` and `Sec-Fetch-Site`. Programs
    /// send neither.
    pub(crate) fn origin(
        &self,
        origin: Option<&str>,
        host: Option<&str>,
        site: Option<&str>,
    ) -> RequestOrigin {
        let Some(origin) = origin.filter(|origin| !origin.is_empty()) else {
            // `none` is a request of the user, by a typed address.
            let is_own = matches!(site, None | Some("none" | "same-origin"));
            return if is_own { RequestOrigin::None } else { RequestOrigin::Foreign };
        };
        let origin = origin.to_ascii_lowercase();
        let own = host.is_some_and(|host| {
            let host = host.to_ascii_lowercase();
            origin.strip_prefix("http://") == Some(host.as_str())
        });
        match own || self.origins.contains(&origin) {
            true => RequestOrigin::Allowed,
            false => RequestOrigin::Foreign,
        }
    }

    /// Whether a request has the token: in its header `Authorization`, or for WebSockets of pages,
    /// which cannot set headers, as `token=` in its query.
    pub(crate) fn has_token(&self, authorization: Option<&str>, query: Option<&str>) -> bool {
        let Some(token) = &self.token else { return true };
        let bearer = authorization.and_then(|value| value.strip_prefix("Bearer "));
        let mut pairs = query.unwrap_or_default().split('&');
        let in_query = pairs.find_map(|pair| pair.strip_prefix("token="));
        [bearer, in_query].into_iter().flatten().any(|given| is_same(given.trim(), token))
    }

    /// Whether a password is the token. Without a token, any is.
    pub(crate) fn is_token(&self, given: &str) -> bool {
        self.token.as_ref().is_none_or(|token| is_same(given, token))
    }
}

/// The host of a `Host` header, without its port.
fn host_of(header: &str) -> &str {
    let header = header.trim();
    if let Some(address) = header.strip_prefix('[') {
        return address.split(']').next().unwrap_or_default();
    }
    match header.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => header,
    }
}

fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address == Ipv4Addr::UNSPECIFIED,
        IpAddr::V6(address) => address.is_loopback() || address == Ipv6Addr::UNSPECIFIED,
    }
}

/// Compares texts in a time that does not tell how much of them is equal.
fn is_same(given: &str, expected: &str) -> bool {
    let pairs = given.bytes().zip(expected.bytes());
    given.len() == expected.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loopback() -> Access {
        Access::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &["devbox".to_owned()], &[], None)
    }

    #[test]
    fn hosts_of_this_machine_are_its_own() {
        let access = loopback();
        let own = [
            "localhost",
            "LOCALHOST:9001",
            "127.0.0.1:9001",
            "127.1.2.3",
            "[::1]:9001",
            "[::1]",
            "localhost.",
            "devbox:80",
        ];
        for host in own {
            assert!(access.is_own_host(Some(host)), "{host}");
        }
        let others = [
            "evil.example",
            "evil.example:9001",
            "localhost.evil.example",
            "10.0.0.1",
            "",
            "127.0.0.1.evil.example",
            "[::2]:9001",
        ];
        for host in others {
            assert!(!access.is_own_host(Some(host)), "{host}");
        }
        assert!(access.is_own_host(None));
    }

    #[test]
    fn a_server_for_other_machines_has_any_address_but_no_other_name() {
        let any = Access::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), &["devbox".into()], &[], None);
        assert!(any.is_own_host(Some("10.0.0.1:9001")) && any.is_own_host(Some("devbox")));
        assert!(!any.is_own_host(Some("evil.example")));
    }

    #[test]
    fn the_ui_and_named_origins_are_allowed() {
        let extra: AllowedOrigin = "http://Dash.example:3000/".parse().expect("an origin");
        let access = Access::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &[], &[extra], None);
        let host = Some("127.0.0.1:9001");
        let origin = |origin| access.origin(origin, host, Some("cross-site"));
        for (site, expected) in [
            (None, RequestOrigin::None),
            (Some("none"), RequestOrigin::None),
            (Some("same-origin"), RequestOrigin::None),
            (Some("same-site"), RequestOrigin::Foreign),
            (Some("cross-site"), RequestOrigin::Foreign),
        ] {
            assert_eq!(access.origin(None, host, site), expected, "{site:?}");
        }
        for allowed in [
            "https://ui.perfetto.dev",
            "http://localhost:10000",
            "http://127.0.0.1:10000",
            "http://dash.example:3000",
            "http://127.0.0.1:9001",
        ] {
            assert_eq!(origin(Some(allowed)), RequestOrigin::Allowed, "{allowed}");
        }
        for foreign in [
            "null",
            "https://evil.example",
            "http://ui.perfetto.dev",
            "https://ui.perfetto.dev.evil.example",
            "http://localhost:10001",
            "https://127.0.0.1:9001",
        ] {
            assert_eq!(origin(Some(foreign)), RequestOrigin::Foreign, "{foreign}");
        }
    }

    #[test]
    fn an_origin_has_a_scheme_and_a_host() {
        for wrong in ["", "*", "example.org", "https://", "https://a/b", "://a", "http://a b"] {
            assert!(wrong.parse::<AllowedOrigin>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_token_is_in_the_header_or_the_query() {
        let token = Some("s3cret".to_owned());
        let access = Access::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), &[], &[], token);
        assert!(access.has_token(Some("Bearer s3cret"), None));
        assert!(access.has_token(None, Some("a=b&token=s3cret")));
        for (header, query) in [
            (None, None),
            (Some("s3cret"), None),
            (Some("Bearer s3cre"), None),
            (Some("Bearer s3cret1"), Some("token=")),
        ] {
            assert!(!access.has_token(header, query));
        }
        assert!(loopback().has_token(None, None));
    }
}
