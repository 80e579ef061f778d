//! Programs of JAX and XLA from the text of StableHLO modules.
//!
//! ```text
//! text        module @jit_f { func.func public @main(%arg0: tensor<8x4xf32>) -> .. }     `statement`: what is written
//! program     calls written out, loops with their numbers of trips                       `read`
//! rules       the rule of each operation, from its attributes                            `rules`
//! ```

mod read;
mod rules;
mod statement;

pub use read::read_stablehlo;
