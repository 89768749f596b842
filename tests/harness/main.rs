//! The harness as users meet it: the program run on small experiments, killed, starved and lied to.

mod claims;
mod commits;
mod compare;
mod data;
mod documents;
mod endings;
mod external;
mod faults;
mod folders;
mod kinds;
mod lies;
mod long;
mod own_inputs;
mod ownership;
mod recipe;
mod references;
mod refusals;
mod reproduce;
mod resume;
mod schema;
mod shards;
mod support;
mod tournament;
mod track;
