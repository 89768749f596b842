//! What travels between workers: a string of bytes with the number of the worker it is for.
//!
//! Timely moves containers of records and distributes the records; here a container is one record,
//! which goes to one worker as it is. Bytes that come from another process are a view of the buffer
//! they were received in: nothing is copied or decoded on the way.

use std::io::Write;
use std::ops::Deref;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

#[derive(Default)]
pub struct Parcel {
    to: usize,
    body: Body,
}

enum Body {
    Own(Vec<u8>),
    Received(Bytes),
}

impl Default for Body {
    fn default() -> Body {
        Body::Own(Vec::new())
    }
}

impl Parcel {
    pub fn new(to: usize, bytes: Vec<u8>) -> Parcel {
        Parcel { to, body: Body::Own(bytes) }
    }

    /// The memory of a parcel that was written out, for the next one.
    pub fn into_memory(self) -> Option<Vec<u8>> {
        match self.body {
            Body::Own(bytes) if bytes.capacity() > 0 => Some(bytes),
            _ => None,
        }
    }
}

impl Deref for Parcel {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.body {
            Body::Own(bytes) => bytes,
            Body::Received(bytes) => bytes,
        }
    }
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(!self.deref().is_empty())
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Parcel {
        Parcel { to: 0, body: Body::Received(bytes) }
    }

    fn length_in_bytes(&self) -> usize {
        self.len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        // the writer is a piece of memory of the length that was asked for
        let written = writer.write_all(self);
        debug_assert!(written.is_ok());
    }
}

/// Sends every parcel to the worker it is for.
pub struct ByAddress;

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [P],
    ) {
        let to = parcel.to;
        Message::push_at(parcel, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _time: &T, _pushers: &mut [P]) {}
}
