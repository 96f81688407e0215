//! Packages of Android by the files that code is loaded from.

/// A file does not have the usual path of an app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UnknownApp;

/// Apps that come with the system, by the start of their path.
const BY_PREFIX: [(&str, &str); 10] = [
    ("/system_ext/priv-app/SystemUIGoogle/SystemUIGoogle.apk", "com.android.systemui"),
    ("/product/priv-app/Phonesky/Phonesky.apk", "com.android.vending"),
    ("/product/app/Maps/Maps.apk", "com.google.android.apps.maps"),
    (
        "/system_ext/priv-app/NexusLauncherRelease/NexusLauncherRelease.apk",
        "com.google.android.apps.nexuslauncher",
    ),
    ("/product/app/Photos/Photos.apk", "com.google.android.apps.photos"),
    (
        "/product/priv-app/WellbeingPrebuilt/WellbeingPrebuilt.apk",
        "com.google.android.apps.wellbeing",
    ),
    ("/product/app/PrebuiltGmail/PrebuiltGmail.apk", "com.google.android.gm"),
    ("/product/priv-app/Velvet/Velvet.apk", "com.google.android.googlequicksearchbox"),
    (
        "/product/app/LatinIMEGooglePrebuilt/LatinIMEGooglePrebuilt.apk",
        "com.google.android.inputmethod.latin",
    ),
    ("/product/app/PrebuiltBugle/PrebuiltBugle.apk", "com.google.android.apps.messaging"),
];

/// Apps that come with the system, by a part of their path.
const BY_PART: [(&str, &str); 6] = [
    ("DevicePersonalizationPrebuilt", "com.google.android.as"),
    ("MatchMaker", "com.google.android.as"),
    ("DeviceIntelligenceNetworkPrebuilt", "com.google.android.as.oss"),
    ("SettingsIntelligenceGooglePrebuilt", "com.google.android.settings.intelligence"),
    ("PrebuiltGmsCore", "com.google.android.gms"),
    ("com.google.android.gms", "com.google.android.gms"),
];

/// The folder of apps that users install.
const APPS: &str = "/data/app/";
/// The name of code that was unpacked into memory, before the path of its app.
const IN_MEMORY: &str = "dex extracted in memory from /data/app/";

/// The package of the code at a location; `None` if the location is not that of an app.
pub(super) fn package_of(location: &str) -> Result<Option<&str>, UnknownApp> {
    let by_prefix = BY_PREFIX.iter().find(|(prefix, _)| location.starts_with(prefix));
    let known = by_prefix.or_else(|| BY_PART.iter().find(|(part, _)| location.contains(part)));
    if let Some((_, package)) = known {
        return Ok(Some(package));
    }
    let in_memory = || location.split_once(IN_MEMORY).map(|(_, path)| path);
    match location.strip_prefix(APPS).or_else(in_memory) {
        Some(path) => of_app(path).map(Some).ok_or(UnknownApp),
        None => Ok(None),
    }
}

/// The package of an app at `PACKAGE-RANDOM/FILE` or `~~RANDOM/PACKAGE-RANDOM/FILE`.
fn of_app(path: &str) -> Option<&str> {
    let path = match path.starts_with('~') {
        true => path.split_once('/')?.1,
        false => path,
    };
    let (folder, _) = path.split_once('/')?;
    folder.split_once('-').map(|(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_paths() {
        for (location, package) in [
            ("/data/app/a.b-Xy0==/base.apk", Ok(Some("a.b"))),
            ("/data/app/~~Zz==/a.b-Xy0==/base.apk", Ok(Some("a.b"))),
            (
                "[anon:dalvik-classes2.dex extracted in memory from /data/app/a.b-1/base.apk]",
                Ok(Some("a.b")),
            ),
            (
                "/product/app/Photos/Photos.apk!classes2.dex",
                Ok(Some("com.google.android.apps.photos")),
            ),
            ("/product/priv-app/PrebuiltGmsCoreSc/x.apk", Ok(Some("com.google.android.gms"))),
            ("/apex/com.android.art/javalib/core-oj.jar", Ok(None)),
            ("", Ok(None)),
            ("/data/app/a.b", Err(UnknownApp)),
            ("/data/app/a.b/base.apk", Err(UnknownApp)),
            ("/data/app/~~Zz", Err(UnknownApp)),
            ("/data/app/", Err(UnknownApp)),
        ] {
            assert_eq!(package_of(location), package, "{location}");
        }
    }
}
