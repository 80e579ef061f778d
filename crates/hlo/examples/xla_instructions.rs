//! Prints every instruction of a dump: computation, name, opcode, operands, whether it is the result,
//! and its shape, separated by tabs; then what was not read.
//!
//! ```sh
//! cargo run -p tensor-layout-hlo --example xla_instructions crates/hlo/tests/data/scan.txt
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write};

use itertools::Itertools;
use tensor_layout_hlo::HloDump;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        let mut dump = HloDump::new(BufReader::new(File::open(path)?));
        while let Some(computation) = dump.next_computation()? {
            let root = computation.root().map(|root| root.index());
            for of in computation.instructions() {
                let operands = of.operands().map(|operand| operand.name()).join(" ");
                let is_root = root == Some(of.index());
                let (name, opcode) = (of.name(), of.opcode());
                // A shape may be spread over lines.
                let shape = of.shape_text().split_whitespace().join(" ");
                let place = computation.name();
                writeln!(out, "{place}\t{name}\t{opcode}\t{operands}\t{is_root}\t{shape}")?;
            }
        }
        for line in &dump.reading().lines {
            writeln!(out, "unread\t{}\t{}", line.line, line.reason)?;
        }
        writeln!(out, "end")?;
    }
    Ok(())
}
