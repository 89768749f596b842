//! Two jobs, one for each side of a comparison; for large states on two threads.
//!
//! Small states are decided in less time than a thread takes to start.

use std::sync::Mutex;

/// Vectors and pids of one side from which on a second thread pays.
pub const LARGE: usize = 1 << 17;

/// Does both jobs; on two threads if `parallel`, as far as the system has them.
pub fn both<A, B: Send>(
    parallel: bool,
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, B) {
    if !parallel {
        return (here(), there());
    }
    // if no thread can be started, the job is still here
    let job = Mutex::new(Some(there));
    let take = || job.lock().ok().and_then(|mut job| job.take());
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().spawn_scoped(scope, || take().map(|there| there()));
        let first = here();
        let second = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => take().map(|there| there()),
        };
        (first, second.expect("a job is taken once, by the thread or here"))
    })
}

#[cfg(test)]
mod tests {
    use super::both;

    #[test]
    fn both_jobs_are_done_either_way() {
        for parallel in [false, true] {
            let (mut here, mut there) = (0, 0);
            assert_eq!(both(parallel, || here += 1, || there += 2), ((), ()));
            assert_eq!((here, there), (1, 2));
        }
    }
}
