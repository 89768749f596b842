//! Random states, the papers transformations, hard families.
