//! `tpq serve`, by clients that speak its protocol.

mod access;
mod client;
mod handshake;
mod hostile;
mod load;
mod methods;
mod uploads;
mod wires;
