//! Displays: frames that came late or not at all, and panels as they are set.

use tpq_proto::fields::ftrace::{
    dpu_disp_dpu_line_underrun, dpu_disp_dpu_underrun, dpu_disp_frame_done_missing,
    dpu_disp_frame_done_timeout, dpu_disp_frame_start_missing, dpu_disp_frame_start_timeout,
    dpu_disp_vblank_irq_enable, ftrace_event, gram_collision, panel_settings_full,
    panel_settings_lite,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects, NamedArg};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::DPU_DISP_DPU_UNDERRUN, underrun),
    (ftrace_event::DPU_DISP_VBLANK_IRQ_ENABLE, vblank_interrupt),
    (ftrace_event::GRAM_COLLISION, panel_underrun),
    (ftrace_event::DPU_DISP_FRAME_DONE_TIMEOUT, frame_done_timeout),
    (ftrace_event::DPU_DISP_FRAME_START_TIMEOUT, frame_start_timeout),
    (ftrace_event::DPU_DISP_FRAME_DONE_MISSING, frame_done_missing),
    (ftrace_event::DPU_DISP_FRAME_START_MISSING, frame_start_missing),
    (ftrace_event::PANEL_SETTINGS_FULL, settings_full),
    (ftrace_event::PANEL_SETTINGS_LITE, settings_lite),
    (ftrace_event::DPU_DISP_DPU_LINE_UNDERRUN, line_underrun),
];

const UNDERRUN: TrackKind = TrackKind::slices("disp_dpu_underrun");
const LINE_UNDERRUN: TrackKind = TrackKind::slices("disp_dpu_line_underrun");
const VBLANK_INTERRUPT: TrackKind = TrackKind::slices("disp_vblank_irq_enable");
const FRAME_START_TIMEOUT: TrackKind = TrackKind::slices("disp_frame_start_timeout");
const FRAME_DONE_TIMEOUT: TrackKind = TrackKind::slices("disp_frame_done_timeout");
const FRAME_START_MISSING: TrackKind = TrackKind::slices("disp_frame_start_missing");
const FRAME_DONE_MISSING: TrackKind = TrackKind::slices("disp_frame_done_missing");
const PANEL_UNDERRUN: TrackKind = TrackKind::slices("ddic_underrun");
const SETTINGS_FULL: TrackKind = TrackKind::slices("panel_settings_full");
const SETTINGS_LITE: TrackKind = TrackKind::slices("panel_settings_lite");

/// The track of one display or panel, named after what it shows.
fn track(
    effects: &mut Effects<'_, '_>,
    kind: TrackKind,
    key: &'static str,
    title: &str,
    number: i64,
) -> u32 {
    let number = number as u32;
    let of = effects.machine().number(key, number.into());
    effects.track(kind, of, &format!("{title}[{number}]"))
}

/// An instant on a panel's track, which is named like it.
fn panel_instant(
    effects: &mut Effects<'_, '_>,
    kind: TrackKind,
    name: &str,
    number: i64,
    args: &[NamedArg<'_>],
) {
    let track = track(effects, kind, "panel_index", name, number);
    effects.instant(track, name, args);
}

/// An instant on a display's track, with the name of its kind.
fn display_instant(
    effects: &mut Effects<'_, '_>,
    kind: TrackKind,
    title: &str,
    number: i64,
    args: &[NamedArg<'_>],
) {
    let track = track(effects, kind, "display_id", title, number);
    effects.instant(track, kind.name, args);
}

fn int<'a>(event: &FtraceEvent<'_>, key: &'a str, number: u32) -> NamedArg<'a> {
    (key, Arg::Int(event.int(number)))
}

fn flag<'a>(event: &FtraceEvent<'_>, key: &'a str, number: u32) -> NamedArg<'a> {
    (key, Arg::Bool(event.int(number) != 0))
}

/// The display had to show a frame that was not there.
fn underrun(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        int(event, "vsync_count", dpu_disp_dpu_underrun::VSYNC_COUNT),
        int(event, "pending_frame", dpu_disp_dpu_underrun::FRAMES_PENDING),
    ];
    let mut effects = event.effects(trackers, tables, stats);
    let display = event.int(dpu_disp_dpu_underrun::ID);
    display_instant(&mut effects, UNDERRUN, "underrun", display, &args);
}

/// The display had to show a line that was not there.
fn line_underrun(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        int(event, "vsync_count", dpu_disp_dpu_line_underrun::VSYNC_COUNT),
        int(event, "pending_frame", dpu_disp_dpu_line_underrun::FRAMES_PENDING),
    ];
    let mut effects = event.effects(trackers, tables, stats);
    let display = event.int(dpu_disp_dpu_line_underrun::ID);
    display_instant(&mut effects, LINE_UNDERRUN, "line_underrun", display, &args);
}

