//! Tests of scalar replacement.
