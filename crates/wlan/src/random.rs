//! Random streams of a cell.

use rand_xoshiro::Xoshiro128PlusPlus;

/// Random generator from which a contender draws its back-offs: small, portable, and pinned to one version.
pub type Stream = Xoshiro128PlusPlus;
