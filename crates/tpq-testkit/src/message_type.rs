//! The common structure of all typed messages.

/// Declares a typed message: a [`Message`](crate::Message) with named fields.
macro_rules! message_type {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default)]
        #[must_use]
        pub struct $name(pub(crate) $crate::Message);

        impl From<$name> for $crate::Message {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl From<$crate::Message> for $name {
            fn from(message: $crate::Message) -> Self {
                Self(message)
            }
        }
    };
}
