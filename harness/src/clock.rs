//! Clocks: CPU time of this process, and the date in UTC.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, SystemTime};

/// CPU time of all threads of this process so far: what a row costs, whoever else uses the machine. Of
/// all threads, since backends may start their own (nauty does for large graphs).
pub fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Now as `2026-11-16T03:10:28Z`.
pub fn utc_now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
