//! What Android's own data sources send.
