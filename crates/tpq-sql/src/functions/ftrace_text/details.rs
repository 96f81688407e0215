//! The details of kernel events, in the format of each tracepoint.

use std::fmt::Write;

use super::super::arg_sets::Arg;
use super::super::value::Value;

/// The formats of tracepoints that print other text than `key=value` for each argument. `{key}`
/// stands for an argument, and what follows a colon says how its value is printed.
const FORMATS: &[(&str, &str)] = &[
    ("binder_command", "cmd=0x{cmd:hex}"),
    ("binder_return", "cmd=0x{cmd:hex}"),
    (
        "binder_transaction",
        "transaction={debug_id} dest_node={target_node} dest_proc={to_proc} \
         dest_thread={to_thread} reply={reply} flags=0x{flags:hex} code=0x{code:hex}",
    ),
    (
        "binder_transaction_alloc_buf",
        "transaction={debug_id} data_size={data_size} offsets_size={offsets_size} \
         extra_buffers_size={extra_buffers_size}",
    ),
    ("binder_transaction_received", "transaction={debug_id}"),
    ("clock_disable", "{name} state={state} cpu_id={cpu_id}"),
    ("clock_enable", "{name} state={state} cpu_id={cpu_id}"),
    ("clock_set_rate", "{name} state={state} cpu_id={cpu_id}"),
    ("cpu_frequency_limits", "min={min_freq} max={max_freq} cpu_id={cpu_id}"),
    ("irq_handler_entry", "irq={irq} name={name}"),
    ("irq_handler_exit", "irq={irq} ret={ret:handled}"),
    ("print", "{buf}"),
    ("sched_blocked_reason", "pid={pid} iowait={io_wait} caller={caller}"),
    (
        "sched_switch",
        "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} \
         prev_state={prev_state:state} ==> next_comm={next_comm} next_pid={next_pid} \
         next_prio={next_prio}",
    ),
    ("sched_wakeup", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"),
    ("sched_wakeup_new", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"),
    ("sched_waking", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:cpu}"),
    ("softirq_entry", "vec={vec} [action={vec:softirq}]"),
    ("softirq_exit", "vec={vec} [action={vec:softirq}]"),
    ("softirq_raise", "vec={vec} [action={vec:softirq}]"),
    ("suspend_resume", "{action}[{val}] {start:begin}"),
    ("sys_enter", "NR {id} ({args:list})"),
    ("sys_exit", "NR {id} = {ret}"),
    (
        "task_newtask",
        "pid={pid} comm={comm} clone_flags={clone_flags:hex} oom_score_adj={oom_score_adj}",
    ),
    ("workqueue_execute_end", "work struct {work:hex}"),
    ("workqueue_execute_start", "work struct {work:hex}: function {function}"),
];

/// The names of the kernel's soft interrupts.
const SOFT_INTERRUPTS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// The letters of the bits of a task state.
#[derive(Debug, PartialEq)]
pub(super) struct StateBits {
    letters: &'static [char],
    /// The bit of a task that was preempted.
    preempted: i64,
    /// The bits of an idle task, if they are those of other letters.
    idle: Option<i64>,
}

static BEFORE_4_14: StateBits = StateBits {
    letters: &['S', 'D', 'T', 't', 'X', 'Z', 'x', 'K', 'W', 'P', 'N'],
    preempted: 0x800,
    idle: Some(0x402),
};

static SINCE_4_14: StateBits =
    StateBits { letters: &['S', 'D', 'T', 't', 'X', 'Z', 'P', 'I'], preempted: 0x100, idle: None };

impl StateBits {
    /// The letters in a release of the kernel. An unknown release counts as an old one, as in
    /// `sched`.
    pub(super) fn of_release(release: &str) -> &'static Self {
        let mut numbers = release.split(['.', '-']).map(|part| part.parse::<u32>().ok());
        match (numbers.next().flatten(), numbers.next().flatten()) {
            (Some(major), Some(minor)) if (major, minor) >= (4, 14) => &SINCE_4_14,
            _ => &BEFORE_4_14,
        }
    }

    /// `S`, `D|K`, `R+`…
    fn text(&self, bits: i64) -> String {
        let preempted = if bits & self.preempted != 0 { "+" } else { "" };
        if self.idle.is_some_and(|idle| bits & idle == idle) {
            return format!("I{preempted}");
        }
        let set = self.letters.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        let letters: Vec<String> = set.map(|(_, letter)| letter.to_string()).collect();
        let state = if letters.is_empty() { "R".to_owned() } else { letters.join("|") };
        state + preempted
    }
}

/// The arguments of an event.
#[derive(Default)]
pub(super) struct Args(Vec<OwnArg>);

struct OwnArg {
    key: String,
    /// Whether an integer has no sign.
    unsigned: bool,
    pointer: bool,
    value: Value<'static>,
}

impl Args {
    pub(super) fn push(&mut self, arg: &Arg) {
        self.0.push(OwnArg {
            key: arg.key.to_owned(),
            unsigned: arg.kind == "uint",
            pointer: arg.kind == "pointer",
            value: arg.value.clone().into_owned(),
        });
    }

    /// The text of an event after its name.
    pub(super) fn details(&self, event: &str, states: &StateBits) -> String {
        let mut text = String::new();
        match FORMATS.iter().find(|(name, _)| *name == event) {
            Some((_, format)) => self.push_format(&mut text, format, states),
            None => self.push_pairs(&mut text),
        }
        text
    }

    fn push_pairs(&self, text: &mut String) {
        for (index, arg) in self.0.iter().enumerate() {
            let blank = if index > 0 { " " } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(text, "{blank}{}={}", arg.key, arg.text());
        }
    }

    fn push_format(&self, text: &mut String, format: &str, states: &StateBits) {
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (argument, after) = after.split_once('}').unwrap_or((after, ""));
            let (key, form) = argument.split_once(':').unwrap_or((argument, ""));
            text.push_str(&self.formatted(key, form, states));
            rest = after;
        }
        text.push_str(rest);
    }

    /// The value of an argument in one of the forms; empty if the event has no such argument.
    fn formatted(&self, key: &str, form: &str, states: &StateBits) -> String {
        if form == "list" {
            return self.list(key);
        }
        let Some(arg) = self.0.iter().find(|arg| arg.key == key) else { return String::new() };
        let Value::Integer(value) = arg.value else { return arg.text() };
        match (form, value) {
            ("hex", _) => format!("{value:x}"),
            ("cpu", _) => format!("{value:03}"),
            ("state", _) => states.text(value),
            ("handled", 0) => "unhandled".to_owned(),
            ("handled", _) => "handled".to_owned(),
            ("begin", 0) => "end".to_owned(),
            ("begin", _) => "begin".to_owned(),
            ("softirq", _) => {
                let name = usize::try_from(value).ok().and_then(|vec| SOFT_INTERRUPTS.get(vec));
                name.map_or_else(|| value.to_string(), |name| (*name).to_owned())
            }
            _ => arg.text(),
        }
    }

    /// The elements of an array in hexadecimal.
    fn list(&self, key: &str) -> String {
        let elements = self.0.iter().filter(|arg| {
            arg.key.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        });
        let texts = elements.map(|arg| match arg.value {
            Value::Integer(value) => format!("{value:x}"),
            _ => arg.text(),
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}

impl OwnArg {
    fn text(&self) -> String {
        match &self.value {
            Value::Integer(value) if self.unsigned => value.cast_unsigned().to_string(),
            Value::Integer(value) if self.pointer => format!("0x{value:x}"),
            // Programs end what they write with a line break.
            Value::Text(text) => text.trim_end_matches('\n').to_owned(),
            other => other.as_text().unwrap_or_default().into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(event: &str, args: &[(&str, &str, Value<'static>)]) -> String {
        let mut own = Args::default();
        for (key, kind, value) in args {
            own.push(&Arg { key, kind, value: value.clone() });
        }
        own.details(event, &SINCE_4_14)
    }

    fn int(key: &'static str, value: i64) -> (&'static str, &'static str, Value<'static>) {
        (key, "int", Value::Integer(value))
    }

    #[test]
    fn events_are_printed_in_the_format_of_their_tracepoint() {
        let switch = [
            ("prev_comm", "string", Value::text("app")),
            int("prev_pid", 7),
            int("prev_prio", 120),
            int("prev_state", 0x100),
            ("next_comm", "string", Value::text("swapper/1")),
            int("next_pid", 0),
            int("next_prio", 120),
        ];
        assert_eq!(
            details("sched_switch", &switch),
            "prev_comm=app prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=swapper/1 \
             next_pid=0 next_prio=120"
        );
        assert_eq!(details("softirq_entry", &[int("vec", 9)]), "vec=9 [action=RCU]");
        assert_eq!(details("softirq_entry", &[int("vec", 10)]), "vec=10 [action=10]");
        let call = [int("id", 63), int("args[0]", 1), int("args[1]", 255)];
        assert_eq!(details("sys_enter", &call), "NR 63 (1, ff)");
        let print = [int("ip", 1), ("buf", "string", Value::text("B|5|a=b\n"))];
        assert_eq!(details("print", &print), "B|5|a=b");
    }

    #[test]
    fn other_events_are_printed_as_pairs() {
        let args = [int("state", 1), ("cpu_id", "uint", Value::Integer(-1))];
        assert_eq!(details("cpu_idle", &args), "state=1 cpu_id=18446744073709551615");
        assert_eq!(details("nothing", &[]), "");
    }

    #[test]
    fn task_states_are_letters_of_the_release() {
        assert_eq!(StateBits::of_release("6.1.0-rc1").text(0x2 | 0x80), "D|I");
        assert_eq!(StateBits::of_release("4.14.2").text(0), "R");
        assert_eq!(StateBits::of_release("4.9").text(0x402), "I");
        assert_eq!(StateBits::of_release("").text(0x802), "D+");
    }
}
