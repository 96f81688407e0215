//! How Android was told to treat games.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::GameInterventionRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::ANDROID_GAME_INTERVENTION_LIST,
    route: Route::Immediate,
    decode,
};

/// What a mode of a game asks for.
#[derive(Clone, Copy, Default)]
struct Mode {
    supported: u32,
    downscale: Option<f64>,
    use_angle: Option<u32>,
    fps: Option<f64>,
}

fn decode(packet: &Packet<'_>, _: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let list = LastFields::<4>::new(packet.data);
    stats.set(Stat::GameInterventionHasParseErrors, i64::from(list.uint(2) != 0));
    stats.set(Stat::GameInterventionHasReadErrors, i64::from(list.uint(3) != 0));
    for game in Fields::new(packet.data).filter(|field| field.number == 1) {
        decode_game(game.as_bytes(), tables);
    }
}

fn decode_game(bytes: &[u8], tables: &mut Tables) {
    let game = LastFields::<4>::new(bytes);
    let mut modes = [Mode::default(); 3];
    for mode in Fields::new(bytes).filter(|field| field.number == 4) {
        let mode = LastFields::<5>::new(mode.as_bytes());
        // Standard is 1, performance 2, battery 3.
        let Some(known) = (mode.uint(1) as usize).checked_sub(1).and_then(|it| modes.get_mut(it))
        else {
            continue;
        };
        *known = Mode {
            supported: 1,
            downscale: Some(mode.real(3)),
            use_angle: Some(u32::from(mode.uint(2) != 0)),
            fps: Some(mode.real(4)),
        };
    }
    let [standard, perf, battery] = modes;
    let package_name = crate::decode::text(&game, 1, tables);
    tables.android_game_intervention_list.push(GameInterventionRow {
        package_name,
        uid: game.int(2),
        current_mode: game.int(3) as i32,
        standard_mode_supported: standard.supported,
        standard_mode_downscale: standard.downscale,
        standard_mode_use_angle: standard.use_angle,
        standard_mode_fps: standard.fps,
        perf_mode_supported: perf.supported,
        perf_mode_downscale: perf.downscale,
        perf_mode_use_angle: perf.use_angle,
        perf_mode_fps: perf.fps,
        battery_mode_supported: battery.supported,
        battery_mode_downscale: battery.downscale,
        battery_mode_use_angle: battery.use_angle,
        battery_mode_fps: battery.fps,
    });
}
