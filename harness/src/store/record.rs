//! One measurement as it lies in the row log.
//!
//! A record is 120 bytes, little-endian, with a CRC-32 over the rest: fixed width makes a torn or
//! damaged record drop out alone, and costs a microsecond to write. What follows from the row's
//! number (state, transformation, backend, …) is not stored; the [`Plan`](crate::plan::Plan) knows it.

use crate::experiment::QuestionKind;

/// Counts that a row can hold; their meaning is the kind's.
pub const COUNTS: usize = 6;
pub const LENGTH: usize = 120;

/// An enumeration whose values are written as a code, 0 for the first, and shown by a name.
macro_rules! coded {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$meaning])* $variant,)+
        }

        impl $name {
            /// By code.
            const ALL: &[($name, &str)] = &[$(($name::$variant, $text),)+];

            fn from_code(code: u8) -> Option<$name> {
                $name::ALL.get(usize::from(code)).map(|(value, _)| *value)
            }

            pub fn name(self) -> &'static str {
                $name::ALL[self as usize].1
            }
        }
    };
}

coded! {
    /// What came of one decision.
    Status {
        Ok = "ok",
        Timeout = "timeout",
        Memory = "memory",
        Crash = "crash",
        /// A heuristic saw no difference, which proves nothing.
        Open = "open",
        /// The backend cannot take the input, or its program failed.
        Failed = "failed",
        /// The transformation is not possible on this state: there is no pair to decide.
        Skipped = "skipped",
    }
}

/// What was answered, or is known by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RowAnswer {
    Unknown = 0,
    Yes = 1,
    No = 2,
}

coded! {
    /// What the independent check said of a row.
    Check {
        /// Nothing to check: no answer, or a graph kind that is known to be too coarse.
        None = "none",
        /// The witness satisfies Definition 1, or "not equivalent" contradicts nothing known.
        Accepted = "accepted",
        Rejected = "rejected",
    }
}

coded! {
    /// Who gave the answer of a row.
    DecidedBy {
        /// A row of a version that did not say.
        Unknown = "unknown",
        /// Counts compared before there was anything to search.
        PreCheck = "pre-check",
        /// Building the backend's structure showed a difference.
        Encoder = "encoder",
        Solver = "solver",
        /// There is no answer.
        Nobody = "none",
    }
}

