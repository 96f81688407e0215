//! The Android package of code, by the path of its file.

/// What the path of a file says of its package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::decode) enum Location<'a> {
    /// The package.
    Package(&'a str),
    /// Anonymous memory, such as that of code compiled at run time.
    Anonymous,
    /// A path of an installed app that is not of the usual form.
    Unreadable,
    /// Any other path.
    Unknown,
}

/// Where apps are installed.
const APPS: &str = "/data/app/";
/// Code that was extracted from an app that is installed there.
const EXTRACTED: &str = "dex extracted in memory from /data/app/";

/// Files of apps that come with the system, by how their paths begin.
const SYSTEM_APPS: &[(&str, &str)] = &[
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

/// The same by words that their paths contain.
const SYSTEM_WORDS: &[(&str, &str)] = &[
    ("DevicePersonalizationPrebuilt", "com.google.android.as"),
    ("MatchMaker", "com.google.android.as"),
    ("DeviceIntelligenceNetworkPrebuilt", "com.google.android.as.oss"),
    ("SettingsIntelligenceGooglePrebuilt", "com.google.android.settings.intelligence"),
    ("PrebuiltGmsCore", "com.google.android.gms"),
    ("com.google.android.gms", "com.google.android.gms"),
];

/// The package that a file is of.
pub(in crate::decode) fn package_of(path: &str) -> Location<'_> {
    let begins = SYSTEM_APPS.iter().find(|(begin, _)| path.starts_with(begin));
    let contains = || SYSTEM_WORDS.iter().find(|(word, _)| path.contains(word));
    if let Some((_, package)) = begins.or_else(contains) {
        return Location::Package(package);
    }
    let installed = path
        .strip_prefix(APPS)
        .or_else(|| path.split_once(EXTRACTED).map(|(_, installed)| installed));
    match installed.map(package_of_app) {
        Some(Some(package)) => Location::Package(package),
        Some(None) => Location::Unreadable,
        None if path.starts_with("/memfd:") => Location::Anonymous,
        None => Location::Unknown,
    }
}

/// The package of an installed app: `PACKAGE-RANDOM/…`, or below another folder with a random name
/// that begins with `~`.
fn package_of_app(path: &str) -> Option<&str> {
    let (folder, rest) = path.split_once('/')?;
    let folder = match folder.starts_with('~') {
        true => rest.split_once('/')?.0,
        false => folder,
    };
    folder.split_once('-').map(|(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_files() {
        for (path, expected) in [
            ("/data/app/com.a-x1y==/base.apk", Location::Package("com.a")),
            ("/data/app/~~r==/com.b-x==/oat/arm64/base.odex", Location::Package("com.b")),
            (
                "[anon:dalvik-classes2.dex extracted in memory from /data/app/com.c-1/base.apk]",
                Location::Package("com.c"),
            ),
            (
                "/product/app/Maps/Maps.apk!classes.dex",
                Location::Package("com.google.android.apps.maps"),
            ),
            ("/x/PrebuiltGmsCore/y", Location::Package("com.google.android.gms")),
            ("/memfd:jit-cache", Location::Anonymous),
            ("/data/app/base.apk", Location::Unreadable),
            ("/data/app/~~r==/base.apk", Location::Unreadable),
            ("/system/framework/framework.jar", Location::Unknown),
            ("", Location::Unknown),
        ] {
            assert_eq!(package_of(path), expected, "{path}");
        }
    }
}
