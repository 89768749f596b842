//! Isomorphism and canonical forms of states behind one trait.
