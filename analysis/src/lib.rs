//! Result tables as frames.
