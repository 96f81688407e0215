//! The token of the server in the header of a request: as a bearer token, or as the password of any
//! user, which the handshake exchanges for a bearer token.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tonic::metadata::MetadataMap;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::origin::Access;

/// Clients in Go leave out the padding.
const BASIC: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const HEADER: &str = "authorization";

/// Checks each request before its body is read.
#[derive(Clone)]
pub(super) struct Authentication {
    pub(super) access: Arc<Access>,
    /// Receives why a request is refused.
    pub(super) refused: Arc<dyn Fn(&str) + Send + Sync>,
}

const NO_TOKEN: &str =
    "the request needs the token of the server, as a bearer token or as a password";

impl Interceptor for Authentication {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let is_allowed = !self.access.needs_token()
            || given(request.metadata()).is_some_and(|token| self.access.is_token(&token));
        if is_allowed {
            return Ok(request);
        }
        (self.refused)(NO_TOKEN);
        Err(Status::unauthenticated(NO_TOKEN))
    }
}

/// The token of a request, or the password.
pub(super) fn given(headers: &MetadataMap) -> Option<String> {
    let header = headers.get(HEADER)?.to_str().ok()?;
    let (scheme, value) = header.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(value.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(BASIC.decode(value.trim()).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn is_allowed(token: Option<&str>, header: Option<&str>) -> bool {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let access = Access::new(address, &[], &[], token.map(str::to_owned));
        let mut request = Request::new(());
        if let Some(header) = header {
            request.metadata_mut().insert(HEADER, header.parse().expect("a header"));
        }
        let refused = Arc::new(|_: &str| {});
        Authentication { access: Arc::new(access), refused }.call(request).is_ok()
    }

    #[test]
    fn the_token_is_a_bearer_token_or_a_password() {
        let token = Some("s3cret-s3cret");
        assert!(is_allowed(None, None));
        assert!(is_allowed(token, Some("Bearer s3cret-s3cret")));
        assert!(is_allowed(token, Some("bearer s3cret-s3cret")));
        let basic = |pair: &str| format!("Basic {}", BASIC.encode(pair));
        let padded = basic("me:s3cret-s3cret");
        assert!(padded.ends_with('=') && is_allowed(token, Some(&padded)));
        assert!(is_allowed(token, Some(padded.trim_end_matches('='))));
        for wrong in ["Bearer s3cret", "s3cret-s3cret", "Basic s3cret-s3cret", "Digest a", ""] {
            assert!(!is_allowed(token, Some(wrong)), "{wrong}");
        }
        assert!(!is_allowed(token, Some(&basic("s3cret-s3cret:me"))));
        assert!(!is_allowed(token, None));
    }
}
