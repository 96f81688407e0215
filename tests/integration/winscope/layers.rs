//! Snapshots of the layers of SurfaceFlinger.

use tpq_testkit::{Message, Packet};

use super::{args, at, field, float, import, lines, stat};
use crate::imported::Imported;

/// Layers by id and visibility.
const VISIBLE: &str = "SELECT layer_id, is_visible FROM surfaceflinger_layer ORDER BY id";

fn floats(values: [f32; 4]) -> Message {
    (1..).zip(values).fold(Message::new(), |message, (field, value)| float(message, field, value))
}

fn rect([left, top, right, bottom]: [i64; 4]) -> Message {
    Message::new().int(1, left).int(2, top).int(3, right).int(4, bottom)
}

/// A layer with a name and a z.
fn layer(id: i64, parent: i64, z: i64) -> Message {
    Message::new().int(1, id).bytes(2, format!("layer {id}")).int(10, z).int(25, parent)
}

/// A layer that draws a buffer of a color, black with an opacity, at a place on the screen.
fn drawn(layer: Message, alpha: f32, [left, top, right, bottom]: [f32; 4]) -> Message {
    let area = floats([left, top, right, bottom]);
    let buffer = Message::new().uint(1, 16);
    layer
        .message(20, floats([0.0, 0.0, 0.0, alpha]))
        .message(27, buffer)
        .message(45, area.clone())
        .message(46, area)
}

/// A display of 100 × 200 pixels that shows layer stack 0.
fn display() -> Message {
    let size = Message::new().int(1, 100).int(2, 200);
    Message::new()
        .uint(1, 5)
        .bytes(2, "Built-in")
        .message(4, size)
        .message(5, rect([0, 0, 100, 200]))
}

fn snapshot(ts: u64, displays: &[Message], layers: &[Message]) -> Packet {
    let held = layers.iter().fold(Message::new(), |all, layer| all.message(1, layer.clone()));
    let snapshot = Message::new().fixed64(1, 1_000).bytes(2, "visibleRegionsDirty");
    let snapshot = displays.iter().fold(snapshot, |all, display| all.message(7, display.clone()));
    at(ts).payload(field::LAYERS_SNAPSHOT, snapshot.message(3, held).int(8, 77))
}

/// From the top: 7, which is ordered relative to 2, then 2, 3, 4, their parent 1, and below it 5
/// with its child 6. Layer 8 is ordered relative to a layer that is not there.
fn tree() -> Imported {
    let opaque = drawn(layer(2, 1, 2), 1.0, [0.0, 0.0, 50.0, 50.0]).uint(16, 1);
    let region = Message::new().message(2, rect([0, 0, 10, 10]));
    let input = Message::new()
        .message(3, rect([5, 5, 25, 45]))
        .message(4, region)
        .uint(6, 1)
        .uint(17, 1 << 14);
    let radii = float(Message::new(), 1, 4.0);
    let opaque = opaque
        .message(11, float(float(Message::new(), 1, 2.0), 2, 3.0))
        .uint(35, 2)
        .message(47, input)
        .message(61, radii)
        .message(67, float(Message::new(), 1, 1.0));
    import([snapshot(
        10,
        &[display()],
        &[
            Message::new().int(1, 1).bytes(2, "root"),
            opaque,
            drawn(layer(3, 1, 1), 1.0, [10.0, 10.0, 40.0, 40.0]),
            drawn(layer(4, 1, 0), 0.5, [40.0, 40.0, 90.0, 90.0]),
            drawn(layer(5, 1, -1), 1.0, [0.0, 0.0, 10.0, 10.0]).uint(22, 1),
            drawn(layer(6, 5, 0), 1.0, [0.0, 0.0, 10.0, 10.0]),
            drawn(layer(7, 1, 1), 0.5, [0.0, 0.0, 20.0, 20.0]).int(26, 2),
            drawn(layer(8, 1, 1), 1.0, [0.0, 0.0, 20.0, 20.0]).int(26, 99),
        ],
    )])
}

