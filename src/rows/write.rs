//! Tables as text: CSV and JSON lines.

use std::io::{self, Write};
use std::ops::ControlFlow;

use itertools::Itertools;

use super::{Row, Table};
use crate::error::LayoutError;

/// Why a table was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The table is refused.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Reading failed.
    #[error(transparent)]
    Read(io::Error),
}

/// The form of a written table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// A header of the level names and `i0,i1,..`, then one line per row; padding has empty
    /// index cells.
    #[default]
    Csv,
    /// One object per row: `{"at":{"PE":0,"Addr":3},"index":[1,2]}`; padding has `null`.
    JsonLines,
}

impl Table<'_> {
    /// Writes the table; `progress` is told the number of rows every 2^16 rows.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(
        &self,
        format: Format,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), WriteError> {
        let written = self.written_columns();
        let levels = || written.iter().map(|at| self.columns()[*at]);
        let keys: Vec<String> = levels().map(|level| format!("\"{level}\":")).collect();
        let mut line = Vec::new();
        if format == Format::Csv {
            let axes = (0..self.rank()).map(|axis| format!("i{axis}"));
            let header = levels().map(|level| level.to_string()).chain(axes).join(",");
            writeln!(out, "{header}")?;
        }
        let mut rows = 0_u64;
        let mut place = Vec::new();
        let outcome = self.for_each(|row| {
            line.clear();
            place.clear();
            place.extend(written.iter().map(|at| row.place[*at]));
            let row = Row { place: &place, ..row };
            match format {
                Format::Csv => csv(&mut line, row, self.rank()),
                Format::JsonLines => json(&mut line, row, &keys),
            }
            rows += 1;
            if rows.is_multiple_of(1 << 16) {
                progress(rows);
            }
            match out.write_all(&line) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        })?;
        Ok(outcome.break_value().map_or(Ok(()), Err)?)
    }
}

fn csv(line: &mut Vec<u8>, row: Row<'_>, rank: usize) {
    for coordinate in row.place {
        decimal(line, *coordinate);
        line.push(b',');
    }
    for axis in 0..rank {
        if let Some(index) = row.index {
            decimal(line, index[axis]);
        }
        line.push(b',');
    }
    line.pop();
    line.push(b'\n');
}

fn json(line: &mut Vec<u8>, row: Row<'_>, keys: &[String]) {
    line.extend_from_slice(b"{\"at\":{");
    for (key, coordinate) in keys.iter().zip(row.place) {
        line.extend_from_slice(key.as_bytes());
        decimal(line, *coordinate);
        line.push(b',');
    }
    if !row.place.is_empty() {
        line.pop();
    }
    line.extend_from_slice(b"},\"index\":");
    match row.index {
        None => line.extend_from_slice(b"null"),
        Some(index) => {
            line.push(b'[');
            for (at, entry) in index.iter().enumerate() {
                if at > 0 {
                    line.push(b',');
                }
                decimal(line, *entry);
            }
            line.push(b']');
        }
    }
    line.extend_from_slice(b"}\n");
}

fn decimal(line: &mut Vec<u8>, number: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        // A decimal digit is below 10.
        digits[at] += u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}
