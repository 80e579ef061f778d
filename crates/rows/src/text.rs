//! Tables as text: CSV and JSON lines.

use std::io::{self, Write};
use std::ops::ControlFlow;

use itertools::Itertools;
use tensor_layout::Level;
use tensor_layout::error::WriteError;
use tensor_layout::rows::Table;
use tensor_layout::sharding::DeviceTable;
use tensor_layout_words::{to_index, to_u64};

use crate::names::{check_levels, names, written_levels};

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

/// Writes a table; `progress` is called with the number of rows every 2^16 rows.
///
/// # Errors
/// [`WriteError`]; CSV cannot have a level with the name of an entry of the index (`Unsupported`).
pub fn write(
    table: &Table<'_>,
    format: Format,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<(), WriteError> {
    let (written, mut blocks) = (table.written_columns(), table.blocks()?);
    format.header(&written_levels(table), table.placement().layout().rank(), out)?;
    let mut lines = Lines::new(
        format,
        table.placement().columns(),
        &written,
        table.placement().layout().rank(),
    );
    let mut rows = 0_u64;
    while let Some(block) = blocks.next_block()? {
        for row in block.rows() {
            lines.row(row.place, row.index, out)?;
        }
        let before = rows >> PROGRESS_BITS;
        rows += to_u64(block.rows().len());
        if rows >> PROGRESS_BITS > before {
            progress(rows);
        }
    }
    Ok(lines.finish(out)?)
}

/// Writes the table of a tensor on listed devices.
///
/// # Errors
/// As [`write()`].
///
/// # Example
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// use tensor_layout_rows::{Format, write_devices};
/// let sharded: ShardedShape = "f32[3], sharding={devices=[2]1,0}".parse()?;
/// let mut file = Vec::new();
/// write_devices(&sharded.by_device(None)?.table(), Format::Csv, &mut file)?;
/// assert_eq!(String::from_utf8(file)?, "Device,Addr,i0\n0,0,2\n1,0,0\n1,1,1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_devices(
    table: &DeviceTable<'_>,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let (columns, rank) = (table.columns(), table.rank());
    format.header(&columns, rank, out)?;
    let written = (0..columns.len()).collect_vec();
    let mut lines = Lines::new(format, &columns, &written, rank);
    let stopped = table.for_each(|row| match lines.row(row.place, row.index, out) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    match stopped {
        ControlFlow::Break(error) => Err(error.into()),
        ControlFlow::Continue(()) => Ok(lines.finish(out)?),
    }
}

impl Format {
    /// Writes what precedes the rows.
    fn header(self, levels: &[Level], rank: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        if self == Format::Csv {
            check_levels(levels, rank)?;
            writeln!(out, "{}", names(levels, rank).join(","))?;
        }
        Ok(())
    }
}

/// Rows as lines of a format.
struct Lines<'a> {
    format: Format,
    /// The numbers of the columns that are written.
    written: &'a [usize],
    keys: Vec<String>,
    rank: usize,
    /// The bytes of the longest line.
    most: usize,
    text: Text,
}

impl<'a> Lines<'a> {
    fn new(format: Format, columns: &[Level], written: &'a [usize], rank: usize) -> Lines<'a> {
        let keys: Vec<String> = written.iter().map(|at| format!("\"{}\":", columns[*at])).collect();
        let most = (keys.iter().map(String::len).sum::<usize>() + 32)
            .saturating_add((written.len() + rank + 2) * MOST_DIGITS);
        Lines { format, written, keys, rank, most, text: Text::new() }
    }

    #[inline]
    fn row(&mut self, place: &[u64], index: Option<&[u64]>, out: &mut dyn Write) -> io::Result<()> {
        self.text.make_room(self.most, out)?;
        match self.format {
            Format::Csv => csv(&mut self.text, self.written, place, index, self.rank),
            Format::JsonLines => json(&mut self.text, self.written, place, index, &self.keys),
        }
        Ok(())
    }

    fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.write(out)
    }
}

/// The bits of the number of rows between two calls of `progress`: every 2^16 rows.
const PROGRESS_BITS: u32 = 16;

/// The digits of the greatest number, and a separator.
const MOST_DIGITS: usize = 21;

/// The digits of the numbers below 10 000, with leading zeros.
static FOUR_DIGITS: [[u8; 4]; 10_000] = four_digits();

#[allow(clippy::as_conversions, reason = "a decimal digit fits in a byte")]
const fn four_digits() -> [[u8; 4]; 10_000] {
    let mut all = [[b'0'; 4]; 10_000];
    let mut number = 0;
    while number < all.len() {
        let (mut rest, mut at) = (number, 4);
        while at > 0 {
            at -= 1;
            all[number][at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        number += 1;
    }
    all
}

/// Lines that are being written, digits in place.
struct Text {
    bytes: Vec<u8>,
    /// The number of bytes that are in use.
    end: usize,
}

impl Text {
    fn new() -> Text {
        Text { bytes: vec![0; 1 << 16], end: 0 }
    }

    /// Makes room for a line of at most `most` bytes.
    fn make_room(&mut self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        if self.bytes.len() - self.end < most {
            self.write(out)?;
            self.bytes.resize(self.bytes.len().max(most), 0);
        }
        Ok(())
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.bytes[..self.end])?;
        self.end = 0;
        Ok(())
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes[self.end..self.end + text.len()].copy_from_slice(text);
        self.end += text.len();
    }

    /// Writes a number and the byte after it.
    #[inline]
    fn number(&mut self, number: u64, then: u8) {
        if let Some(digits) = FOUR_DIGITS.get(to_index(number)) {
            // Leading zeros are shifted out; the bytes of the word after the line are overwritten.
            let zeros = u32::from(number < 1000) + u32::from(number < 100) + u32::from(number < 10);
            let digits = u64::from(u32::from_le_bytes(*digits) >> (8 * zeros));
            let word = digits | u64::from(then) << (8 * (4 - zeros));
            self.bytes[self.end..self.end + 8].copy_from_slice(&word.to_le_bytes());
            self.end += 5 - to_index(zeros.into());
        } else {
            self.number(number / 10_000, then);
            self.end -= 1;
            self.text(&FOUR_DIGITS[to_index(number % 10_000)]);
            self.text(&[then]);
        }
    }
}

fn csv(text: &mut Text, written: &[usize], place: &[u64], index: Option<&[u64]>, rank: usize) {
    written.iter().for_each(|at| text.number(place[*at], b','));
    match index {
        Some(index) => index.iter().for_each(|entry| text.number(*entry, b',')),
        None => (0..rank).for_each(|_| text.text(b",")),
    }
    // Instead of the last separator.
    text.end -= usize::from(!written.is_empty() || rank > 0);
    text.text(b"\n");
}

fn json(text: &mut Text, written: &[usize], place: &[u64], index: Option<&[u64]>, keys: &[String]) {
    text.text(b"{\"at\":{");
    for (key, at) in keys.iter().zip(written) {
        text.text(key.as_bytes());
        text.number(place[*at], b',');
    }
    text.end -= usize::from(!written.is_empty());
    text.text(b"},\"index\":");
    match index {
        None => text.text(b"null"),
        Some(index) => {
            text.text(b"[");
            index.iter().for_each(|entry| text.number(*entry, b','));
            text.end -= usize::from(!index.is_empty());
            text.text(b"]");
        }
    }
    text.text(b"}\n");
}
