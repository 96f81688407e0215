//! Arguments of system calls, read from the message of the event that begins the call.

use tpq_proto::fields::ftrace::sys_enter;
use tpq_proto::wire::{Fields, Packed, Value};
use tpq_tables::StringPool;

use super::{ArgSet, ArgValue};

/// Field of `sys_enter` with the arguments: `SysEnterFtraceEvent.args`.
const ARGS: u32 = sys_enter::ARGS;

/// The flat key of all arguments, and the key of each. The kernel's calls take six at most.
const FLAT_KEY: &str = "args";
const KEYS: [&str; 16] = [
    "args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]", "args[6]", "args[7]",
    "args[8]", "args[9]", "args[10]", "args[11]", "args[12]", "args[13]", "args[14]", "args[15]",
];

/// Adds the arguments of a system call; `message` is a `SysEnterFtraceEvent`.
pub fn add_syscall_args(message: &[u8], args: &mut ArgSet, strings: &mut StringPool) {
    let (flat_key, mut keys) = (strings.intern(FLAT_KEY), KEYS.iter());
    let mut add = |value| {
        if let Some(key) = keys.next() {
            let key = strings.intern(key);
            args.add_keyed(flat_key, key, ArgValue::Uint(value));
        }
    };
    for field in Fields::new(message).filter(|field| field.number == ARGS) {
        match field.value {
            Value::Bytes(packed) => Packed::new(packed).for_each(&mut add),
            _ => add(field.as_u64()),
        }
    }
}
