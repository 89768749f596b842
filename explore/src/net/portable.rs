//! Markings as bytes, for other processes: words of four bytes, each list behind its length.
//!
//! What only a worker of this process understands stays behind: which key a marking was decoded from,
//! and the orbits found then.

use super::marking::{Marking, NO_TREE, Thread};

/// Writes a marking over `bytes`.
pub fn pack_marking(marking: &Marking, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut word = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
    word(marking.threads.len() as u32);
    for thread in &marking.threads {
        let words = [thread.up, thread.elder, thread.youngest, thread.flags.into()];
        words.into_iter().for_each(&mut word);
    }
    for list in [&marking.starts, &marking.words] {
        word(list.len() as u32);
        list.iter().copied().for_each(&mut word);
    }
}

/// The inverse of [`pack_marking`]; `None` if the bytes are not a marking.
pub fn unpack_marking(bytes: &[u8], marking: &mut Marking) -> Option<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|&word| u32::from_le_bytes(word));
    marking.clear();
    for _ in 0..words.next()? {
        let (up, elder, youngest) = (words.next()?, words.next()?, words.next()?);
        let flags = words.next()? as u8;
        marking.threads.push(Thread { up, elder, youngest, flags, tree: NO_TREE });
    }
    for list in [&mut marking.starts, &mut marking.words] {
        for _ in 0..words.next()? {
            list.push(words.next()?);
        }
    }
    (rest.is_empty() && words.next().is_none()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_core::Relations;

    #[test]
    fn markings_survive_the_way_through_bytes() {
        let mut marking = Marking { threads: vec![Thread::NEW], ..Marking::default() };
        marking.create(0, Relations::ALL);
        marking.starts = vec![0, 2, 3];
        marking.words = vec![7, u32::MAX, 1];
        let (mut bytes, mut again) = (Vec::new(), Marking::default());
        pack_marking(&marking, &mut bytes);
        assert_eq!(unpack_marking(&bytes, &mut again), Some(()));
        assert_eq!(again, marking);
        assert_eq!(unpack_marking(&bytes[..bytes.len() - 4], &mut again), None);
    }
}
