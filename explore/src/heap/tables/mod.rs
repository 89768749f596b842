//! Tables of published experiments on heap programs: measured again and printed in the paper's layout
//! beside the paper's numbers.
//!
//! | step | module |
//! |---|---|
//! | what to run, what was published | [`experiment`] |
//! | one exploration per cell | [`measure`] |
//! | the paper's claims, decided | [`claims`] |
//! | text, comma-separated values | [`render`] |

pub mod claims;
pub mod experiment;
pub mod measure;
pub mod render;
