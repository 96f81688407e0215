//! The system the trace was recorded on.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::message::SystemInfo;
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 45, route: Route::Immediate, decode: decode_info };

/// Bytes in a GB as memory is sold.
const GB: u64 = 1_000_000_000;

fn decode_info(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Ok(info) = decode::<SystemInfo>(packet.data) else { return };
    let row = trackers.machines.get(packet.machine, tables);
    let metadata = &mut trackers.metadata;
    if let Some(uts) = &info.utsname {
        metadata.set_text("system_name", uts.sysname(), tables);
        metadata.set_text("system_version", uts.version(), tables);
        metadata.set_text("system_release", uts.release(), tables);
        metadata.set_text("system_machine", uts.machine(), tables);
        trackers.sched.set_kernel_release(uts.release());
        let set = |text: &str, tables: &mut Tables| match text {
            "" => tpq_tables::StringId::NULL,
            text => tables.strings.intern(text),
        };
        let [sysname, version, release, arch] =
            [uts.sysname(), uts.version(), uts.release(), uts.machine()]
                .map(|text| set(text, tables));
        tables.machine.sysname.set(row, sysname);
        tables.machine.version.set(row, version);
        tables.machine.release.set(row, release);
        tables.machine.arch.set(row, arch);
    }
    for (name, text) in [
        ("android_build_fingerprint", info.android_build_fingerprint()),
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
    if let Some(minutes) = info.timezone_off_mins {
        let minutes = MetadataValue::Int(i64::from(minutes));
        metadata.set("timezone_off_mins", minutes, tables);
    }
    if let Some(version) = info.android_sdk_version {
        metadata.set("android_sdk_version", MetadataValue::Int(version as i64), tables);
        tables.machine.android_sdk_version.set(row, Some(version as i64));
    }
    if let Some(bytes) = info.system_ram_bytes {
        let gb = ((bytes + GB / 2) / GB) as i64;
        metadata.set("system_ram_bytes", MetadataValue::Int(bytes as i64), tables);
        metadata.set("system_ram_gb", MetadataValue::Int(gb), tables);
        tables.machine.system_ram_bytes.set(row, Some(bytes as i64));
        tables.machine.system_ram_gb.set(row, Some(gb));
    }
    if let Some(cpus) = info.num_cpus {
        tables.machine.num_cpus.set(row, Some(i64::from(cpus)));
    }
    for (column, text) in [
        (&mut tables.machine.android_build_fingerprint, info.android_build_fingerprint()),
        (&mut tables.machine.android_device_manufacturer, info.android_device_manufacturer()),
        (&mut tables.machine.name, info.machine_name()),
    ] {
        if !text.is_empty() {
            column.set(row, tables.strings.intern(text));
        }
    }
}