#[test]
fn visibility_and_its_reasons() {
    let trace = tree();
    let sql = "SELECT layer_id, layer_name, is_visible, parent, z_order_relative_of, \
        is_missing_z_parent, is_hidden_by_policy, hwc_composition_type, corner_radius_tl, \
        corner_radius_br FROM surfaceflinger_layer ORDER BY id";
    assert_eq!(
        lines(&trace, sql),
        [
            "1 root 0 NULL NULL 0 0 NULL 0.0 0.0",
            "2 layer 2 1 1 NULL 0 0 2 5.0 0.0",
            "3 layer 3 0 1 NULL 0 0 NULL 0.0 0.0",
            "4 layer 4 1 1 NULL 0 0 NULL 0.0 0.0",
            "5 layer 5 0 1 NULL 0 1 NULL 0.0 0.0",
            "6 layer 6 0 5 NULL 0 0 NULL 0.0 0.0",
            "7 layer 7 1 1 2 0 0 NULL 0.0 0.0",
            "8 layer 8 0 1 99 1 0 NULL 0.0 0.0",
        ]
    );
    let why = "SELECT layer_id || ' ' || key || ' ' || display_value FROM surfaceflinger_layer \
        JOIN args USING (arg_set_id) WHERE flat_key IN ('visibility_reason', 'occluded_by', \
            'partially_occluded_by', 'covered_by') ORDER BY surfaceflinger_layer.id, args.id";
    assert_eq!(
        lines(&trace, why),
        [
            "1 visibility_reason[0] buffer is empty",
            "1 visibility_reason[1] alpha is 0",
            "1 visibility_reason[2] bounds is 0x0",
            "1 visibility_reason[3] crop is 0x0",
            "1 visibility_reason[4] does not have color fill, shadow or blur",
            "2 covered_by[0] 7",
            "3 visibility_reason[0] occluded",
            "3 occluded_by[0] 2",
            "3 covered_by[0] 7",
            "4 partially_occluded_by[0] 2",
            "5 visibility_reason[0] flag is hidden",
            "6 visibility_reason[0] hidden by parent 5",
        ]
    );
    assert_eq!(stat(&trace, "winscope_sf_layers_parse_errors"), "0");
}

#[test]
fn a_snapshot_with_its_display() {
    let trace = tree();
    let sql = "SELECT ts, sequence_id, has_invalid_elapsed_ts FROM surfaceflinger_layers_snapshot";
    assert_eq!(lines(&trace, sql), ["10 2 0"]);
    assert_eq!(
        args(&trace, "surfaceflinger_layers_snapshot"),
        [
            "0 elapsed_realtime_nanos = 1000",
            "0 where = visibleRegionsDirty",
            "0 displays[0].id = 5",
            "0 displays[0].name = Built-in",
            "0 displays[0].size.w = 100",
            "0 displays[0].size.h = 200",
            "0 displays[0].layer_stack_space_rect.left = 0",
            "0 displays[0].layer_stack_space_rect.top = 0",
            "0 displays[0].layer_stack_space_rect.right = 100",
            "0 displays[0].layer_stack_space_rect.bottom = 200",
            "0 vsync_id = 77",
        ],
        "layers have rows of their own"
    );
    let sql = "INCLUDE PERFETTO MODULE android.winscope.surfaceflinger; \
        INCLUDE PERFETTO MODULE android.winscope.rect; \
        SELECT is_on, is_virtual, display_id, display_name, group_id, depth, x, y, w, h, \
            transform_id \
        FROM android_surfaceflinger_display AS display \
        JOIN android_winscope_trace_rect AS drawn ON drawn.id = trace_rect_id \
        JOIN android_winscope_rect AS rect ON rect.id = rect_id";
    assert_eq!(lines(&trace, sql), ["1 0 5 Built-in 0 0 0.0 0.0 100.0 200.0 NULL"]);
}

/// Layers are drawn above their display, at depth 0, from the lowest up. The input area of layer 2
/// is in coordinates of the layer, which lies at (2, 3).
#[test]
fn rectangles() {
    let trace = tree();
    let sql = "SELECT layer_id, depth, drawn.is_visible, opacity, x, y, w, h, tx, ty \
        FROM surfaceflinger_layer AS layer \
        JOIN __intrinsic_winscope_trace_rect AS drawn ON drawn.id = layer_rect_id \
        JOIN __intrinsic_winscope_rect AS rect ON rect.id = rect_id \
        JOIN __intrinsic_winscope_transform AS transform ON transform.id = transform_id \
        ORDER BY depth";
    assert_eq!(
        lines(&trace, sql),
        [
            "5 1 0 1.0 0.0 0.0 10.0 10.0 0.0 0.0",
            "6 2 0 1.0 0.0 0.0 10.0 10.0 0.0 0.0",
            "4 3 1 0.5 40.0 40.0 50.0 50.0 0.0 0.0",
            "3 4 0 1.0 10.0 10.0 30.0 30.0 0.0 0.0",
            "2 5 1 1.0 0.0 0.0 50.0 50.0 2.0 3.0",
            "7 6 1 0.5 0.0 0.0 20.0 20.0 0.0 0.0",
        ]
    );
    let input = "SELECT layer_id, depth, is_spy, drawn.is_visible, rect.x, rect.y, rect.w, rect.h, \
            of_region.x, of_region.y, of_region.w, of_region.h \
        FROM surfaceflinger_layer AS layer \
        JOIN __intrinsic_winscope_trace_rect AS drawn ON drawn.id = input_rect_id \
        JOIN __intrinsic_winscope_rect AS rect ON rect.id = drawn.rect_id \
        JOIN __intrinsic_winscope_fill_region AS region ON region.trace_rect_id = drawn.id \
        JOIN __intrinsic_winscope_rect AS of_region ON of_region.id = region.rect_id";
    assert_eq!(lines(&trace, input), ["2 1 1 1 3.0 2.0 20.0 40.0 -2.0 -3.0 10.0 10.0"]);
}

