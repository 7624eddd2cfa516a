//! How many threads compute.

/// The number of threads on which requests compute: one for each core, so that they do not compete for cores. There are at least
/// two, because one client never computes on all of them while there are others. The runtime has one more, for what must not
/// wait: new connections and the probes.
pub fn threads() -> usize {
    cores().max(2)
}

/// The number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
