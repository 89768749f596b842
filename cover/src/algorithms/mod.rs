//! The algorithms, one file each, and what they share.
//!
//! | algorithm | file | shares |
//! |---|---|---|
//! | `beacon` (Ball, Chaki, Rajamani 2001), `karp-miller` (1969), `mp` (Reynier, Servais 2013) | `beacon`, `karp_miller`, `mp` | the steps of `forward`, the `tree`, `DownSet` of `index` |
//! | `backward` (Abdulla et al. 1996) | `backward` | `UpSet` of `index` |
//! | `directed` (Blondin, Haase, Offtermatt 2021) | `directed` | nothing |
//! | `bounded:<n>` | `bounded` | nothing |
//!
//! [`registry`] finds them by name. None of them sees the checker.

mod backward;
pub(crate) mod beacon;
pub(crate) mod bounded;
mod directed;
mod forward;
mod index;
pub(crate) mod karp_miller;
mod mp;
pub(crate) mod needs;
pub mod registry;
mod tree;
