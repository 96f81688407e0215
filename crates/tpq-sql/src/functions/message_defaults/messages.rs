//! The tables with rows of recorded messages, and the types of these messages.

use std::collections::HashMap;

use datafusion::common::Result;
use tpq_proto::fields::{
    layers_snapshot_proto, view_capture, window_container_child_proto as container,
};
use tpq_tables::TraceTables;

use super::super::stored_rows::StoredRows;

/// The prefix of the names of internal tables, which callers may leave out or add.
const INTERNAL: &str = "__intrinsic_";

/// The messages of a table.
#[derive(Clone, Copy)]
struct Declared {
    /// The table, as it is stored.
    table: &'static str,
    /// The full name of the type.
    message: &'static str,
    /// Fields of the message that have rows of their own.
    separate: &'static [u32],
    /// Args of the rows that are computed, not fields of the message.
    computed: &'static [&'static str],
}

const fn plain(table: &'static str, message: &'static str) -> Declared {
    Declared { table, message, separate: &[], computed: &[] }
}

const TABLES: [Declared; 14] = [
    Declared {
        computed: &["visibility_reason", "occluded_by", "partially_occluded_by", "covered_by"],
        ..plain("surfaceflinger_layer", "com.android.internal.LayerProto")
    },
    Declared {
        separate: &[layers_snapshot_proto::LAYERS],
        ..plain("surfaceflinger_layers_snapshot", "com.android.internal.LayersSnapshotProto")
    },
    plain("surfaceflinger_transactions", "com.android.internal.TransactionTraceEntry"),
    plain(TRANSITIONS, "com.android.internal.ShellTransition"),
    plain("__intrinsic_inputmethod_clients", "com.android.internal.InputMethodClientsTraceProto"),
    plain(
        "__intrinsic_inputmethod_manager_service",
        "com.android.internal.InputMethodManagerServiceTraceProto",
    ),
    plain("__intrinsic_inputmethod_service", "com.android.internal.InputMethodServiceTraceProto"),
    Declared {
        separate: &[view_capture::VIEWS],
        ..plain("__intrinsic_viewcapture", "com.android.internal.ViewCapture")
    },
    plain("__intrinsic_viewcapture_view", "com.android.internal.ViewCapture.View"),
    plain("windowmanager", "com.android.internal.WindowManagerTraceEntry"),
    plain(CONTAINERS, "com.android.internal.WindowContainerChildProto"),
    plain("__intrinsic_android_key_events", "com.android.internal.AndroidKeyEvent"),
    plain("__intrinsic_android_motion_events", "com.android.internal.AndroidMotionEvent"),
    plain(
        "__intrinsic_android_input_event_dispatch",
        "com.android.internal.AndroidWindowInputDispatchEvent",
    ),
];

/// The messages of transitions. Those of one transition count as one message.
const TRANSITIONS: &str = "__intrinsic_window_manager_shell_transition_protos";
const CONTAINERS: &str = "windowmanager_windowcontainer";

/// The field of a container's message for each value of `container_type`. The root has a message
/// of another type.
const CONTAINER_TYPES: [(&str, u32); 8] = [
    ("WindowContainer", container::WINDOW_CONTAINER),
    ("DisplayContent", container::DISPLAY_CONTENT),
    ("DisplayArea", container::DISPLAY_AREA),
    ("Task", container::TASK),
    ("Activity", container::ACTIVITY),
    ("WindowToken", container::WINDOW_TOKEN),
    ("WindowState", container::WINDOW),
    ("TaskFragment", container::TASK_FRAGMENT),
];

/// A table with rows of recorded messages.
pub(super) struct MessageTable {
    declared: Declared,
    /// The rows, with `base64_proto_id`, `arg_set_id` and, where it matters, the type of container.
    rows: Option<StoredRows>,
    /// The messages of transitions: `transition_id` and `base64_proto_id`.
    numbers: Option<StoredRows>,
}

/// A recorded message.
pub(super) struct Recorded {
    /// Its number, `base64_proto_id`.
    pub(super) number: i64,
    /// The fields that it has.
    pub(super) arg_set: Option<i64>,
    /// The only field to return, if it is a choice of several.
    pub(super) only: Option<u32>,
}

