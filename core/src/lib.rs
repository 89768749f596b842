//! Pids, relations, states, layered graphs and their file formats.
