//! Names of states and events in the history of the battery.

/// The name of an event, by its short form.
pub(super) fn event_name(short: &[u8]) -> Option<&'static str> {
    EVENTS.iter().find(|(found, _)| found.as_bytes() == short).map(|&(_, name)| name)
}

/// The name of a state, by its short form, and the names of its values. A value is its place among
/// them.
pub(super) fn state(short: &[u8]) -> Option<(&'static str, &'static [&'static str])> {
    STATES
        .iter()
        .find(|(found, ..)| found.as_bytes() == short)
        .map(|&(_, name, values)| (name, values))
}

const EVENTS: &[(&str, &str)] = &[
    ("Enl", "null"),
    ("Epr", "proc"),
    ("Efg", "fg"),
    ("Etp", "top"),
    ("Esy", "sync"),
    ("Ewl", "wake_lock_in"),
    ("Ejb", "job"),
    ("Eur", "user"),
    ("Euf", "userfg"),
    ("Ecn", "conn"),
    ("Eac", "active"),
    ("Epi", "pkginst"),
    ("Epu", "pkgunin"),
    ("Eal", "alarm"),
    ("Est", "stats"),
    ("Eai", "pkginactive"),
    ("Eaa", "pkgactive"),
    ("Etw", "tmpwhitelist"),
    ("Esw", "screenwake"),
    ("Ewa", "wakeupap"),
    ("Elw", "longwake"),
    ("Eec", "est_capacity"),
];

const STATES: &[(&str, &str, &[&str])] = &[
    ("r", "running", &[]),
    ("w", "wake_lock", &[]),
    ("s", "sensor", &[]),
    ("g", "gps", &[]),
    ("Wl", "wifi_full_lock", &[]),
    ("Ws", "wifi_scan", &[]),
    ("Wm", "wifi_multicast", &[]),
    ("Wr", "wifi_radio", &[]),
    ("Pr", "mobile_radio", &[]),
    ("Psc", "phone_scanning", &[]),
    ("a", "audio", &[]),
    ("S", "screen", &[]),
    ("BP", "plugged", &[]),
    ("Sd", "screen_doze", &[]),
    ("Pcn", "data_conn", DATA_CONNECTIONS),
    ("Pst", "phone_state", &["in", "out", "em", "off"]),
    ("Pss", "phone_signal_strength", &[]),
    ("Sb", "brightness", &[]),
    ("ps", "power_save", &[]),
    ("v", "video", &[]),
    ("Ww", "wifi_running", &[]),
    ("W", "wifi", &[]),
    ("fl", "flashlight", &[]),
    ("di", "device_idle", &["off", "light", "full", "???"]),
    ("ch", "charging", &[]),
    ("Ud", "usb_data", &[]),
    ("Pcl", "phone_in_call", &[]),
    ("b", "bluetooth", &[]),
    ("Wss", "wifi_signal_strength", &[]),
    ("Wsp", "wifi_suppl", WIFI_SUPPLICANT),
    ("ca", "camera", &[]),
    ("bles", "ble_scan", &[]),
    ("Chtp", "cellular_high_tx_power", &[]),
    ("Gss", "gps_signal_quality", &["poor", "good", "none"]),
    ("nrs", "nr_state", &[]),
];

const DATA_CONNECTIONS: &[&str] = &[
    "oos", "gprs", "edge", "umts", "cdma", "evdo_0", "evdo_A", "1xrtt", "hsdpa", "hsupa", "hspa",
    "iden", "evdo_b", "lte", "ehrpd", "hspap", "gsm", "td_scdma", "iwlan", "lte_ca", "nr",
    "emngcy", "other",
];

const WIFI_SUPPLICANT: &[&str] = &[
    "inv", "dsc", "dis", "inact", "scan", "auth", "ascing", "asced", "4-way", "group", "compl",
    "dorm", "uninit",
];
