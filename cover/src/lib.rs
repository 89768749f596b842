//! Parameterised coverability of local/global machines and Petri nets.
