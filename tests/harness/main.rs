//! The harness as users meet it: the program run on small experiments, killed, starved and lied to.

mod documents;
mod external;
mod faults;
mod folders;
mod lies;
mod reproduce;
mod resume;
mod schema;
mod support;
