//! Tables as Arrow record batches, IPC files and Parquet files.
//!
//! One column per level and per axis, of the narrowest unsigned integer that holds it; the index of
//! padding is null.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::write::WriteError;
use super::{Row, Table};

/// How many rows are held at once: a record batch, a row group.
const BATCH: usize = 1 << 18;

impl Table<'_> {
    /// The schema of the record batches: the levels, then `i0`, `i1`, ..
    #[must_use]
    pub fn schema(&self) -> Schema {
        let columns = self.written_columns().into_iter();
        let levels = columns.map(|at| {
            let level = self.columns()[at];
            let reach = self.placement().spread().extent(level) - 1;
            Field::new(level.to_string(), narrowest(reach), false)
        });
        let extents = self.placement().layout().shape().into_iter().enumerate();
        let index = extents.map(|(axis, extent)| {
            Field::new(format!("i{axis}"), narrowest(extent.saturating_sub(1)), self.has_padding())
        });
        Schema::new(levels.chain(index).collect::<Vec<_>>())
    }

    /// Walks the table in record batches of at most 2^18 rows.
    ///
    /// # Errors
    /// [`WriteError`], that of `visit` among them.
    pub fn record_batches(
        &self,
        mut visit: impl FnMut(RecordBatch) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let written = self.written_columns();
        let mut rows = Rows::new(self.schema());
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
    pub fn write_arrow(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        let writer = arrow_ipc::writer::FileWriter::try_new(out, &self.schema());
        let mut writer = writer.map_err(failed)?;
        self.record_batches(|batch| writer.write(&batch).map_err(failed))?;
        Ok(writer.finish().map_err(failed)?)
    }

    /// Writes the table as a Parquet file, row group by row group.
    ///
    /// # Errors
    /// [`WriteError`].
    #[cfg(feature = "parquet")]
    pub fn write_parquet(&self, out: &mut (dyn Write + Send)) -> Result<(), WriteError> {
        use parquet::arrow::ArrowWriter;
        use parquet::basic::Compression;
        use parquet::file::properties::WriterProperties;
        let failed = |error: parquet::errors::ParquetError| match error {
            parquet::errors::ParquetError::External(inner) => external(inner),
            other => io::Error::other(other),
        };
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = Arc::new(self.schema());
        let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
        self.record_batches(|batch| {
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

fn narrowest(reach: u64) -> DataType {
    match reach {
        0..=0xff => DataType::UInt8,
        0x100..=0xffff => DataType::UInt16,
        0x1_0000..=0xffff_ffff => DataType::UInt32,
        _ => DataType::UInt64,
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
                DataType::UInt8 => array::<UInt8Type>(column),
                DataType::UInt16 => array::<UInt16Type>(column),
                DataType::UInt32 => array::<UInt32Type>(column),
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
