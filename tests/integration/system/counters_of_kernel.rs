//! Counters that kernel events carry: frequencies, temperatures, power.
