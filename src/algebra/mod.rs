//! Layouts as values: axes split into subaxes that land in levels or feed derived axes.
//!
//! ```text
//! index (100, 37) of ((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))
//!
//! axis 0: 100 = 1, 4, 4 in sizes 16, 8, 8     axis 1: 37 = 1, 1, 1 in sizes 16, 8, 4
//!               |  |  |                                    |  |  |
//!             L2B L1B Addr x 8                           MAB Addr PE
//!
//! L2B 1, L1B 4, MAB 1, PE 1, Addr 4 x 8 + 1 = 33
//! ```
//!
//! An axis has a value, which its subaxes write in mixed radix, major to minor. A subaxis lands
//! in a level with a stride, or feeds a derived axis with a weight. The value of an axis is an
//! entry of the tensor index or, for a derived axis, `start + sum of weight x digit` over the digits
//! that feed it, or their XOR ([`Combine`]). A value at or beyond the extent of its axis is padding.
//!
//! There is one operation per file, with its law at the top. Nothing here depends on a notation or a machine.

mod builder;
mod canonical;
mod collision;
mod complement;
mod compose;
mod coordinates;
mod count;
pub(crate) mod decode;
mod digits;
mod divide;
mod edit;
mod element;
mod equality;
mod fed;
mod function;
mod groups;
mod inverse;
mod layout;
pub(crate) mod left_out;
mod linear;
mod locate;
mod modes;
mod nested_element;
pub(crate) mod quotients;
pub(crate) mod radix;
mod read_as;
mod regroup;
mod restrict;
mod simplify;
mod solve;
mod split_level;
mod steps;
pub(crate) mod strided;
mod swizzled;
mod without_padding;
pub(crate) mod work;
mod xor;
mod xor_decode;
mod xor_simplify;
mod xor_sums;

pub use builder::LayoutBuilder;
pub use canonical::Canonical;
pub use collision::Collision;
pub use divide::Arrangement;
pub use edit::Window;
pub use equality::Difference;
pub use layout::{Axis, Combine, DerivedAxis, Layout, LinearFunction, Replica, Subaxis, Target};
pub use modes::Repeat;
pub use radix::{IndexOrder, Indexes};
pub use restrict::Restricted;

pub(crate) use coordinates::nested_sums;
pub(crate) use digits::{Destination, Digit, Digits};
pub(crate) use edit::axes::index_map;
pub(crate) use element::Decoder;
pub(crate) use equality::MOST_SHOWN;
pub(crate) use groups::Groups;
pub(crate) use inverse::nowhere;
pub(crate) use layout::Landing;
pub(crate) use locate::check_index;
pub(crate) use nested_element::NestedDecoder;
pub(crate) use radix::{digits, product, split};
pub(crate) use read_as::{ReadAs, whole_axes};
pub(crate) use solve::{Budget, Sum, Term, nests};
pub(crate) use steps::merged_digits;
pub(crate) use strided::{StepsEvenly, goes_on};
pub(crate) use xor::{BitSystem, Column, is_carried, xor_product};
pub(crate) use xor_simplify::{bit_digits, rows};
