//! Tables as Arrow record batches, IPC files and Parquet files.
//!
//! There is one column of signed integers per level and per axis: engines compute in the type of a column,
//! where `i0 * 512` overflows 16 bits, and many lack unsigned types. The index of padding is null.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt64Type,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use tensor_layout::Level;
use tensor_layout::error::WriteError;
use tensor_layout::rows::{Block, Table};

use crate::names::{check_names, names, written_levels};

/// The most rows in a record batch, so that a few of its columns fit in the caches.
const BATCH: usize = 1 << 16;

/// The number of rows in a row group of a Parquet file.
#[cfg(feature = "parquet")]
const ROW_GROUP: usize = 1 << 18;

/// The width of the integers of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnWidth {
    /// 64 bits, signed: the width that engines compute in.
    #[default]
    Wide,
    /// The fewest signed bits that hold the column: smaller in memory, but sums may overflow.
    Narrow,
}

/// The schema of the record batches: the levels, then `i0`, `i1`, ..
///
/// Numbers beyond 63 bits are unsigned.
#[must_use]
pub fn schema(table: &Table<'_>, width: ColumnWidth) -> Schema {
    let (levels, placement) = (written_levels(table), table.placement());
    let names = names(&levels, table.placement().layout().rank());
    let reach = |level: &Level| placement.with_copies().extent(*level) - 1;
    let levels = levels.iter().map(|level| (reach(level), false));
    let extents = placement.layout().shape().into_iter();
    let index = extents.map(|extent| (extent.saturating_sub(1), table.has_padding()));
    let field = |(name, (reach, open))| Field::new(name, integer(reach, width), open);
    let fields = names.zip(levels.chain(index)).map(field);
    Schema::new(fields.collect::<Vec<_>>())
}

/// Calls `visit` with the record batches of a table, of at most 2^16 rows each.
///
/// # Errors
/// [`WriteError`], including errors of `visit`; `Unsupported` for a level with the name of an entry of the index.
pub fn record_batches(
    table: &Table<'_>,
    width: ColumnWidth,
    mut visit: impl FnMut(RecordBatch) -> io::Result<()>,
) -> Result<(), WriteError> {
    check_names(table)?;
    let (mut rows, mut blocks) = (Rows::new(table, width), table.blocks()?);
    while let Some(block) = blocks.next_block()? {
        let (mut from, end) = (0, block.rows().len());
        while from < end {
            let to = end.min(from + BATCH - rows.count);
            rows.push(block, from..to);
            from = to;
            if rows.count == BATCH {
                visit(rows.take()?)?;
            }
        }
    }
    if rows.count > 0 {
        visit(rows.take()?)?;
    }
    Ok(())
}

/// Writes a table as an Arrow IPC file, batch by batch.
///
/// # Errors
/// As [`record_batches`].
pub fn write_arrow(
    table: &Table<'_>,
    width: ColumnWidth,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let writer = arrow_ipc::writer::FileWriter::try_new(out, &schema(table, width));
    let mut writer = writer.map_err(failed)?;
    record_batches(table, width, |batch| writer.write(&batch).map_err(failed))?;
    Ok(writer.finish().map_err(failed)?)
}

/// Writes a table as a Parquet file, row group by row group.
///
/// # Errors
/// As [`record_batches`].
#[cfg(feature = "parquet")]
pub fn write_parquet(
    table: &Table<'_>,
    width: ColumnWidth,
    out: &mut (dyn Write + Send),
) -> Result<(), WriteError> {
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, Encoding};
    use parquet::file::properties::{EnabledStatistics, WriterProperties};
    let failed = |error: parquet::errors::ParquetError| match error {
        parquet::errors::ParquetError::External(inner) => external(inner),
        other => io::Error::other(other),
    };
    // Columns count or stay: differences are small, and quicker to write than a dictionary.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::DELTA_BINARY_PACKED)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let schema = Arc::new(schema(table, width));
    let properties = properties.set_max_row_group_row_count(Some(ROW_GROUP)).build();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
    record_batches(table, width, |batch| writer.write(&batch).map_err(failed))?;
    writer.close().map_err(failed)?;
    Ok(())
}

