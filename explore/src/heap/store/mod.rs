//! Keys of the visited set, and visited sets that keep them in less memory.
//!
//! `keys` turns a state into its key (`pack` and `bits` lay it out in bits); `tree`, `collapse` and
//! `gzip` are stores for such keys beside the plain one of the search.

mod bits;
pub(super) mod collapse;
pub(super) mod gzip;
pub(super) mod keys;
pub(super) mod pack;
pub(super) mod tree;
