//! The compositor's verdict on a frame once it is shown: whether it was on time, and if not, the
//! reason.

use tpq_proto::fields::frame_timeline_event::{
    actual_display_frame_start, actual_surface_frame_start,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use tpq_trackers::args::{ArgSet, ArgValue};

const PRESENT: [&str; 6] = [
    "Unspecified Present",
    "On-time Present",
    "Late Present",
    "Early Present",
    "Dropped Frame",
    "Unknown Present",
];
const DROPPED: u64 = 4;
const PREDICTION: [&str; 4] =
    ["Unspecified Prediction", "Valid Prediction", "Expired Prediction", "Unknown Prediction"];
const SEVERITY: [&str; 4] = ["Unknown", "None", "Partial", "Full"];
const FENCE: [&str; 4] = ["Unknown", "Signaled", "Unsignaled", "Delayed Latch Unsignaled"];

/// Kinds of jank, of which a frame may have several: a bit each.
mod jank {
    pub(in crate::decode) const UNSPECIFIED: i32 = 0;
    pub(in crate::decode) const NONE: i32 = 1;
    pub(in crate::decode) const SF_SCHEDULING: i32 = 2;
    pub(in crate::decode) const PREDICTION_ERROR: i32 = 4;
    pub(in crate::decode) const DISPLAY_HAL: i32 = 8;
    pub(in crate::decode) const SF_CPU_DEADLINE_MISSED: i32 = 16;
    pub(in crate::decode) const SF_GPU_DEADLINE_MISSED: i32 = 32;
    pub(in crate::decode) const APP_DEADLINE_MISSED: i32 = 64;
    pub(in crate::decode) const BUFFER_STUFFING: i32 = 128;
    pub(in crate::decode) const UNKNOWN: i32 = 256;
    pub(in crate::decode) const SF_STUFFING: i32 = 512;
    pub(in crate::decode) const DROPPED: i32 = 1024;
    pub(in crate::decode) const NON_ANIMATING: i32 = 2048;
    pub(in crate::decode) const APP_RESYNCED_JITTER: i32 = 4096;
    pub(in crate::decode) const DISPLAY_NOT_ON: i32 = 8192;
    pub(in crate::decode) const DISPLAY_MODE_CHANGE: i32 = 16384;
    pub(in crate::decode) const DISPLAY_POWER_MODE_CHANGE: i32 = 32768;

    /// Jank caused by the compositor and the display.
    pub(in crate::decode) const OF_DISPLAY: i32 = SF_SCHEDULING
        | PREDICTION_ERROR
        | DISPLAY_HAL
        | SF_CPU_DEADLINE_MISSED
        | SF_GPU_DEADLINE_MISSED;
    /// Jank caused by the app.
    pub(in crate::decode) const OF_APP: i32 = APP_DEADLINE_MISSED | APP_RESYNCED_JITTER | UNKNOWN;

    /// Each kind with its name, in the order they are listed in.
    pub(in crate::decode) const NAMES: [(i32, &str); 15] = [
        (SF_SCHEDULING, "SurfaceFlinger Scheduling"),
        (PREDICTION_ERROR, "Prediction Error"),
        (DISPLAY_HAL, "Display HAL"),
        (SF_CPU_DEADLINE_MISSED, "SurfaceFlinger CPU Deadline Missed"),
        (SF_GPU_DEADLINE_MISSED, "SurfaceFlinger GPU Deadline Missed"),
        (APP_DEADLINE_MISSED, "App Deadline Missed"),
        (APP_RESYNCED_JITTER, "App Resynced Jitter"),
        (BUFFER_STUFFING, "Buffer Stuffing"),
        (UNKNOWN, "Unknown Jank"),
        (SF_STUFFING, "SurfaceFlinger Stuffing"),
        (DROPPED, "Dropped Frame"),
        (NON_ANIMATING, "Non Animating"),
        (DISPLAY_NOT_ON, "Display not ON"),
        (DISPLAY_MODE_CHANGE, "Display mode change in progress"),
        (DISPLAY_POWER_MODE_CHANGE, "Display power mode change in progress"),
    ];
}

/// Where the fields lie, which differs between frames of a display and of a surface.
struct Numbers {
    present: u32,
    on_time: u32,
    gpu: u32,
    jank: u32,
    prediction: u32,
    severity: u32,
    delay: u32,
    score: u32,
    jank_experimental: u32,
    present_experimental: u32,
    debug: u32,
}

const OF_DISPLAY: Numbers = Numbers {
    present: actual_display_frame_start::PRESENT_TYPE,
    on_time: actual_display_frame_start::ON_TIME_FINISH,
    gpu: actual_display_frame_start::GPU_COMPOSITION,
    jank: actual_display_frame_start::JANK_TYPE,
    prediction: actual_display_frame_start::PREDICTION_TYPE,
    severity: actual_display_frame_start::JANK_SEVERITY_TYPE,
    delay: actual_display_frame_start::PRESENT_DELAY_MILLIS,
    score: actual_display_frame_start::JANK_SEVERITY_SCORE,
    jank_experimental: actual_display_frame_start::JANK_TYPE_EXPERIMENTAL,
    present_experimental: actual_display_frame_start::PRESENT_TYPE_EXPERIMENTAL,
    debug: actual_display_frame_start::JANK_DEBUG_METADATA,
};
const OF_SURFACE: Numbers = Numbers {
    present: actual_surface_frame_start::PRESENT_TYPE,
    on_time: actual_surface_frame_start::ON_TIME_FINISH,
    gpu: actual_surface_frame_start::GPU_COMPOSITION,
    jank: actual_surface_frame_start::JANK_TYPE,
    prediction: actual_surface_frame_start::PREDICTION_TYPE,
    severity: actual_surface_frame_start::JANK_SEVERITY_TYPE,
    delay: actual_surface_frame_start::PRESENT_DELAY_MILLIS,
    score: actual_surface_frame_start::JANK_SEVERITY_SCORE,
    jank_experimental: actual_surface_frame_start::JANK_TYPE_EXPERIMENTAL,
    present_experimental: actual_surface_frame_start::PRESENT_TYPE_EXPERIMENTAL,
    debug: actual_surface_frame_start::JANK_DEBUG_METADATA,
};

/// Two verdicts on jank: the one in force, and one under trial.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    present: u64,
    jank: i32,
}

