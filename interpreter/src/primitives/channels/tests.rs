//! Channels over captured descriptors and temporary files.
