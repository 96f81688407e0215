//! Values that a configuration carries to functions and operators, and that are no settings.

/// Lets DataFusion's configuration carry a type, as an extension without settings. A copy of the
/// configuration carries a clone.
macro_rules! carried {
    ($type:ty, $prefix:literal) => {
        impl datafusion::common::config::ConfigExtension for $type {
            const PREFIX: &'static str = $prefix;
        }

        impl datafusion::common::config::ExtensionOptions for $type {
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }

            fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
                self
            }

            fn cloned(&self) -> Box<dyn datafusion::common::config::ExtensionOptions> {
                Box::new(self.clone())
            }

            fn set(&mut self, key: &str, _: &str) -> datafusion::common::Result<()> {
                datafusion::common::config_err!("{}.{key} cannot be set", $prefix)
            }

            fn entries(&self) -> Vec<datafusion::common::config::ConfigEntry> {
                Vec::new()
            }
        }
    };
}

pub(crate) use carried;