coded! {
    /// Whose CPU time `cpu_ns` is.
    RowClock {
        /// A row of a version that did not say: the worker's.
        Unknown = "unknown",
        /// The worker, all its threads.
        Worker = "worker-cpu",
        /// A program, by its own word: building and deciding alone.
        Program = "program-cpu",
        /// The process of a program and its children, from the question to the answer.
        Process = "process-cpu",
        /// Nobody's: wall time of a program whose CPU time is not known.
        Wall = "wall",
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    pub row: u64,
    /// Hash of the input, both states or the model: the same on every run, whatever the number of workers.
    pub pair: u64,
    /// See [`QuestionKind::counts`].
    pub counts: [u64; COUNTS],
    pub build_ns: u64,
    pub decide_ns: u64,
    pub cpu_ns: u64,
    /// Time to generate the pair; 0 in all rows of a pair but the first.
    pub generate_ns: u64,
    pub check_ns: u64,
    /// High-water mark of the worker's resident memory when the row ended.
    pub peak_kib: u32,
    pub expected: RowAnswer,
    pub answer: RowAnswer,
    pub status: Status,
    pub check: Check,
    /// The states differ in a count that is read off: pids, active pids or vectors of a location.
    pub obvious: bool,
    pub decided_by: DecidedBy,
    pub clock: RowClock,
}

impl Record {
    /// A row without a decision: its worker did not survive it, or there is no pair.
    pub fn lost(row: u64, status: Status) -> Record {
        Record {
            row,
            pair: 0,
            counts: [0; COUNTS],
            build_ns: 0,
            decide_ns: 0,
            cpu_ns: 0,
            generate_ns: 0,
            check_ns: 0,
            peak_kib: 0,
            expected: RowAnswer::Unknown,
            answer: RowAnswer::Unknown,
            status,
            check: Check::None,
            obvious: false,
            decided_by: DecidedBy::Nobody,
            clock: RowClock::Worker,
        }
    }

    pub fn encode(&self) -> [u8; LENGTH] {
        let mut out = Writer { bytes: [0; LENGTH], at: 0 };
        for word in [self.row, self.pair].into_iter().chain(self.counts) {
            out.put(&word.to_le_bytes());
        }
        for word in [self.build_ns, self.decide_ns, self.cpu_ns, self.generate_ns, self.check_ns] {
            out.put(&word.to_le_bytes());
        }
        out.put(&self.peak_kib.to_le_bytes());
        out.put(&[self.expected as u8, self.answer as u8, self.status as u8, self.check as u8]);
        out.put(&[u8::from(self.obvious), self.decided_by as u8, self.clock as u8, 0]);
        let sum = crc32fast::hash(&out.bytes[..out.at]);
        out.put(&sum.to_le_bytes());
        out.bytes
    }

    /// `None` if the checksum is wrong or a code is unknown.
    pub fn decode(bytes: &[u8; LENGTH]) -> Option<Record> {
        let (body, sum) = bytes.split_at(LENGTH - 4);
        if crc32fast::hash(body).to_le_bytes() != sum {
            return None;
        }
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
        Some(Record {
            row: long(0),
            pair: long(8),
            counts: std::array::from_fn(|i| long(16 + 8 * i)),
            build_ns: long(64),
            decide_ns: long(72),
            cpu_ns: long(80),
            generate_ns: long(88),
            check_ns: long(96),
            peak_kib: word(104),
            expected: RowAnswer::from_code(bytes[108])?,
            answer: RowAnswer::from_code(bytes[109])?,
            status: Status::from_code(bytes[110])?,
            check: Check::from_code(bytes[111])?,
            obvious: bytes[112] != 0,
            decided_by: DecidedBy::from_code(bytes[113])?,
            clock: RowClock::from_code(bytes[114])?,
        })
    }
}

struct Writer {
    bytes: [u8; LENGTH],
    at: usize,
}

impl Writer {
    fn put(&mut self, part: &[u8]) {
        self.bytes[self.at..self.at + part.len()].copy_from_slice(part);
        self.at += part.len();
    }
}

impl RowAnswer {
    fn from_code(code: u8) -> Option<RowAnswer> {
        [RowAnswer::Unknown, RowAnswer::Yes, RowAnswer::No].get(usize::from(code)).copied()
    }

    /// The answer in the words of a kind of questions.
    pub fn name(self, kind: QuestionKind) -> &'static str {
        match self {
            RowAnswer::Unknown => "unknown",
            RowAnswer::Yes => kind.answers()[0],
            RowAnswer::No => kind.answers()[1],
        }
    }
}

impl Check {
    /// The check of a row: whether it has an answer that can be checked, and whether anything contradicts it.
    pub fn of(answered: bool, contradicted: bool) -> Check {
        match (answered, contradicted) {
            (_, true) => Check::Rejected,
            (true, false) => Check::Accepted,
            (false, false) => Check::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Record {
        Record {
            pair: 0xDEAD_BEEF,
            counts: [200, 1, 2, 3, 4, u64::MAX],
            decide_ns: 12_345,
            peak_kib: 9000,
            expected: RowAnswer::Yes,
            answer: RowAnswer::No,
            check: Check::Rejected,
            obvious: true,
            decided_by: DecidedBy::Encoder,
            clock: RowClock::Process,
            ..Record::lost(1 << 40, Status::Crash)
        }
    }

    #[test]
    fn records_round_trip() {
        assert_eq!(Record::decode(&sample().encode()), Some(sample()));
        for code in 0..=u8::MAX {
            let known = Status::from_code(code);
            assert_eq!(known.is_some(), code <= Status::Skipped as u8);
            if let Some(status) = known {
                assert_eq!(status as u8, code);
                let lost = Record::lost(7, status);
                assert_eq!(Record::decode(&lost.encode()), Some(lost));
            }
        }
    }

    /// Versions that did not know who decided left zeros there.
    #[test]
    fn rows_of_earlier_versions_are_read() {
        let mut bytes = sample().encode();
        bytes[113..116].fill(0);
        let sum = crc32fast::hash(&bytes[..LENGTH - 4]).to_le_bytes();
        bytes[LENGTH - 4..].copy_from_slice(&sum);
        let (decided_by, clock) = (DecidedBy::Unknown, RowClock::Unknown);
        assert_eq!(Record::decode(&bytes), Some(Record { decided_by, clock, ..sample() }));
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let good = sample().encode();
        for bit in 0..LENGTH * 8 {
            let mut bad = good;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::decode(&bad), None, "bit {bit}");
        }
    }
}