fn vblank_interrupt(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let output = event.int(dpu_disp_vblank_irq_enable::OUTPUT_ID);
    let track = track(&mut effects, VBLANK_INTERRUPT, "display_id", "vblank_irq_en", output);
    if event.int(dpu_disp_vblank_irq_enable::ENABLE) == 0 {
        effects.end(track, &[]);
        return;
    }
    let args = [
        int(event, "display_id", dpu_disp_vblank_irq_enable::ID),
        int(event, "output_id", dpu_disp_vblank_irq_enable::OUTPUT_ID),
    ];
    effects.begin(track, VBLANK_INTERRUPT.name, &args);
}

/// The args that all events of late and missing frames have, in fields of the same numbers.
fn frame_args(event: &FtraceEvent<'_>) -> Vec<NamedArg<'static>> {
    vec![
        int(event, "display_id", dpu_disp_frame_start_timeout::DISPLAY_ID),
        int(event, "output_id", dpu_disp_frame_start_timeout::OUTPUT_ID),
        int(event, "frames_pending", dpu_disp_frame_start_timeout::FRAMES_PENDING),
        int(event, "te_count", dpu_disp_frame_start_timeout::TE_COUNT),
    ]
}

fn frame_start_timeout(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (args, output) = (frame_args(event), event.int(dpu_disp_frame_start_timeout::OUTPUT_ID));
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(&mut effects, FRAME_START_TIMEOUT, "frame_start_timeout", output, &args);
}

fn frame_done_timeout(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (mut args, output) = (frame_args(event), event.int(dpu_disp_frame_done_timeout::OUTPUT_ID));
    args.push(int(event, "during_disable", dpu_disp_frame_done_timeout::DURING_DISABLE));
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(&mut effects, FRAME_DONE_TIMEOUT, "frame_done_timeout", output, &args);
}

fn frame_start_missing(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (args, output) = (frame_args(event), event.int(dpu_disp_frame_start_missing::OUTPUT_ID));
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(&mut effects, FRAME_START_MISSING, "frame_start_missing", output, &args);
}

fn frame_done_missing(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (args, output) = (frame_args(event), event.int(dpu_disp_frame_done_missing::OUTPUT_ID));
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(&mut effects, FRAME_DONE_MISSING, "frame_done_missing", output, &args);
}

/// The panel read its memory while it was being written.
fn panel_underrun(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [int(event, "collision_cnt", gram_collision::COLLISION_CNT)];
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(
        &mut effects,
        PANEL_UNDERRUN,
        PANEL_UNDERRUN.name,
        event.int(gram_collision::PANEL_INDEX),
        &args,
    );
}

fn settings_full(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        flag(event, "hbm", panel_settings_full::HBM),
        int(event, "irc", panel_settings_full::IRC),
        flag(event, "h_pwm", panel_settings_full::H_PWM),
        flag(event, "fi_auto", panel_settings_full::FI_AUTO),
        flag(event, "fi_manual", panel_settings_full::FI_MANUAL),
        flag(event, "early_exit", panel_settings_full::EARLY_EXIT),
        int(event, "min_rr", panel_settings_full::MIN_RR),
        int(event, "max_rr", panel_settings_full::MAX_RR),
        int(event, "te_freq", panel_settings_full::TE_FREQ),
    ];
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(
        &mut effects,
        SETTINGS_FULL,
        SETTINGS_FULL.name,
        event.int(panel_settings_full::PANEL_INDEX),
        &args,
    );
}

fn settings_lite(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        flag(event, "vrr", panel_settings_lite::VRR),
        int(event, "min_rr", panel_settings_lite::MIN_RR),
        int(event, "max_rr", panel_settings_lite::MAX_RR),
        int(event, "te_freq", panel_settings_lite::TE_FREQ),
    ];
    let mut effects = event.effects(trackers, tables, stats);
    panel_instant(
        &mut effects,
        SETTINGS_LITE,
        SETTINGS_LITE.name,
        event.int(panel_settings_lite::PANEL_INDEX),
        &args,
    );
}
