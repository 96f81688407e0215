//! Snapshots of all layers that SurfaceFlinger draws.

mod display;
mod layer;
mod order;
mod rects;
mod visibility;

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::{layers_proto, layers_snapshot_proto, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::table::{LayerRow, LayersSnapshotRow};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::Trackers;

use super::context::{DecodeContext, messages};
use crate::decode::{Packet, PacketDecoder};
use display::Display;
use layer::Layer;
use rects::LayerRects;
use visibility::Visibility;

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::SURFACEFLINGER_LAYERS_SNAPSHOT,
    route: Route::Sorted,
    decode,
};

const SNAPSHOT: &str = "com.android.internal.LayersSnapshotProto";
const LAYER: &str = "com.android.internal.LayerProto";
const ERRORS: Stat = Stat::WinscopeSfLayersParseErrors;
/// Most layers of a snapshot; SurfaceFlinger itself makes no more.
const MAX_LAYERS: usize = 4096;
/// Most displays of a snapshot.
const MAX_DISPLAYS: usize = 256;

/// A snapshot: its displays, and its layers in the order of the message.
struct Snapshot<'a> {
    displays: Vec<Display>,
    layers: Vec<Layer<'a>>,
    /// Places of the layers by id; of two layers with one id the first counts.
    by_id: FxHashMap<i32, usize>,
    /// Size of the message, bytes.
    size: usize,
    /// Whether the state of the composition was not recorded.
    excludes_composition: bool,
}

impl<'a> Snapshot<'a> {
    fn read(message: &'a [u8], errors: &mut usize) -> Self {
        let fields = LastFields::<9>::new(message);
        let mut displays = messages(message, layers_snapshot_proto::DISPLAYS);
        let mut layers =
            messages(fields.bytes(layers_snapshot_proto::LAYERS), layers_proto::LAYERS);
        let excludes = fields.get(layers_snapshot_proto::EXCLUDES_COMPOSITION_STATE);
        let mut snapshot = Self {
            displays: displays.by_ref().take(MAX_DISPLAYS).map(Display::read).collect(),
            layers: layers.by_ref().take(MAX_LAYERS).map(Layer::read).collect(),
            by_id: FxHashMap::default(),
            size: message.len(),
            excludes_composition: excludes.is_none_or(|field| field.as_bool()),
        };
        *errors += displays.count() + layers.count();
        for (at, layer) in snapshot.layers.iter().enumerate() {
            if let Some(id) = layer.id {
                snapshot.by_id.entry(id).or_insert(at);
            }
        }
        snapshot
    }

    fn layer(&self, id: i32) -> Option<&Layer<'a>> {
        self.by_id.get(&id).and_then(|&at| self.layers.get(at))
    }
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let context = &mut DecodeContext { packet, trackers, tables, stats };
    let snapshot_id = add_snapshot(context);
    let mut left_out = 0;
    let snapshot = Snapshot::read(packet.data, &mut left_out);
    let mut left_out = i64::try_from(left_out).unwrap_or(i64::MAX);
    for (at, display) in snapshot.displays.iter().enumerate() {
        display.add_row(snapshot_id, at, context);
    }
    let top_to_bottom = order::top_to_bottom(&snapshot);
    let strings = &mut context.tables.strings;
    let visibility = visibility::compute(&snapshot, &top_to_bottom, &mut left_out, strings);
    if left_out > 0 {
        context.stats.add(ERRORS, left_out);
    }
    let rects = rects::add_rows(&snapshot, &top_to_bottom, &visibility, context);
    for (at, layer) in snapshot.layers.iter().enumerate() {
        let rects = rects.get(&at).copied().unwrap_or_default();
        add_layer(snapshot_id, layer, visibility.get(&at), rects, &snapshot, context);
    }
}

fn add_snapshot(context: &mut DecodeContext<'_, '_>) -> u32 {
    let packet = context.packet;
    let elapsed =
        LastFields::<2>::new(packet.data).uint(layers_snapshot_proto::ELAPSED_REALTIME_NANOS);
    let generation = packet.interned.generation(packet.generation);
    let row = LayersSnapshotRow {
        ts: packet.ts(),
        arg_set_id: context.arg_set(packet.data, SNAPSHOT, ERRORS),
        base64_proto_id: Some(context.number(packet.data)),
        sequence_id: generation.map_or(0, |generation| generation.sequence),
        has_invalid_elapsed_ts: Some(u32::from(elapsed == 0)),
    };
    context.tables.surfaceflinger_layers_snapshot.push(row)
}

fn add_layer(
    snapshot_id: u32,
    layer: &Layer<'_>,
    visibility: Option<&Visibility>,
    rects: LayerRects,
    snapshot: &Snapshot<'_>,
    context: &mut DecodeContext<'_, '_>,
) {
    let mut args = ArgSet::default();
    context.add_args(layer.message, LAYER, ERRORS, &mut args);
    if let Some(visibility) = visibility {
        add_visibility(visibility, &mut args, context);
    }
    let radii = layer.radii;
    let row = LayerRow {
        snapshot_id,
        arg_set_id: context.trackers.deferred.intern(&args),
        base64_proto_id: Some(context.number(layer.message)),
        layer_id: layer.id.map(i64::from),
        layer_name: match layer.name {
            Some(name) => context.tables.strings.intern_bytes(name),
            None => StringId::NULL,
        },
        is_visible: u32::from(visibility.is_some_and(|it| it.is_visible)),
        parent: layer.parent.map(i64::from),
        corner_radius_tl: Some(radii.top_left),
        corner_radius_tr: Some(radii.top_right),
        corner_radius_bl: Some(radii.bottom_left),
        corner_radius_br: Some(radii.bottom_right),
        hwc_composition_type: layer.hwc_composition_type,
        is_hidden_by_policy: u32::from(layer.is_hidden()),
        z_order_relative_of: layer.relative_to.map(i64::from),
        is_missing_z_parent: u32::from(
            layer.relative_to.is_some_and(|id| id > 0 && !snapshot.by_id.contains_key(&id)),
        ),
        layer_rect_id: rects.bounds,
        input_rect_id: rects.input,
    };
    context.tables.surfaceflinger_layer.push(row);
}

/// Adds the reasons why a layer is not visible, and the layers above it.
fn add_visibility(visibility: &Visibility, args: &mut ArgSet, context: &mut DecodeContext<'_, '_>) {
    let strings = &mut context.tables.strings;
    let mut add = |name: &str, at: usize, value: ArgValue| {
        let flat = strings.intern(name);
        let full = strings.intern(&format!("{name}[{at}]"));
        args.add_keyed(flat, full, value);
    };
    for (at, &reason) in visibility.reasons.iter().enumerate() {
        add("visibility_reason", at, ArgValue::String(reason));
    }
    for (name, layers) in [
        ("occluded_by", &visibility.occluded_by),
        ("partially_occluded_by", &visibility.partially_occluded_by),
        ("covered_by", &visibility.covered_by),
    ] {
        for (at, &layer) in layers.iter().enumerate() {
            add(name, at, ArgValue::Int(i64::from(layer)));
        }
    }
}
