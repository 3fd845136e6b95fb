//! Arithmetic that decides results to the last bit. Other modules use these functions and define
//! none of them again.
//!
//! * Logarithms, factorials and their tables (`logs`), and entropies of counts (`count`).
//! * Thresholds between numbers and keys in the order of numbers (`order`), the choice among equal
//!   scores (`ties`), and random choices (`random`).
//! * Sums: exact ones (`exact_sum`), and moments of a numeric target (`moments`).
//! * Sorts: [`radix`] for many numbers, `sort` for a few items.
//! * The normal distribution ([`normal`]).

mod count;
mod exact_sum;
mod joined_moments;
mod logs;
mod moments;
pub mod normal;
mod order;
pub mod radix;
mod random;
mod sort;
mod ties;

pub use count::{Cells, Count, by_operators, entropy};
pub use exact_sum::ExactSum;
pub use logs::{LARGEST_TABLE, Logs, ln_factorial, log_add, log2, log2_factorial, x_log2_x};
pub use moments::Moments;
pub use order::{from_order_key, midpoint, order_key, reach};
pub use radix::radix_sort;
pub use random::{mix, uniform};
pub use sort::sort_few;
pub use ties::{Ties, better};

#[cfg(test)]
mod tests;