/// The tables of a trace.
pub(super) fn tables(tables: &TraceTables) -> Vec<MessageTable> {
    let table = |declared: Declared| {
        let (rows, columns): (_, &[&str]) = match declared.table {
            TRANSITIONS => ("window_manager_shell_transitions", &["transition_id", "arg_set_id"]),
            CONTAINERS => (CONTAINERS, &["base64_proto_id", "arg_set_id", "container_type"]),
            table => (table, &["base64_proto_id", "arg_set_id"]),
        };
        let numbers = (declared.table == TRANSITIONS)
            .then(|| StoredRows::new(tables, TRANSITIONS, &["transition_id", "base64_proto_id"]));
        let rows = StoredRows::new(tables, rows, columns);
        MessageTable { declared, rows, numbers: numbers.flatten() }
    };
    TABLES.map(table).into()
}

impl MessageTable {
    pub(super) fn is_called(&self, name: &str) -> bool {
        let public = |name: &str| name.strip_prefix(INTERNAL).unwrap_or(name).to_owned();
        public(name) == public(self.declared.table)
    }

    /// The full name of the messages' type.
    pub(super) fn message_type(&self) -> &'static str {
        self.declared.message
    }

    /// Whether a field of the messages has rows of its own.
    pub(super) fn is_separate(&self, field: u32) -> bool {
        self.declared.separate.contains(&field)
    }

    /// Whether an arg of the rows is no field of the messages.
    pub(super) fn is_computed(&self, name: &str) -> bool {
        self.declared.computed.contains(&name)
    }

    /// The messages of the rows, in order. Rows of equal messages have equal numbers.
    ///
    /// # Errors
    /// When a table cannot be read.
    pub(super) fn messages(&self) -> Result<Vec<Recorded>> {
        if self.declared.table == TRANSITIONS {
            return self.transitions();
        }
        let mut messages = Vec::new();
        let Some(rows) = &self.rows else { return Ok(messages) };
        rows.each(|_, columns, at| {
            let number = columns[0].value(at).as_integer();
            let kind = columns.get(2).and_then(|kinds| kinds.value(at).as_text());
            let only = kind.as_deref().map(field_of_container);
            if let (Some(number), None | Some(Some(_))) = (number, only) {
                let arg_set = columns[1].value(at).as_integer();
                messages.push(Recorded { number, arg_set, only: only.flatten() });
            }
            Ok(())
        })?;
        Ok(messages)
    }

    /// Transitions, each under the number of its last message.
    fn transitions(&self) -> Result<Vec<Recorded>> {
        let mut last = HashMap::new();
        let mut messages = Vec::new();
        let (Some(rows), Some(numbers)) = (&self.rows, &self.numbers) else { return Ok(messages) };
        let integers = |columns: &[super::super::value::Column], at: usize| {
            let integer = |column: usize| columns.get(column)?.value(at).as_integer();
            (integer(0), integer(1))
        };
        numbers.each(|_, columns, at| {
            if let (Some(transition), Some(number)) = integers(columns, at) {
                last.insert(transition, number);
            }
            Ok(())
        })?;
        rows.each(|_, columns, at| {
            let (transition, arg_set) = integers(columns, at);
            if let Some(&number) = transition.and_then(|transition| last.get(&transition)) {
                messages.push(Recorded { number, arg_set, only: None });
            }
            Ok(())
        })?;
        Ok(messages)
    }
}

/// The field of a container of this type; `None` for the root.
fn field_of_container(container_type: &str) -> Option<u32> {
    CONTAINER_TYPES.iter().find(|(name, _)| *name == container_type).map(|&(_, field)| field)
}

#[cfg(test)]
mod tests {
    use tpq_proto::reflect::DescriptorPool;

    use super::*;

    #[test]
    fn every_message_is_described() {
        let pool = DescriptorPool::track_event();
        for declared in TABLES {
            let message = pool.find_message(declared.message).and_then(|at| pool.message(at));
            let fields = &message.expect(declared.message).fields;
            assert!(declared.separate.iter().all(|field| fields.contains_key(field)));
        }
    }
}