/// The visible region decides where the composition was recorded, and the bounds where it was not.
#[test]
fn visible_regions() {
    let area = [0.0, 0.0, 10.0, 10.0];
    let region = Message::new().message(2, rect([0, 0, 1, 1]));
    let empty = Message::new().message(2, rect([3, 3, 3, 9]));
    let layers = [
        drawn(layer(1, -1, 0), 1.0, area).message(7, region),
        drawn(layer(2, -1, 0), 1.0, area).message(7, empty),
        drawn(layer(3, -1, 0), 1.0, area),
    ];
    let held = layers.iter().fold(Message::new(), |all, layer| all.message(1, layer.clone()));
    let composed = Message::new().message(3, held).uint(5, 0);
    let trace =
        import([at(10).payload(field::LAYERS_SNAPSHOT, composed), snapshot(20, &[], &layers)]);
    assert_eq!(lines(&trace, VISIBLE), ["1 1", "2 0", "3 0", "1 1", "2 1", "3 1"]);
    let why = "SELECT layer_id || ' ' || display_value FROM surfaceflinger_layer \
        JOIN args USING (arg_set_id) WHERE flat_key = 'visibility_reason' \
        ORDER BY surfaceflinger_layer.id";
    assert_eq!(
        lines(&trace, why),
        ["2 visible region calculated by Composition Engine is empty", "3 null visible region"]
    );
    let sql = "SELECT has_invalid_elapsed_ts FROM surfaceflinger_layers_snapshot ORDER BY id";
    assert_eq!(lines(&trace, sql), ["1", "0"]);
}

/// A display that is turned by 90° shows 200 × 100 pixels. What a window receives is turned back.
#[test]
fn turned_displays() {
    let size = Message::new().int(1, 200).int(2, 100);
    let display = Message::new()
        .uint(1, 5)
        .uint(3, 4)
        .message(4, size)
        .message(6, Message::new().int(5, 0x400))
        .uint(7, 1);
    let window = Message::new().message(3, rect([0, 0, 10, 20])).uint(17, 1 << 3);
    let layer = layer(1, -1, 0).uint(9, 4).message(47, window);
    let off = Message::new().uint(3, u64::from(u32::MAX));
    let trace = import([snapshot(10, &[display, off], &[layer])]);
    let sql = "SELECT is_on, is_virtual, w, h, group_id FROM __intrinsic_surfaceflinger_display d \
        JOIN __intrinsic_winscope_trace_rect t ON t.id = trace_rect_id \
        JOIN __intrinsic_winscope_rect r ON r.id = rect_id ORDER BY d.id";
    assert_eq!(lines(&trace, sql), ["1 1 100.0 200.0 4", "0 0 0.0 0.0 4294967295"]);
    // The point (x, y) becomes (y, -x). A window that is not touchable has an empty region.
    let sql = "SELECT x, y, w, h FROM surfaceflinger_layer \
        JOIN __intrinsic_winscope_trace_rect t ON t.id = input_rect_id \
        JOIN __intrinsic_winscope_rect r ON r.id = rect_id";
    assert_eq!(lines(&trace, sql), ["0.0 -10.0 20.0 10.0"]);
    let sql = "SELECT w, h FROM __intrinsic_winscope_fill_region \
        JOIN __intrinsic_winscope_rect r ON r.id = rect_id";
    assert_eq!(lines(&trace, sql), ["0.0 0.0"]);
}

/// Layers that are each other's parents are drawn nowhere, and of two with one id the first is.
#[test]
fn trees_that_are_none() {
    let area = [0.0, 0.0, 10.0, 10.0];
    let trace = import([snapshot(
        10,
        &[],
        &[
            drawn(layer(1, 2, 0), 1.0, area),
            drawn(layer(2, 1, 0), 1.0, area),
            drawn(layer(3, -1, 0), 1.0, area),
            drawn(layer(3, 3, 0), 1.0, area),
            drawn(layer(4, 3, 0), 1.0, area).int(26, 3),
            Message::new(),
        ],
    )]);
    assert_eq!(lines(&trace, VISIBLE), ["1 0", "2 0", "3 1", "3 0", "4 1", "NULL 0"]);
}

