//! A worker process: takes blocks from its standard input, writes rows to its own segment.
//!
//! Backends run here and not in the scheduler, so that a crash, a stack overflow or a memory limit
//! ends this process and becomes a row there. Lines in: `block N [row,row,…]` where the list names rows
//! already done. Lines out: `done N …` with where the time went, `disagree {json}` and `fatal "text"`, a JSON string, as errors have lines.
//! Rows never travel through the pipe. End of input means: finish the row in flight and leave.

use crate::clock::process_cpu;
use crate::kinds::{self, Asker, RowOutcome};
use crate::memory;
use crate::plan::Plan;
use crate::store;
use crate::store::messages::Messages;
use crate::store::overhead::Spent;
use crate::store::segment::Segment;
use anyhow::{Context, bail};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

struct BlockOrder {
    block: u64,
    skip: HashSet<u64>,
}

/// Room that a worker must have above what it takes itself.
const ROOM_MIB: u64 = 32;

/// Works on the run in a folder and writes rows to the segment until its input ends.
pub fn run(folder: &Path, segment: &Path) -> anyhow::Result<()> {
    // a worker must not outlive a scheduler that was killed
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).ok();
    let mut reports = Reports::new();
    let worked = work(folder, segment, &mut reports);
    if let Err(error) = &worked {
        // ends the run: the next worker would not fare better
        reports.urgent(&format!("fatal {}", serde_json::to_string(&format!("{error:#}"))?))?;
    }
    reports.send()?;
    worked
}

fn work(folder: &Path, segment: &Path, reports: &mut Reports) -> anyhow::Result<()> {
    let (plan, _) = store::plan_of(folder)?;
    limit_memory(plan.experiment.budget.memory_mib)?;
    let mut asker = kinds::open(&plan)?;
    check_room(plan.experiment.budget.memory_mib)?;
    let stop = Arc::new(AtomicBool::new(false));
    let orders = read_orders(stop.clone())?;
    // once the segment has its header a death is the fault of a row
    let mut rows = Log {
        segment: Segment::create(segment, plan.digest())?,
        messages: Messages::beside(segment),
    };
    let mut last: Option<(Instant, Duration)> = None;
    while let Some(order) = reports.next_order(&orders)? {
        let (started, cpu) = last.unwrap_or_else(|| (Instant::now(), process_cpu()));
        let Some(spent) = run_block(&plan, &mut *asker, &order, &mut rows, &stop, reports)? else {
            break;
        };
        let (now, cpu_now) = (Instant::now(), process_cpu());
        last = Some((now, cpu_now));
        let (cpu, wall) = (cpu_now.saturating_sub(cpu).as_nanos(), (now - started).as_nanos());
        let Spent { generating, deciding, checking, .. } = spent;
        let block = order.block;
        reports.push(&format!("done {block} {generating} {deciding} {checking} {cpu} {wall}"))?;
    }
    Ok(())
}

/// Where rows go.
struct Log {
    segment: Segment,
    messages: Messages,
}

impl Log {
    fn append(&mut self, done: &RowOutcome) -> anyhow::Result<()> {
        if let Some(message) = &done.message {
            self.messages.add(done.record.row, message).context(FULL)?;
        }
        self.segment.append(&done.record).context(FULL)
    }
}

const FULL: &str = "cannot write a row (is the disk full?)";

/// Lines for the scheduler, a few at a time: waking it for every block of a millisecond would cost
/// more than the block's own writing.
struct Reports {
    lines: String,
    waiting: usize,
    sent: Instant,
}

const LINES_TOGETHER: usize = 32;
/// Rows are counted in the segment, and a worker without orders reports at once, so nobody waits for this.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

impl Reports {
    fn new() -> Reports {
        Reports { lines: String::new(), waiting: 0, sent: Instant::now() }
    }

    fn push(&mut self, line: &str) -> anyhow::Result<()> {
        self.lines.push_str(line);
        self.lines.push('\n');
        self.waiting += 1;
        if self.waiting >= LINES_TOGETHER || self.sent.elapsed() > LONGEST_WAIT {
            self.send()?;
        }
        Ok(())
    }

    fn urgent(&mut self, line: &str) -> anyhow::Result<()> {
        self.push(line)?;
        self.send()
    }

    fn send(&mut self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(self.lines.as_bytes())?;
        out.flush()?;
        self.lines.clear();
        self.waiting = 0;
        self.sent = Instant::now();
        Ok(())
    }

    /// The next order; what is waiting goes out before waiting for one.
    fn next_order(
        &mut self,
        orders: &mpsc::Receiver<BlockOrder>,
    ) -> anyhow::Result<Option<BlockOrder>> {
        match orders.try_recv() {
            Ok(order) => Ok(Some(order)),
            Err(_) => {
                self.send()?;
                Ok(orders.recv().ok())
            }
        }
    }
}

/// The address space is limited, not the resident set: the kernel enforces only the former.
fn limit_memory(mib: u64) -> anyhow::Result<()> {
    let bytes = mib.saturating_mul(1 << 20);
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).ok();
    check_room(mib)?;
    setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) }).ok();
    Ok(())
}

/// Without some room not even the first row could be made; every row would end a worker.
fn check_room(mib: u64) -> anyhow::Result<()> {
    let own = memory::kib("VmSize:").unwrap_or(0).div_ceil(1024);
    if mib < own + ROOM_MIB {
        bail!(
            "a memory limit of {mib} MiB is too small: a worker takes {own} MiB before its first row; allow {} MiB or more (`budget.memory_mib` of the experiment)",
            own + ROOM_MIB
        );
    }
    Ok(())
}

/// Reads orders beside the work, so that the next one is here when a block ends.
fn read_orders(stop: Arc<AtomicBool>) -> anyhow::Result<mpsc::Receiver<BlockOrder>> {
    let (send, receive) = mpsc::channel();
    let read = move || {
        for line in std::io::stdin().lock().lines() {
            let Some(order) = line.ok().as_deref().and_then(parse_order) else { break };
            if send.send(order).is_err() {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    };
    let spawned = std::thread::Builder::new().spawn(read);
    spawned.context("a worker cannot start a thread")?;
    Ok(receive)
}

fn parse_order(line: &str) -> Option<BlockOrder> {
    let mut words = line.strip_prefix("block ")?.split(' ');
    let block = words.next()?.parse().ok()?;
    let skip = words.next().unwrap_or("").split(',').filter_map(|row| row.parse().ok()).collect();
    Some(BlockOrder { block, skip })
}

/// Runs the rows of a block; `None` if asked to stop before the end.
fn run_block(
    plan: &Plan,
    asker: &mut dyn Asker,
    order: &BlockOrder,
    log: &mut Log,
    stop: &AtomicBool,
    reports: &mut Reports,
) -> anyhow::Result<Option<Spent>> {
    let mut spent = Spent::default();
    asker.begin(order.block);
    for row in plan.row_order(order.block) {
        if order.skip.contains(&row) {
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let done = asker.row(row, &plan.place(row))?;
        spent.generating += kinds::nanos(done.own_generating);
        spent.deciding += kinds::nanos(done.own_cpu);
        spent.checking += done.record.check_ns;
        log.append(&done)?;
        if let Some(finding) = done.finding {
            reports.urgent(&format!("disagree {}", serde_json::to_string(&finding)?))?;
        }
    }
    Ok(Some(spent))
}