/// A frame that was shown or dropped.
pub(in crate::decode) struct Frame<'a> {
    fields: LastFields<'a, 21>,
    numbers: &'static Numbers,
    of_surface: bool,
    verdict: Verdict,
    experimental: Verdict,
    prediction: u64,
}

impl<'a> Frame<'a> {
    /// Reads one; values that mean nothing are counted and taken as not stated.
    pub(in crate::decode) fn read(
        fields: &LastFields<'a, 21>,
        of_surface: bool,
        stats: &mut Stats,
    ) -> Self {
        let numbers = if of_surface { &OF_SURFACE } else { &OF_DISPLAY };
        let mut one_of = |number, names: usize| match fields.get(number).map(|it| it.as_u64()) {
            Some(value) if value == 0 || value >= names as u64 => {
                stats.increment(Stat::FrameTimelineEventParserErrors);
                0
            }
            value => value.unwrap_or_default(),
        };
        let mut verdict = |present, jank| Verdict {
            present: one_of(present, PRESENT.len()),
            jank: fields.int(jank) as i32,
        };
        Self {
            verdict: verdict(numbers.present, numbers.jank),
            experimental: verdict(numbers.present_experimental, numbers.jank_experimental),
            prediction: one_of(numbers.prediction, PREDICTION.len()),
            fields: *fields,
            numbers,
            of_surface,
        }
    }

    fn tag(&self, verdict: Verdict) -> &'static str {
        match self.of_surface {
            true => surface_tag(verdict),
            false => display_tag(verdict.jank),
        }
    }

    /// Recorders of old state no severity; what was no jank had none.
    fn severity(&self) -> &'static str {
        match self.fields.get(self.numbers.severity) {
            Some(severity) => SEVERITY.get(severity.as_u64() as usize).unwrap_or(&SEVERITY[0]),
            None => SEVERITY[usize::from(self.verdict.jank == jank::NONE)],
        }
    }
}