/// A snapshot of more layers than SurfaceFlinger makes is cut off, and so is the list of those
/// above a layer.
#[test]
fn layers_are_limited() {
    let layers: Vec<Message> =
        (1..=5_000).map(|id| drawn(layer(id, -1, id), 0.5, [0.0, 0.0, 10.0, 10.0])).collect();
    let trace = import([snapshot(10, &[], &layers)]);
    assert_eq!(trace.cell("SELECT count(*) FROM surfaceflinger_layer"), "4096");
    assert_eq!(stat(&trace, "winscope_sf_layers_parse_errors"), "904");
    let above = "SELECT max(n) FROM (SELECT count(*) AS n FROM surfaceflinger_layer \
        JOIN args USING (arg_set_id) WHERE flat_key = 'covered_by' GROUP BY layer_id)";
    assert_eq!(trace.cell(above), "64");
}

/// Many small layers that lie apart from each other: each is compared with those above it, up to 16
/// pairs for each byte of the snapshot.
#[test]
fn comparisons_of_layers_are_limited() {
    let place = |id: i64| [id as f32 * 2.0, 0.0, id as f32 * 2.0 + 1.0, 1.0];
    let layer = |id: i64| drawn(Message::new().int(1, id).int(10, id), 0.5, place(id));
    let layers: Vec<Message> = (1..=4_096).map(layer).collect();
    let trace = import([snapshot(10, &[], &layers)]);
    let visible = "SELECT count(*) FROM surfaceflinger_layer WHERE is_visible";
    assert_eq!(trace.cell(visible), "4096");
    let left_out: i64 = stat(&trace, "winscope_sf_layers_parse_errors").parse().unwrap();
    assert!((1..4_096).contains(&left_out), "{left_out}");
}

/// The opaque layer 1 hides what lies within it, whatever the rotation of the layer below; that of
/// layer 2 is not valid.
#[test]
fn a_layer_with_an_invalid_rotation_below_an_opaque_one() {
    let invalid = Message::new().int(5, 0x8000);
    let trace = import([snapshot(
        10,
        &[display()],
        &[
            drawn(layer(1, -1, 3), 1.0, [0.0, 0.0, 100.0, 200.0]).uint(16, 1),
            drawn(layer(2, -1, 2), 1.0, [10.0, 10.0, 20.0, 20.0]).message(23, invalid),
        ],
    )]);
    assert_eq!(lines(&trace, VISIBLE), ["1 1", "2 0"]);
}

/// Layer 2 lies just below the display: what the display leaves of it has no height, and lies at
/// the edge of layer 1. Layer 3 lies beside the display.
#[test]
fn a_layer_that_is_slid_out_of_the_display() {
    let trace = import([snapshot(
        10,
        &[display()],
        &[
            drawn(layer(1, -1, 3), 0.5, [0.0, 0.0, 100.0, 200.0]),
            drawn(layer(2, -1, 2), 1.0, [0.0, 200.0, 100.0, 220.0]),
            drawn(layer(3, -1, 1), 1.0, [100.0, 0.0, 120.0, 200.0]),
        ],
    )]);
    let covered = "SELECT layer_id, key, display_value FROM surfaceflinger_layer \
        JOIN args USING (arg_set_id) WHERE flat_key = 'covered_by'";
    assert_eq!(lines(&trace, covered), ["2 covered_by[0] 1"]);
}

#[test]
fn paths_lead_from_the_root_to_each_layer() {
    let sql = "SELECT snapshot_id, layer_id, ancestor_id \
        FROM __intrinsic_winscope_surfaceflinger_hierarchy_path() \
        WHERE layer_id IN (1, 2, 6) ORDER BY id";
    assert_eq!(lines(&tree(), sql), ["0 1 1", "0 2 1", "0 2 2", "0 6 1", "0 6 5", "0 6 6"]);
    let root = Message::new().int(1, 3).int(25, 3);
    let trace =
        import([snapshot(10, &[], &[layer(1, 2, 0), layer(2, 1, 0), root, layer(4, 3, 0)])]);
    let in_circle = "SELECT count(*) < 1000 FROM __intrinsic_winscope_surfaceflinger_hierarchy_path \
        WHERE layer_id IN (1, 2)";
    assert_eq!(lines(&trace, in_circle), ["1"]);
    let own_parent = "SELECT layer_id, ancestor_id \
        FROM __intrinsic_winscope_surfaceflinger_hierarchy_path WHERE layer_id > 2 ORDER BY id";
    assert_eq!(lines(&trace, own_parent), ["3 3", "4 4"]);
}
