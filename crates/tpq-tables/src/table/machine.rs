//! Machines.

use crate::StringId;

declare_table! {
    /// A device or operating system the trace was recorded on.
    table "machine" => MachineTable, MachineRow {
        /// The id the trace gives it; 0 is the host.
        raw_id: i64 => Long,
        /// Its name, where one was given.
        name: StringId => String,
        /// The operating system, as `uname -s`.
        sysname: StringId => String,
        /// Its release, as `uname -r`.
        release: StringId => String,
        /// Its version, as `uname -v`.
        version: StringId => String,
        /// The processor architecture, as `uname -m`.
        arch: StringId => String,
        /// The number of CPUs.
        num_cpus: Option<i64> => Long,
        /// The Android build's fingerprint.
        android_build_fingerprint: StringId => String,
        /// Who made the Android device.
        android_device_manufacturer: StringId => String,
        /// The Android SDK's version.
        android_sdk_version: Option<i64> => Long,
        /// The memory it has, in bytes.
        system_ram_bytes: Option<i64> => Long,
        /// The memory it has, in GB as sold.
        system_ram_gb: Option<i64> => Long,
        /// A small number to label it with.
        label_index: Option<i64> => Long,
    }
}