/// Adds the details of a frame.
pub(in crate::decode) fn describe(frame: &Frame<'_>, set: &mut ArgSet, tables: &mut Tables) {
    let Frame { fields, numbers, verdict, experimental, .. } = frame;
    let mut add = |key: &str, value: Arg<'_>| {
        let value = match value {
            Arg::Int(value) => ArgValue::Int(value),
            Arg::Real(value) => ArgValue::Real(value),
            Arg::Text(text) => ArgValue::String(tables.strings.intern(text)),
        };
        set.add(tables.strings.intern(key), value);
    };
    add("Present Delay (ms)", Arg::Real(fields.real(numbers.delay)));
    if frame.of_surface {
        add(
            "Vsync Resynced Jitter (ms)",
            Arg::Real(fields.real(actual_surface_frame_start::VSYNC_RESYNCED_JITTER_MILLIS)),
        );
    }
    add("Present type", Arg::Text(PRESENT[verdict.present as usize]));
    add("Present type (experimental)", Arg::Text(PRESENT[experimental.present as usize]));
    add("On time finish", Arg::Int(i64::from(fields.uint(numbers.on_time) != 0)));
    add("GPU composition", Arg::Int(i64::from(fields.uint(numbers.gpu) != 0)));
    add("Jank type", Arg::Text(&jank_names(verdict.jank)));
    add("Jank type (experimental)", Arg::Text(&jank_names(experimental.jank)));
    add("Jank severity type", Arg::Text(frame.severity()));
    add("Jank Severity Score", Arg::Real(fields.real(numbers.score)));
    add("Prediction type", Arg::Text(PREDICTION[frame.prediction as usize]));
    add("Jank tag", Arg::Text(frame.tag(*verdict)));
    add("Jank tag (experimental)", Arg::Text(frame.tag(*experimental)));
    add("Jank Metadata (debugging only)", Arg::Real(fields.real(numbers.debug)));
    if !frame.of_surface {
        for (number, key) in [
            (actual_display_frame_start::LATCHED_UNSIGNALED_COUNT, "Latched Unsignaled Count"),
            (
                actual_display_frame_start::ADDRESSABLE_UNSIGNALED_LATCH_COUNT,
                "Addressable Unsignaled Latch Count",
            ),
        ] {
            if let Some(count) = fields.get(number) {
                add(key, Arg::Int(count.as_i64()));
            }
        }
        return;
    }
    let is_buffer = fields
        .get(actual_surface_frame_start::IS_BUFFER)
        .map(|it| if it.as_bool() { "Yes" } else { "No" });
    add("Is Buffer?", Arg::Text(is_buffer.unwrap_or("Unspecified")));
    if let Some(state) = fields.get(actual_surface_frame_start::LATCHED_FENCE_STATE) {
        let state = FENCE.get(state.as_u64() as usize).unwrap_or(&FENCE[0]);
        add("Latched Fence State", Arg::Text(state));
    }
    if let Some(time) = fields.get(actual_surface_frame_start::ANIMATION_TIME_MILLIS) {
        add("Animation Time (ms)", Arg::Real(time.as_f64()));
    }
}

/// A value before its text is interned.
enum Arg<'a> {
    Int(i64),
    Real(f64),
    Text(&'a str),
}

/// The kinds of jank a frame had.
fn jank_names(jank: i32) -> String {
    match jank {
        jank::UNSPECIFIED => "Unspecified".to_owned(),
        jank::NONE => "None".to_owned(),
        _ => {
            let named = jank::NAMES.iter().filter(|(bit, _)| jank & bit != 0);
            named.map(|&(_, name)| name).collect::<Vec<_>>().join(", ")
        }
    }
}

fn display_tag(jank: i32) -> &'static str {
    match jank {
        jank::UNSPECIFIED => "Unspecified",
        jank if jank & jank::OF_DISPLAY != 0 => "Self Jank",
        jank::SF_STUFFING => "SurfaceFlinger Stuffing",
        jank::DROPPED => "Dropped Frame",
        jank => harmless_tag(jank),
    }
}

fn surface_tag(Verdict { present, jank }: Verdict) -> &'static str {
    match jank {
        jank::UNSPECIFIED => "Unspecified",
        jank if jank & jank::OF_APP != 0 => "Self Jank",
        jank if jank & jank::OF_DISPLAY != 0 => "Other Jank",
        jank::BUFFER_STUFFING => "Buffer Stuffing",
        _ if present == DROPPED => "Dropped Frame",
        jank => harmless_tag(jank),
    }
}

/// The tag of frames without visible jank.
fn harmless_tag(jank: i32) -> &'static str {
    match jank {
        jank::NON_ANIMATING => "Non Animating",
        jank::DISPLAY_NOT_ON => "Display not ON",
        _ => "No Jank",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_kinds_of_jank_are_listed_in_a_fixed_order() {
        assert_eq!(jank_names(0), "Unspecified");
        assert_eq!(jank_names(1), "None");
        assert_eq!(
            jank_names(64 | 128 | 2),
            "SurfaceFlinger Scheduling, App Deadline Missed, Buffer Stuffing"
        );
        assert_eq!(jank_names(256 | 4096), "App Resynced Jitter, Unknown Jank");
    }

    #[test]
    fn tags_state_the_cause() {
        let surface = |jank, present| surface_tag(Verdict { present, jank });
        assert_eq!(display_tag(2 | 64), "Self Jank", "the compositor draws display frames");
        assert_eq!(surface(2, 1), "Other Jank");
        assert_eq!(surface(2 | 64, 1), "Self Jank");
        assert_eq!(surface(128, DROPPED), "Buffer Stuffing");
        assert_eq!(surface(1, DROPPED), "Dropped Frame");
        assert_eq!(display_tag(512), "SurfaceFlinger Stuffing");
        assert_eq!(display_tag(64), "No Jank", "what an app did is no display frame's jank");
        assert_eq!(surface(2048, 1), "Non Animating");
    }
}
