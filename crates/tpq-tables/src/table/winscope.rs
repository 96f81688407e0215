//! Windows, layers, views and input of Android systems, as recorded for Winscope.
//!
//! Columns `base64_proto_id` number the recorded messages: rows of equal messages have equal
//! numbers.

use crate::{ArgSetNumber, StringId};

declare_table! {
    /// A message of ProtoLog, the structured log of Android's system processes.
    table "protolog" => ProtologTable, ProtologRow {
        /// Time of the message, ns in trace time.
        ts: i64 => Timestamp,
        /// Level: `DEBUG`, `VERBOSE`, `INFO`, `WARN`, `ERROR`, `WTF` or `UNKNOWN`; NULL if the
        /// trace does not describe the message.
        level: StringId => String,
        /// Tag of the message's group; NULL if the trace does not describe the message.
        tag: StringId => String,
        /// Text of the message with its parameters; NULL if the trace does not describe the
        /// message.
        message: StringId => String,
        /// Stack trace of the caller; NULL if not recorded.
        stacktrace: StringId => String,
        /// Place in the source code; NULL if not recorded.
        location: StringId => String,
    }
}

declare_table! {
    /// A transition between windows, such as the opening of an app.
    table "window_manager_shell_transitions" => ShellTransitionTable, ShellTransitionRow {
        /// First recorded moment of the transition, ns; 0 if none was recorded.
        ts: i64 => Timestamp,
        /// Id of the transition.
        transition_id: i64 => Long,
        /// Fields of the recorded messages; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Type of the transition, as a number of Android; NULL if not recorded.
        transition_type: Option<u32> => Long,
        /// Time when the window manager sent the transition, ns; NULL if not recorded.
        send_time_ns: Option<i64> => Timestamp,
        /// Time when the shell dispatched it to a handler, ns; NULL if not recorded.
        dispatch_time_ns: Option<i64> => Timestamp,
        /// Time from dispatch to finish, ns; NULL for transitions that were not played.
        duration_ns: Option<i64> => Long,
        /// Time of the finish, ns; NULL if not recorded.
        finish_time_ns: Option<i64> => Timestamp,
        /// Time when the shell aborted the transition, ns; NULL if not recorded.
        shell_abort_time_ns: Option<i64> => Timestamp,
        /// Time when the window manager aborted the transition, ns; NULL if not recorded.
        wm_abort_time_ns: Option<i64> => Timestamp,
        /// Time when the transition was merged into another, ns; NULL if not recorded.
        merge_time_ns: Option<i64> => Timestamp,
        /// Time when the transition was created, ns; NULL if not recorded.
        create_time_ns: Option<i64> => Timestamp,
        /// Handler; join with `window_manager_shell_transition_handlers` on `handler_id`.
        handler: Option<i64> => Long,
        /// `played`, `merged` or `aborted`; NULL if unknown.
        status: StringId => String,
        /// Flags of the transition, as bits of Android; NULL if not recorded.
        flags: Option<u32> => Long,
        /// Id of the SurfaceFlinger transaction that starts the transition; NULL if not recorded.
        start_transaction_id: Option<i64> => Long,
        /// Id of the SurfaceFlinger transaction that ends the transition; NULL if not recorded.
        finish_transaction_id: Option<i64> => Long,
    }
}

