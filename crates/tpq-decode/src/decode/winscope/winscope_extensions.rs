//! Packets that carry one of several snapshots as an extension.

use tpq_ingest::Route;
use tpq_proto::fields::{trace_packet, winscope_extensions};
use tpq_proto::wire::Fields;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::Trackers;

use super::context::DecodeContext;
use super::{input_event, inputmethod, viewcapture, windowmanager};
use crate::decode::{Packet, PacketDecoder};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::WINSCOPE_EXTENSIONS, route: Route::Sorted, decode };

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let context = &mut DecodeContext { packet, trackers, tables, stats };
    for field in Fields::new(packet.data) {
        let decode: fn(&[u8], &mut DecodeContext<'_, '_>) = match field.number {
            winscope_extensions::INPUTMETHOD_CLIENTS => inputmethod::decode_clients,
            winscope_extensions::INPUTMETHOD_SERVICE => inputmethod::decode_service,
            winscope_extensions::INPUTMETHOD_MANAGER_SERVICE => inputmethod::decode_manager_service,
            winscope_extensions::VIEWCAPTURE => viewcapture::decode,
            winscope_extensions::ANDROID_INPUT_EVENT => input_event::decode,
            winscope_extensions::WINDOWMANAGER => windowmanager::decode,
            winscope_extensions::SURFACEFLINGER_LAYERS_PATCH => count_layers_patch,
            winscope_extensions::WINDOWMANAGER_PATCH => count_windowmanager_patch,
            _ => continue,
        };
        decode(field.as_bytes(), context);
        return;
    }
}

/// Counts a difference from the snapshot before it, which is not applied.
fn count_layers_patch(_: &[u8], context: &mut DecodeContext<'_, '_>) {
    context.stats.increment(Stat::WinscopeSfLayersParseErrors);
}

/// Counts a difference from the snapshot before it, which is not applied.
fn count_windowmanager_patch(_: &[u8], context: &mut DecodeContext<'_, '_>) {
    context.stats.increment(Stat::WinscopeWindowmanagerParseErrors);
}
