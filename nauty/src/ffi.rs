//! The C functions of shim.c.

use crate::{GroupSize, Labeler, LabelingLimits, SparseGraph, Stopped};
use std::ffi::c_int;

unsafe extern "C" {
    fn pidlab_canonical_labeling(
        algorithm: c_int,
        n: c_int,
        entries: usize,
        v: *mut usize,
        d: *mut c_int,
        e: *mut c_int,
        lab: *mut c_int,
        ptn: *mut c_int,
        mantissa: *mut f64,
        exponent: *mut c_int,
        nanoseconds: i64,
        memory_limit: usize,
        own_thread: c_int,
    ) -> c_int;
    fn pidlab_free_buffers();
    #[cfg(unix)]
    fn pidlab_interrupt(thread: std::os::unix::thread::RawPthread);
}

/// Has a call in a thread of its own look at its limits at once.
#[cfg(unix)]
pub fn interrupt<T>(thread: &std::thread::JoinHandle<T>) {
    use std::os::unix::thread::JoinHandleExt;
    // SAFETY: the handle is not joined yet, so the thread's number is its own; the handler of the
    // signal leaves a call of nauty that is past its limits, over C frames only, and else does nothing
    unsafe { pidlab_interrupt(thread.as_pthread_t()) }
}

#[cfg(not(unix))]
pub fn interrupt<T>(_thread: &std::thread::JoinHandle<T>) {}

pub fn canonical_labeling(
    program: Labeler,
    graph: &mut SparseGraph,
    limits: LabelingLimits,
) -> Result<(Vec<u32>, GroupSize), Stopped> {
    let mut group = GroupSize { mantissa: 1.0, exponent: 0 };
    if graph.vertex_count() == 0 {
        return Ok((Vec::new(), group));
    }
    let algorithm = match program {
        Labeler::Traces => 0,
        Labeler::Nauty => 1,
        Labeler::NautySchreier => 2,
    };
    let nanoseconds =
        limits.time.map_or(-1, |time| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX / 4));
    let memory = limits.memory.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
    let (mut lab, mut ptn) = graph.partition();
    // SAFETY: a SparseGraph holds n vertices, `starts` and `degrees` of length n, and for each vertex
    // start + degree ≤ neighbours.len() with neighbours below n (checked when it was made); lab is a
    // permutation of 0..n and ptn has length n; the two numbers of the group live here. The C side keeps no pointer after it returns, and
    // leaves only C frames when it gives up within the call.
    let status = unsafe {
        pidlab_canonical_labeling(
            algorithm,
            graph.vertex_count() as c_int,
            graph.neighbors.len(),
            graph.starts.as_mut_ptr(),
            graph.degrees.as_mut_ptr(),
            graph.neighbors.as_mut_ptr(),
            lab.as_mut_ptr(),
            ptn.as_mut_ptr(),
            &mut group.mantissa,
            &mut group.exponent,
            nanoseconds,
            memory,
            c_int::from(limits.own_thread),
        )
    };
    match status {
        0 => Ok((lab.into_iter().map(|vertex| vertex as u32).collect(), group)),
        1 => Err(Stopped::Time),
        2 => Err(Stopped::Memory),
        _ => Err(Stopped::Failed),
    }
}

pub fn free_buffers() {
    // SAFETY: frees thread-local buffers that no call is using: calls do not return in between.
    unsafe { pidlab_free_buffers() }
}
