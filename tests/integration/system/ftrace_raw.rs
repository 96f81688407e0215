//! Every kernel event, with its arguments.
