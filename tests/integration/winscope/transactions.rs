//! Transactions of SurfaceFlinger.

use tpq_testkit::Message;

use super::{args, at, field, float, import, lines, stat};

/// One commit: a transaction that changes a layer and a display, an empty one, and what was added
/// and removed.
#[test]
fn changes_of_layers_and_displays() {
    // Bit 1 of the lower word and bit 3 of the higher one; bit 2 of the lower has no name.
    let what = 1 << 35 | 1 << 2 | 1 << 1;
    let layer = float(Message::new().uint(1, 21).uint(2, what), 16, 0.5);
    let display = Message::new().int(1, 3).uint(2, 0b1_0001).uint(4, 6);
    let changing = Message::new()
        .int(1, 100)
        .int(2, 1000)
        .uint(6, 55)
        .message(7, layer.clone())
        .message(8, display.clone())
        .uint(10, 777);
    let empty = Message::new().int(1, 101).int(2, 1001).uint(6, 56);
    let again = Message::new().uint(6, 57).message(7, layer);
    let entry = Message::new()
        .int(1, 5)
        .int(2, 88)
        .message(3, changing)
        .message(3, empty)
        .message(3, again)
        .message(4, Message::new().uint(1, 22).bytes(2, "new"))
        .packed(5, [23, 24])
        .message(6, display)
        .int(7, 4)
        .uint(8, 25);
    let trace = import([at(10).payload(field::TRANSACTIONS, entry)]);
    let sql = "SELECT ts, vsync_id FROM surfaceflinger_transactions";
    assert_eq!(lines(&trace, sql), ["10 88"]);
    let sql = "INCLUDE PERFETTO MODULE android.winscope.surfaceflinger; \
        SELECT snapshot_id, transaction_type, transaction_id, pid, uid, layer_id, display_id, \
            flags_id FROM android_surfaceflinger_transaction ORDER BY id";
    assert_eq!(
        lines(&trace, sql),
        [
            "0 LAYER_CHANGED 55 100 1000 21 NULL 0",
            "0 DISPLAY_CHANGED 55 100 1000 NULL 3 1",
            "0 NOOP 56 101 1001 NULL NULL NULL",
            "0 LAYER_CHANGED 57 0 0 21 NULL 0",
            "0 LAYER_ADDED NULL NULL NULL 22 NULL NULL",
            "0 LAYER_DESTROYED NULL NULL NULL 23 NULL NULL",
            "0 LAYER_DESTROYED NULL NULL NULL 24 NULL NULL",
            "0 DISPLAY_ADDED NULL NULL NULL NULL 3 1",
            "0 DISPLAY_REMOVED NULL NULL NULL NULL 4 NULL",
            "0 LAYER_HANDLE_DESTROYED NULL NULL NULL 25 NULL NULL",
        ]
    );
    let sql = "INCLUDE PERFETTO MODULE android.winscope.surfaceflinger; \
        SELECT flags_id, flag FROM android_surfaceflinger_transaction_flag";
    assert_eq!(
        lines(&trace, sql),
        ["0 eLayerChanged", "0 eMetadataChanged", "1 eSurfaceChanged", "1 eFlagsChanged",]
    );
    let of_first: Vec<String> = args(&trace, "__intrinsic_surfaceflinger_transaction")
        .into_iter()
        .filter(|line| line.starts_with("0 ") || line.starts_with("1 "))
        .collect();
    assert_eq!(
        of_first,
        [
            "0 layer_id = 21",
            &format!("0 what = {what}"),
            "0 alpha = 0.5",
            "0 apply_token = 777",
            "1 id = 3",
            "1 what = 17",
            "1 layer_stack = 6",
            "1 apply_token = 777",
        ]
    );
    assert_eq!(stat(&trace, "winscope_sf_transactions_parse_errors"), "0");
    let whole = "SELECT count(*) FROM surfaceflinger_transactions JOIN args USING (arg_set_id) \
        WHERE key = 'transactions[0].layer_changes[0].alpha'";
    assert_eq!(trace.cell(whole), "1", "the commit has all fields as args");
}