/// The error of the writer underneath, if it is one.
fn external(error: Box<dyn std::error::Error + Send + Sync>) -> io::Error {
    error.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error)
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        ArrowError::ExternalError(error) => external(error),
        other => io::Error::other(other),
    }
}

/// The type of a column whose greatest number is `reach`.
fn integer(reach: u64, width: ColumnWidth) -> DataType {
    match (reach, width) {
        (0x8000_0000_0000_0000.., _) => DataType::UInt64,
        (_, ColumnWidth::Wide) => DataType::Int64,
        (0..=0x7f, _) => DataType::Int8,
        (0x80..=0x7fff, _) => DataType::Int16,
        (0x8000..=0x7fff_ffff, _) => DataType::Int32,
        _ => DataType::Int64,
    }
}

/// Rows by column, until they make a batch.
struct Rows {
    schema: Arc<Schema>,
    /// Each with the number that it takes of a row, and whether padding leaves it open.
    columns: Vec<(usize, bool, Box<dyn ArrowColumn>)>,
    count: usize,
}

impl Rows {
    fn new(table: &Table<'_>, width: ColumnWidth) -> Rows {
        let schema = Arc::new(schema(table, width));
        let index = table.placement().columns().len()
            ..table.placement().columns().len() + table.placement().layout().rank();
        let numbers = table.written_columns().into_iter().map(|at| (at, false));
        let numbers = numbers.chain(index.map(|at| (at, true)));
        let column = |((at, open), field): ((usize, bool), &Arc<Field>)| {
            (at, open, column(field.data_type()))
        };
        let columns = numbers.zip(schema.fields()).map(column).collect();
        Rows { schema, columns, count: 0 }
    }

    fn push(&mut self, block: &Block, rows: Range<usize>) {
        self.count += rows.len();
        let real = block.real(rows.clone());
        for (at, open, column) in &mut self.columns {
            column.push((block, rows.clone()), *at, real.filter(|_| *open));
        }
    }

    fn take(&mut self) -> io::Result<RecordBatch> {
        let columns = self.columns.iter_mut().map(|(_, _, column)| column.take()).collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.count));
        self.count = 0;
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map_err(failed)
    }
}

/// A column of some type.
trait ArrowColumn {
    /// Adds one number of some rows; with `real`, null for those that are not real.
    fn push(&mut self, rows: (&Block, Range<usize>), at: usize, real: Option<&[bool]>);

    fn take(&mut self) -> ArrayRef;
}

fn column(kind: &DataType) -> Box<dyn ArrowColumn> {
    match kind {
        DataType::Int8 => Box::new(Builder::<Int8Type>::default()),
        DataType::Int16 => Box::new(Builder::<Int16Type>::default()),
        DataType::Int32 => Box::new(Builder::<Int32Type>::default()),
        DataType::Int64 => Box::new(Builder::<Int64Type>::default()),
        _ => Box::new(Builder::<UInt64Type>::default()),
    }
}

struct Builder<T: ArrowPrimitiveType> {
    column: PrimitiveBuilder<T>,
    /// The numbers of a block.
    block: Vec<T::Native>,
}

impl<T: ArrowPrimitiveType> Default for Builder<T> {
    fn default() -> Builder<T> {
        Builder { column: PrimitiveBuilder::with_capacity(BATCH), block: Vec::new() }
    }
}

impl<T> ArrowColumn for Builder<T>
where
    T: ArrowPrimitiveType,
    T::Native: TryFrom<u64>,
{
    fn push(&mut self, rows: (&Block, Range<usize>), at: usize, real: Option<&[bool]>) {
        self.block.clear();
        // The numbers of elements fit: the schema was made by their reach.
        let numbers = rows.0.column(at, rows.1);
        self.block.extend(numbers.map(|number| T::Native::try_from(number).unwrap_or_default()));
        match real {
            None => self.column.append_slice(&self.block),
            Some(real) => self.column.append_values(&self.block, real),
        }
    }

    fn take(&mut self) -> ArrayRef {
        Arc::new(self.column.finish())
    }
}
