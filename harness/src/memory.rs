//! Memory of this process as the kernel counts it.

/// A line of /proc/self/status, such as `VmSize:`, in KiB; nothing where there is no /proc.
pub fn kib(line: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let text = status.lines().find_map(|found| found.strip_prefix(line))?;
    text.split_whitespace().next()?.parse().ok()
}
