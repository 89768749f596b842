//! Independent checker of Definition 1 on raw states.
