//! The system the trace was recorded on.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::SystemInfo;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Metadata, MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::SYSTEM_INFO,
    route: Route::Immediate,
    decode: decode_info,
};

/// Bytes in a GB as memory is sold.
const GB: u64 = 1_000_000_000;

fn decode_info(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Ok(mut info) = decode::<SystemInfo>(packet.data) else { return };
    if info.android_sdk_version.is_none() {
        let build = Build::parse(info.android_build_fingerprint());
        info.android_sdk_version = build.and_then(Build::sdk_version);
    }
    let row = packet.machine;
    if let Some(uts) = &info.utsname {
        trackers.source.sched.set_kernel_release(uts.release());
    }
    trackers.source.page_size.set(info.page_size());
    describe_machine(&info, row, tables);
    let recording = &mut trackers.file.recording;
    recording.is_user_build |= is_user_build(info.android_build_fingerprint());
    recording.service_version =
        major_version(info.tracing_service_version()).or(recording.service_version);
    note_facts(&info, &mut trackers.metadata, tables);
}

/// Parts of a build's fingerprint: `brand/product/device:version/id/incremental:type/tags`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Build<'a> {
    version: &'a str,
    incremental: &'a str,
}

impl<'a> Build<'a> {
    fn parse(fingerprint: &'a str) -> Option<Self> {
        let (_, rest) = fingerprint.split_once(':')?;
        let (build, _) = rest.split_once(':')?;
        let (version, id) = build.split_once('/')?;
        let (_, incremental) = id.rsplit_once('/')?;
        Some(Self { version, incremental })
    }

    /// The version of the interfaces that a version of Android has, for recorders that did
    /// not state it.
    fn sdk_version(self) -> Option<u64> {
        let known = [
            ("12", 31),
            ("11", 30),
            ("10", 29),
            ("9", 28),
            ("8.1", 27),
            ("8.0", 26),
            ("7.1", 25),
            ("7.0", 24),
            ("6.0", 23),
            ("5.1.1", 22),
            ("5.1", 22),
            ("5.0", 21),
        ];
        known.iter().find(|(version, _)| *version == self.version).map(|&(_, sdk)| sdk)
    }
}

/// Whether a fingerprint is that of a build for users, `…:user/release-keys`.
fn is_user_build(fingerprint: &str) -> bool {
    fingerprint.rsplit_once(':').is_some_and(|(_, build)| build.starts_with("user/"))
}

/// The first number of a version such as `Perfetto v54.0 (N/A)`.
fn major_version(version: &str) -> Option<u32> {
    let (_, number) = version.split_once(" v")?;
    number.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

fn in_gb(bytes: u64) -> i64 {
    (bytes.saturating_add(GB / 2) / GB) as i64
}

/// Fills the machine's row.
fn describe_machine(info: &SystemInfo, row: u32, tables: &mut Tables) {
    let uts = info.utsname.clone().unwrap_or_default();
    let (machine, strings) = (&mut tables.machine, &mut tables.strings);
    for (column, text) in [
        (&mut machine.sysname, uts.sysname()),
        (&mut machine.version, uts.version()),
        (&mut machine.release, uts.release()),
        (&mut machine.arch, uts.machine()),
        (&mut machine.android_build_fingerprint, info.android_build_fingerprint()),
        (&mut machine.android_device_manufacturer, info.android_device_manufacturer()),
    ] {
        if !text.is_empty() {
            column.set(row, strings.intern(text));
        }
    }
    // A name that a manifest gives a machine takes precedence.
    if !info.machine_name().is_empty() && machine.name.get(row).is_null() {
        machine.name.set(row, strings.intern(info.machine_name()));
    }
    for (column, value) in [
        (&mut machine.android_sdk_version, info.android_sdk_version.map(|version| version as i64)),
        (&mut machine.system_ram_bytes, info.system_ram_bytes.map(|bytes| bytes as i64)),
        (&mut machine.system_ram_gb, info.system_ram_bytes.map(in_gb)),
        (&mut machine.num_cpus, info.num_cpus.map(i64::from)),
    ] {
        if value.is_some() {
            column.set(row, value);
        }
    }
}

/// Writes the facts that are not of the machine alone.
fn note_facts(info: &SystemInfo, metadata: &mut Metadata, tables: &mut Tables) {
    let uts = info.utsname.clone().unwrap_or_default();
    let build = Build::parse(info.android_build_fingerprint()).unwrap_or_default();
    for (name, text) in [
        ("system_name", uts.sysname()),
        ("system_version", uts.version()),
        ("system_release", uts.release()),
        ("system_machine", uts.machine()),
        ("android_build_fingerprint", info.android_build_fingerprint()),
        ("android_incremental_build", build.incremental),
        ("android_device_manufacturer", info.android_device_manufacturer()),
        ("android_soc_model", info.android_soc_model()),
        ("android_guest_soc_model", info.android_guest_soc_model()),
        ("android_hardware_revision", info.android_hardware_revision()),
        ("android_storage_model", info.android_storage_model()),
        ("android_ram_model", info.android_ram_model()),
        ("android_serial_console", info.android_serial_console()),
        ("tracing_service_version", info.tracing_service_version()),
    ] {
        metadata.set_text(name, text, tables);
    }
    for (name, value) in [
        ("timezone_off_mins", info.timezone_off_mins.map(i64::from)),
        ("android_sdk_version", info.android_sdk_version.map(|version| version as i64)),
        ("system_ram_bytes", info.system_ram_bytes.map(|bytes| bytes as i64)),
        ("system_ram_gb", info.system_ram_bytes.map(in_gb)),
    ] {
        if let Some(value) = value {
            metadata.set(name, MetadataValue::Int(value), tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_names_the_build_and_for_old_versions_the_interfaces() {
        let parse = |text| Build::parse(text).map(|build| (build.incremental, build.sdk_version()));
        let old = "samsung/x1q/x1q:11/RP1A.200720.012/G981U1UES2DUG6:user/release-keys";
        assert_eq!(parse(old), Some(("G981U1UES2DUG6", Some(30))));
        let new = "google/cheetah/cheetah:13/TQ3A.230705.001/10216780:user/release-keys";
        assert_eq!(parse(new), Some(("10216780", None)));
        assert_eq!(parse("google/cheetah"), None);
        assert_eq!(parse("a:13/id:user"), None);
        assert!(is_user_build(new));
        assert!(!is_user_build("generic/aosp/cf:16/ID/1:userdebug/dev-keys"));
    }

    #[test]
    fn the_version_of_the_service_begins_with_its_major_number() {
        assert_eq!(major_version("Perfetto v54.0 (N/A)"), Some(54));
        assert_eq!(major_version("Perfetto v9-abc"), Some(9));
        assert_eq!(major_version("54.0"), None);
    }
}
