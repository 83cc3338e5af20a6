//! Shares granted and kept in whole scenarios.
