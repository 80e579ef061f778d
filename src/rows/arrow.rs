//! Tables as Arrow record batches, IPC files and Parquet files.
//!
//! One column per level and per axis, of signed integers: engines compute in the type of a column,
//! where `i0 * 512` overflows 16 bits, and many have no unsigned types. The index of padding is null.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::write::WriteError;
use super::{Row, Table};

/// How many rows are held at once: a record batch, a row group.
const BATCH: usize = 1 << 18;

/// How wide the integers of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnWidth {
    /// 64 bits, signed: what engines compute with.
    #[default]
    Wide,
    /// The fewest signed bits that hold the column: smaller in memory, and sums may overflow.
    Narrow,
}

impl Table<'_> {
    /// The schema of the record batches: the levels, then `i0`, `i1`, ..
    ///
    /// Numbers beyond 63 bits are unsigned.
    #[must_use]
    pub fn schema(&self, width: ColumnWidth) -> Schema {
        let columns = self.written_columns().into_iter();
        let levels = columns.map(|at| {
            let level = self.columns()[at];
            let reach = self.placement().with_copies().extent(level) - 1;
            Field::new(level.to_string(), integer(reach, width), false)
        });
        let extents = self.placement().layout().shape().into_iter().enumerate();
        let index = extents.map(|(axis, extent)| {
            let integer = integer(extent.saturating_sub(1), width);
            Field::new(format!("i{axis}"), integer, self.has_padding())
        });
        Schema::new(levels.chain(index).collect::<Vec<_>>())
    }

    /// Walks the table in record batches of at most 2^18 rows.
    ///
    /// # Errors
    /// [`WriteError`], that of `visit` among them.
    pub fn record_batches(
        &self,
        width: ColumnWidth,
        mut visit: impl FnMut(RecordBatch) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let written = self.written_columns();
        let mut rows = Rows::new(self.schema(width));
        let outcome = self.for_each(|row| {
            rows.push(&written, row);
            if rows.count < BATCH {
                return ControlFlow::Continue(());
            }
            match rows.take().and_then(&mut visit) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        })?;
        outcome.break_value().map_or(Ok(()), Err)?;
        if rows.count > 0 {
            visit(rows.take()?)?;
        }
        Ok(())
    }

    /// Writes the table as an Arrow IPC file, batch by batch.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write_arrow(&self, out: &mut dyn Write, width: ColumnWidth) -> Result<(), WriteError> {
        let writer = arrow_ipc::writer::FileWriter::try_new(out, &self.schema(width));
        let mut writer = writer.map_err(failed)?;
        self.record_batches(width, |batch| writer.write(&batch).map_err(failed))?;
        Ok(writer.finish().map_err(failed)?)
    }

    /// Writes the table as a Parquet file, row group by row group.
    ///
    /// # Errors
    /// [`WriteError`].
    #[cfg(feature = "parquet")]
    pub fn write_parquet(
        &self,
        out: &mut (dyn Write + Send),
        width: ColumnWidth,
    ) -> Result<(), WriteError> {
        use parquet::arrow::ArrowWriter;
        use parquet::basic::Compression;
        use parquet::file::properties::WriterProperties;
        let failed = |error: parquet::errors::ParquetError| match error {
            parquet::errors::ParquetError::External(inner) => external(inner),
            other => io::Error::other(other),
        };
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = Arc::new(self.schema(width));
        let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
        self.record_batches(width, |batch| {
            writer.write(&batch).map_err(failed)?;
            writer.flush().map_err(failed)
        })?;
        writer.close().map_err(failed)?;
        Ok(())
    }
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
    columns: Vec<Vec<Option<u64>>>,
    count: usize,
}

impl Rows {
    fn new(schema: Schema) -> Rows {
        let columns = vec![Vec::new(); schema.fields().len()];
        Rows { schema: Arc::new(schema), columns, count: 0 }
    }

    fn push(&mut self, open: &[usize], row: Row<'_>) {
        let place = open.iter().map(|at| Some(row.place[*at]));
        let rank = self.columns.len() - open.len();
        let index = (0..rank).map(|axis| row.index.map(|index| index[axis]));
        self.columns.iter_mut().zip(place.chain(index)).for_each(|(column, at)| column.push(at));
        self.count += 1;
    }

    fn take(&mut self) -> io::Result<RecordBatch> {
        let fields = self.schema.fields().iter();
        let columns = fields.zip(&mut self.columns).map(|(field, column)| {
            let column = std::mem::take(column);
            match field.data_type() {
                DataType::Int8 => array::<Int8Type>(column),
                DataType::Int16 => array::<Int16Type>(column),
                DataType::Int32 => array::<Int32Type>(column),
                DataType::Int64 => array::<Int64Type>(column),
                _ => array::<UInt64Type>(column),
            }
        });
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.count));
        let columns = columns.collect();
        self.count = 0;
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map_err(failed)
    }
}

/// The numbers fit: the schema was made by their reach.
fn array<T>(column: Vec<Option<u64>>) -> ArrayRef
where
    T: ArrowPrimitiveType,
    T::Native: TryFrom<u64>,
{
    let narrow = |at: Option<u64>| at.and_then(|at| T::Native::try_from(at).ok());
    Arc::new(column.into_iter().map(narrow).collect::<PrimitiveArray<T>>())
}
