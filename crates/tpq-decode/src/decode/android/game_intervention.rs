//! Android's settings for games.

use tpq_ingest::Route;
use tpq_proto::fields::{
    android_game_intervention_list::{self, game_mode_info, game_package_info},
    trace_packet,
};
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

/// The settings of a mode of a game.
#[derive(Clone, Copy, Default)]
struct Mode {
    supported: u32,
    downscale: Option<f64>,
    use_angle: Option<u32>,
    fps: Option<f64>,
}

fn decode(packet: &Packet<'_>, _: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let list = LastFields::<4>::new(packet.data);
    stats.set(
        Stat::GameInterventionHasParseErrors,
        i64::from(list.uint(android_game_intervention_list::PARSE_ERROR) != 0),
    );
    stats.set(
        Stat::GameInterventionHasReadErrors,
        i64::from(list.uint(android_game_intervention_list::READ_ERROR) != 0),
    );
    for game in Fields::new(packet.data)
        .filter(|field| field.number == android_game_intervention_list::GAME_PACKAGES)
    {
        decode_game(game.as_bytes(), tables);
    }
}

fn decode_game(bytes: &[u8], tables: &mut Tables) {
    let game = LastFields::<4>::new(bytes);
    let mut modes = [Mode::default(); 3];
    for mode in Fields::new(bytes).filter(|field| field.number == game_package_info::GAME_MODE_INFO)
    {
        let mode = LastFields::<5>::new(mode.as_bytes());
        // Standard is 1, performance 2, battery 3.
        let Some(known) = (mode.uint(game_mode_info::MODE) as usize)
            .checked_sub(1)
            .and_then(|it| modes.get_mut(it))
        else {
            continue;
        };
        *known = Mode {
            supported: 1,
            downscale: Some(mode.real(game_mode_info::RESOLUTION_DOWNSCALE)),
            use_angle: Some(u32::from(mode.uint(game_mode_info::USE_ANGLE) != 0)),
            fps: Some(mode.real(game_mode_info::FPS)),
        };
    }
    let [standard, perf, battery] = modes;
    let package_name = crate::decode::text(&game, game_package_info::NAME, tables);
    tables.android_game_intervention_list.push(GameInterventionRow {
        package_name,
        uid: game.int(game_package_info::UID),
        current_mode: game.int(game_package_info::CURRENT_MODE) as i32,
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
