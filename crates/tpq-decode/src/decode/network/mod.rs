//! Network packets and Bluetooth.

pub(crate) mod bluetooth;
pub(crate) mod network_packet;