declare_table! {
    /// A part of the shell that handles transitions.
    table "window_manager_shell_transition_handlers" => ShellHandlerTable, ShellHandlerRow {
        /// Id of the handler.
        handler_id: i64 => Long,
        /// Name of the handler's class.
        handler_name: StringId => String,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A window or layer that a transition changes.
    table "__intrinsic_window_manager_shell_transition_participants" => ShellParticipantTable, ShellParticipantRow {
        /// Id of the transition.
        transition_id: i64 => Long,
        /// Id of the layer; NULL if not recorded.
        layer_id: Option<u32> => Long,
        /// Id of the window; NULL if not recorded.
        window_id: Option<u32> => Long,
        /// Kind of the change, as a number of Android; NULL if not recorded.
        mode: Option<u32> => Long,
        /// Flags of the change, as bits of Android; NULL if not recorded.
        flags: Option<u32> => Long,
        /// Display before the transition; NULL if not recorded.
        start_display_id: Option<u32> => Long,
        /// Display after the transition; NULL if not recorded.
        end_display_id: Option<u32> => Long,
        /// Rotation before the transition, in quarter turns; NULL if not recorded.
        start_rotation: Option<u32> => Long,
        /// Rotation after the transition, in quarter turns; NULL if not recorded.
        end_rotation: Option<u32> => Long,
        /// Area on the screen before the transition; NULL if not recorded.
        start_abs_bounds_rect_id: Option<u32> => JoinId("__intrinsic_winscope_rect"),
        /// Area on the screen after the transition; NULL if not recorded.
        end_abs_bounds_rect_id: Option<u32> => JoinId("__intrinsic_winscope_rect"),
    }
}

declare_table! {
    /// A recorded message about a transition. Several messages make up a transition.
    table "__intrinsic_window_manager_shell_transition_protos" => ShellProtoTable, ShellProtoRow {
        /// Id of the transition.
        transition_id: i64 => Long,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A rectangle.
    table "__intrinsic_winscope_rect" => WinscopeRectTable, WinscopeRectRow {
        /// Left edge, pixels.
        x: f64 => Double,
        /// Top edge, pixels.
        y: f64 => Double,
        /// Width, pixels.
        w: f64 => Double,
        /// Height, pixels.
        h: f64 => Double,
    }
}

declare_table! {
    /// An affine transform: x' = dsdx·x + dtdx·y + tx, and y' = dtdy·x + dsdy·y + ty.
    table "__intrinsic_winscope_transform" => WinscopeTransformTable, WinscopeTransformRow {
        /// Factor of x in the new x.
        dsdx: f64 => Double,
        /// Factor of y in the new x.
        dtdx: f64 => Double,
        /// Offset of the new x, pixels.
        tx: f64 => Double,
        /// Factor of x in the new y.
        dtdy: f64 => Double,
        /// Factor of y in the new y.
        dsdy: f64 => Double,
        /// Offset of the new y, pixels.
        ty: f64 => Double,
    }
}

declare_table! {
    /// A rectangle as it is drawn.
    table "__intrinsic_winscope_trace_rect" => WinscopeTraceRectTable, WinscopeTraceRectRow {
        /// The rectangle.
        rect_id: u32 => JoinId("__intrinsic_winscope_rect"),
        /// Group of rectangles that are drawn together, such as the layer stack of a display.
        group_id: u32 => Long,
        /// Position in the drawing order of the group.
        depth: u32 => Long,
        /// Whether the window also receives the input of windows below it.
        is_spy: u32 => Bool,
        /// Whether it is visible.
        is_visible: u32 => Bool,
        /// Opacity from 0 to 1; NULL if unknown.
        opacity: Option<f64> => Double,
        /// The transform; NULL for rectangles without one.
        transform_id: Option<u32> => JoinId("__intrinsic_winscope_transform"),
        /// Width of the border, pixels; NULL without a border.
        border_width: Option<f64> => Double,
        /// Color of the border, ARGB; NULL without a border.
        border_color: Option<u32> => Long,
    }
}

declare_table! {
    /// A rectangle of the region in which a window receives input.
    table "__intrinsic_winscope_fill_region" => WinscopeFillRegionTable, WinscopeFillRegionRow {
        /// The rectangle of the window.
        trace_rect_id: u32 => JoinId("__intrinsic_winscope_trace_rect"),
        /// The rectangle of the region.
        rect_id: u32 => JoinId("__intrinsic_winscope_rect"),
    }
}

declare_table! {
    /// A snapshot of all layers of SurfaceFlinger, the compositor of Android.
    table "surfaceflinger_layers_snapshot" => LayersSnapshotTable, LayersSnapshotRow {
        /// Time of the snapshot, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the snapshot other than its layers; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Packet sequence of the snapshot.
        sequence_id: u32 => Long,
        /// Whether the snapshot states no time since boot.
        has_invalid_elapsed_ts: Option<u32> => Bool,
    }
}

declare_table! {
    /// A layer in a snapshot.
    table "surfaceflinger_layer" => LayerTable, LayerRow {
        /// The snapshot.
        snapshot_id: u32 => JoinId("surfaceflinger_layers_snapshot"),
        /// Fields of the layer, and the reasons for its visibility; join with `args` on
        /// `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Id of the layer; NULL if not recorded.
        layer_id: Option<i64> => Long,
        /// Name of the layer; NULL if not recorded.
        layer_name: StringId => String,
        /// Whether the layer is visible on its display.
        is_visible: u32 => Bool,
        /// `layer_id` of the parent; NULL without a parent.
        parent: Option<i64> => Long,
        /// Radius of the top left corner, pixels.
        corner_radius_tl: Option<f64> => Double,
        /// Radius of the top right corner, pixels.
        corner_radius_tr: Option<f64> => Double,
        /// Radius of the bottom left corner, pixels.
        corner_radius_bl: Option<f64> => Double,
        /// Radius of the bottom right corner, pixels.
        corner_radius_br: Option<f64> => Double,
        /// Kind of composition, as a number of the hardware composer; NULL if not recorded.
        hwc_composition_type: Option<i64> => Long,
        /// Whether the layer itself is hidden by its flags.
        is_hidden_by_policy: u32 => Bool,
        /// `layer_id` of the layer that it is ordered relative to; NULL if not recorded.
        z_order_relative_of: Option<i64> => Long,
        /// Whether the layer that it is ordered relative to is missing in the snapshot.
        is_missing_z_parent: u32 => Bool,
        /// Bounds of the layer; NULL if it has none.
        layer_rect_id: Option<u32> => JoinId("__intrinsic_winscope_trace_rect"),
        /// Area in which the layer receives input; NULL if it receives none.
        input_rect_id: Option<u32> => JoinId("__intrinsic_winscope_trace_rect"),
    }
}

declare_table! {
    /// A display in a snapshot of layers.
    table "__intrinsic_surfaceflinger_display" => SurfaceFlingerDisplayTable, SurfaceFlingerDisplayRow {
        /// The snapshot.
        snapshot_id: u32 => JoinId("surfaceflinger_layers_snapshot"),
        /// Whether the display is on.
        is_on: u32 => Bool,
        /// Whether the display is virtual.
        is_virtual: u32 => Bool,
        /// Area of the display.
        trace_rect_id: u32 => JoinId("__intrinsic_winscope_trace_rect"),
        /// Id of the display.
        display_id: i64 => Long,
        /// Name of the display; NULL if not recorded.
        display_name: StringId => String,
    }
}

declare_table! {
    /// Transactions that SurfaceFlinger applied together.
    table "surfaceflinger_transactions" => TransactionsTable, TransactionsRow {
        /// Time of the commit, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Id of the vsync.
        vsync_id: Option<i64> => Long,
    }
}

declare_table! {
    /// A change that a transaction makes to a layer or a display.
    table "__intrinsic_surfaceflinger_transaction" => TransactionTable, TransactionRow {
        /// The commit.
        snapshot_id: u32 => JoinId("surfaceflinger_transactions"),
        /// Fields of the change; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message; NULL for changes without one.
        base64_proto_id: Option<u32> => Long,
        /// Id of the transaction; NULL for layers and displays that are added or removed.
        transaction_id: Option<i64> => Long,
        /// Process that sent the transaction; NULL if not recorded.
        pid: Option<u32> => Long,
        /// User id of that process; NULL if not recorded.
        uid: Option<u32> => Long,
        /// Id of the layer; NULL for displays.
        layer_id: Option<u32> => Long,
        /// Id of the display; NULL for layers.
        display_id: Option<u32> => Long,
        /// Flags; join with `__intrinsic_surfaceflinger_transaction_flag` on `flags_id`.
        flags_id: Option<u32> => Long,
        /// Kind of change, such as `LAYER_CHANGED`.
        transaction_type: StringId => String,
    }
}

declare_table! {
    /// A flag in a set of flags of changes.
    table "__intrinsic_surfaceflinger_transaction_flag" => TransactionFlagTable, TransactionFlagRow {
        /// The set of flags.
        flags_id: Option<u32> => Long,
        /// Name of the flag.
        flag: StringId => String,
    }
}

declare_table! {
    /// A dump of the clients of input methods, such as keyboards on the screen.
    table "__intrinsic_inputmethod_clients" => InputMethodClientsTable, InputMethodClientsRow {
        /// Time of the dump, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A dump of the service that manages input methods.
    table "__intrinsic_inputmethod_manager_service" => InputMethodManagerServiceTable, InputMethodManagerServiceRow {
        /// Time of the dump, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A dump of an input method.
    table "__intrinsic_inputmethod_service" => InputMethodServiceTable, InputMethodServiceRow {
        /// Time of the dump, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}

declare_table! {
    /// A snapshot of the views of a window.
    table "__intrinsic_viewcapture" => ViewCaptureTable, ViewCaptureRow {
        /// Time of the snapshot, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the snapshot other than its views; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Name of the package.
        package_name: StringId => String,
        /// Title of the window.
        window_name: StringId => String,
    }
}

declare_table! {
    /// A view in a snapshot.
    table "__intrinsic_viewcapture_view" => ViewCaptureViewTable, ViewCaptureViewRow {
        /// The snapshot.
        snapshot_id: u32 => JoinId("__intrinsic_viewcapture"),
        /// Fields of the view; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Number of the view in the snapshot.
        node_id: u32 => Long,
        /// Hash code of the Java object of the view.
        hashcode: u32 => Long,
        /// Whether the view and all views around it are visible, and it has an area.
        is_visible: u32 => Bool,
        /// `node_id` of the view around it; 4294967295 for the outermost view.
        parent_id: u32 => Long,
        /// Name of the view in the layout of the app.
        view_id: StringId => String,
        /// Name of the class.
        class_name: StringId => String,
        /// Area of the view; NULL for views that the tree of the snapshot does not reach.
        trace_rect_id: Option<u32> => JoinId("__intrinsic_winscope_trace_rect"),
    }
}

declare_table! {
    /// An interned text that a snapshot of views refers to.
    table "__intrinsic_viewcapture_interned_data" => ViewCaptureInternedTable, ViewCaptureInternedRow {
        /// Number of the recorded message that refers to the text.
        base64_proto_id: u32 => Long,
        /// Key of the field that refers to it.
        flat_key: StringId => String,
        /// Id of the text in the trace.
        iid: i64 => Long,
        /// The text.
        deinterned_value: StringId => String,
    }
}

declare_table! {
    /// A snapshot of the window manager.
    table "windowmanager" => WindowManagerTable, WindowManagerRow {
        /// Time of the snapshot, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the snapshot other than its containers; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Id of the display with the focus.
        focused_display_id: u32 => Long,
        /// Whether the snapshot states no time since boot.
        has_invalid_elapsed_ts: u32 => Bool,
    }
}

declare_table! {
    /// A container of windows in a snapshot. The containers form a tree.
    table "windowmanager_windowcontainer" => WindowContainerTable, WindowContainerRow {
        /// The snapshot.
        snapshot_id: u32 => JoinId("windowmanager"),
        /// Fields of the container other than its children; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Title of the container.
        title: StringId => String,
        /// Token of the container, unique in the snapshot.
        token: i32 => Long,
        /// Token of the parent container; NULL for the root.
        parent_token: Option<i32> => Long,
        /// Position among the children of the parent, from 0; NULL for the root.
        child_index: Option<u32> => Long,
        /// Whether the container is visible.
        is_visible: Option<u32> => Bool,
        /// Area of a display or window; NULL for other containers.
        window_rect_id: Option<u32> => JoinId("__intrinsic_winscope_trace_rect"),
        /// Kind of container, such as `DisplayContent`.
        container_type: StringId => String,
        /// Name to show instead of the title; NULL for most containers.
        name_override: StringId => String,
    }
}

declare_table! {
    /// A key event that the input dispatcher received.
    table "__intrinsic_android_key_events" => KeyEventTable, KeyEventRow {
        /// Id of the event.
        event_id: u32 => Long,
        /// Time of the event, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Kind of device, as bits of Android.
        source: Option<u32> => Long,
        /// Action, as a number of Android.
        action: Option<i64> => Long,
        /// Id of the input device.
        device_id: Option<i64> => Long,
        /// Id of the display.
        display_id: Option<i64> => Long,
        /// Key code of Android.
        key_code: Option<i64> => Long,
    }
}

declare_table! {
    /// A motion event, such as a touch, that the input dispatcher received.
    table "__intrinsic_android_motion_events" => MotionEventTable, MotionEventRow {
        /// Id of the event.
        event_id: u32 => Long,
        /// Time of the event, ns in trace time.
        ts: i64 => Timestamp,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
        /// Kind of device, as bits of Android.
        source: Option<u32> => Long,
        /// Action, as a number of Android.
        action: Option<i64> => Long,
        /// Id of the input device.
        device_id: Option<i64> => Long,
        /// Id of the display.
        display_id: Option<i64> => Long,
    }
}

declare_table! {
    /// The dispatch of an input event to a window.
    table "__intrinsic_android_input_event_dispatch" => InputDispatchTable, InputDispatchRow {
        /// Id of the event.
        event_id: u32 => Long,
        /// Fields of the recorded message; join with `args` on `arg_set_id`.
        arg_set_id: Option<ArgSetNumber> => ArgSetId,
        /// Id of the vsync in which the event was dispatched.
        vsync_id: i64 => Long,
        /// Id of the window.
        window_id: i32 => Long,
        /// Number of the recorded message.
        base64_proto_id: Option<u32> => Long,
    }
}
