//! A lake: the tables of many traces as partitioned Parquet files, with a catalogue of the traces.
