//! State-space exploration of nets and heap programs.
