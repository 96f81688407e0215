//! Queries of a lake on many machines: the scheduler and the executors of Ballista.
