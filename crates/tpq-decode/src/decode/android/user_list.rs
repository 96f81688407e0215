//! Users of an Android system.

use tpq_ingest::Route;
use tpq_proto::fields::{
    android_user_list::{self, user_info},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::AndroidUserRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::USER_LIST, route: Route::Immediate, decode };

fn decode(packet: &Packet<'_>, _: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let list = LastFields::<3>::new(packet.data);
    if list.int(android_user_list::ERROR) != 0 {
        stats.increment(Stat::UserListErrors);
    }
    for user in Fields::new(packet.data).filter(|field| field.number == android_user_list::USERS) {
        let user = LastFields::<3>::new(user.as_bytes());
        let user_type = crate::decode::text(&user, user_info::TYPE, tables);
        let android_user_id = i64::from(user.int(user_info::UID) as i32);
        tables.android_user_list.push(AndroidUserRow { user_type, android_user_id });
    }
}
