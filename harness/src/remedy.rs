//! What a user can do about a refusal, in words; a program that has options for it names them.
//!
//! A remedy is the last link in the chain of an error's causes: printing the whole chain shows it, and
//! [`Remedy::of`] finds it.

use thiserror::Error;

/// What would have avoided a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Remedy {
    /// A folder of its own for what is written.
    #[error("choose another folder")]
    OtherFolder,
    /// Another folder, or nothing of what is in this one.
    #[error("choose another folder, or discard the run that is there")]
    OtherRun,
    /// Another number of worker processes.
    #[error("choose another number of workers")]
    Workers,
    /// Fewer shards.
    #[error("share it out among fewer shards")]
    Shards,
    /// Another folder to build commits in.
    #[error("choose another folder to build in")]
    BuildFolder,
    /// Comparing times of different machines on purpose.
    #[error("ask for it, if they are to be compared all the same")]
    AcrossMachines,
    /// Keeping runs of several machines beside each other, shown apart.
    #[error("ask for it, if they are to be kept beside each other, shown apart")]
    MixMachines,
    /// The commit that a run is of.
    #[error("say which commit the run is of")]
    Commit,
    /// The file with the property of a model.
    #[error("name the file with the property")]
    Property,
    /// The start of a model whose language leaves it open.
    #[error("give the start of a .tts model, or none")]
    Start,
}

impl Remedy {
    /// Refuses something: the problem, then what would help.
    pub fn refuse(self, problem: String) -> anyhow::Error {
        anyhow::Error::new(self).context(problem)
    }

    /// What would help against an error, if anything is known to.
    pub fn of(error: &anyhow::Error) -> Option<Remedy> {
        error.chain().find_map(|cause| cause.downcast_ref().copied())
    }
}
