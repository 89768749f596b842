//! The messages of a search; the first byte says which it is.

use crate::codec::Reader;
use crate::parcel::Parcel;
use pidlab_explore::search::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ways into states, for the owner of those.
    Candidates,
    /// States above a rank need not be expanded.
    Stop,
    /// What a worker's share of a level came to.
    Summary,
    /// Orders of new states, for the worker that ranks them.
    Orders,
    /// Ranks of new states, back to their owner.
    Ranks,
    /// The order at which the search ends.
    Cut,
    /// What all of a worker's work came to.
    Finish,
    /// States on the way to what was found.
    Steps,
    /// What a worker wrote to a checkpoint.
    Written,
}

impl Kind {
    const ALL: [Kind; 9] = [
        Kind::Candidates,
        Kind::Stop,
        Kind::Summary,
        Kind::Orders,
        Kind::Ranks,
        Kind::Cut,
        Kind::Finish,
        Kind::Steps,
        Kind::Written,
    ];
}

/// The kind of a parcel, and a reader of the rest.
pub fn open(parcel: &Parcel) -> Result<(Kind, Reader<'_>), Failure> {
    let (&first, rest) = parcel.split_first().ok_or_else(garbled)?;
    let kind = Kind::ALL.get(usize::from(first)).copied().ok_or_else(garbled)?;
    Ok((kind, Reader(rest)))
}

/// A small message as JSON.
pub fn write<T: Serialize>(kind: Kind, content: &T) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![kind as u8];
    serde_json::to_writer(&mut bytes, content).map_err(|_| garbled())?;
    Ok(bytes)
}

/// The inverse of [`write`].
pub fn read<T: DeserializeOwned>(reader: Reader<'_>) -> Result<T, Failure> {
    serde_json::from_slice(reader.0).map_err(|_| garbled())
}

/// A message is not what it must be; connections are checked, so that this is a bug.
pub fn garbled() -> Failure {
    Failure::Lost("a message from another process cannot be read; this is a bug".into())
}
