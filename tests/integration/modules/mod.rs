//! The modules that come with tpq, package by package: the test writes the trace and the rows
//! beside each other.

mod android;
mod chrome;
