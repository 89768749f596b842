//! PNML and `.tnet`: from the one to the other and back, as far as each can say what the other does.

mod reading;
mod sorts;
mod tables;
mod writing;

pub use reading::tnet_of;
pub use writing::pnml_of;
