//! Layouts in any text: in logs, in JSON and YAML, in compiler dumps.
//!
//! ```text
//! # == In(0): ((8_L2B:1, 16:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))@LM0 / Float ==     a PadLayout
//! {"tiled_copy": "((2,2),3):((24,2),8)"}                                          CuTe
//!   %p = f32[10,7]{1,0} parameter(0), sharding={devices=[2,4]<=[8]}               XLA, sharded
//!   %0 = tt.splat %a : tensor<128x64xf16, #blocked>                               Triton
//! auto a = make_layout(make_shape(Int<4>{}, Int<8>{}));                           CuTe in source code
//!   ^ the name                                                                    ^ one layout
//! ```
//!
//! [`LayoutScan`] returns one layout after the other; [`ScanReport`] counts the distinct ones.
//! A bracket that may be a layout is parsed as one; everything else is plain text.

mod beside;
mod bracket;
mod code;
mod composed;
mod facts;
mod known;
mod name;
mod report;
mod sharded;
mod stream;
mod triton;
mod window;

pub use facts::{LayoutFacts, ScanPlace};
pub use report::{LayoutRow, ScanReport, UnreadLayout};
pub use stream::{LayoutScan, Parts, PassedOver, SeenLayout};
