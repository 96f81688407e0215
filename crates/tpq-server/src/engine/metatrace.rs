//! A recording of the server itself.

use std::sync::{Arc, PoisonError};

use tpq_proto::message::DisableAndReadMetatraceResult;

use super::Engine;
use crate::loader::Metatrace;

impl Engine {
    /// Starts a recording of imports and queries.
    pub(crate) fn enable_metatrace(&self) {
        let metatrace = self.loader.start_metatrace();
        *self.metatrace.lock().unwrap_or_else(PoisonError::into_inner) = Some(metatrace);
    }

    /// Ends the recording and returns it.
    pub(crate) async fn disable_and_read_metatrace(&self) -> DisableAndReadMetatraceResult {
        self.loader.stop_metatrace();
        let ended = self.metatrace.lock().unwrap_or_else(PoisonError::into_inner).take();
        let bytes = match ended {
            // A recording may be long.
            Some(ended) => self.detached("the recording", async move { ended.to_bytes() }).await,
            None => {
                let error = Some("no recording was started".to_owned());
                return DisableAndReadMetatraceResult { metatrace: None, error };
            }
        };
        match bytes {
            Ok(bytes) => DisableAndReadMetatraceResult { metatrace: Some(bytes), error: None },
            Err(error) => {
                DisableAndReadMetatraceResult { metatrace: None, error: Some(error.to_string()) }
            }
        }
    }

    /// The recording, if one runs.
    pub(super) fn metatrace(&self) -> Option<Arc<dyn Metatrace>> {
        self.metatrace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
