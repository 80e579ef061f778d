//! Columns of any kind as a stream of record batches, which every data frame library reads.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::refusal::{Answer, Refusal};

/// Named columns of equal length as one batch.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    columns: impl IntoIterator<Item = (&'static str, ArrayRef)>,
) -> Answer<Bound<'py, PyCapsule>> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
    .map_err(|error| Refusal::Argument(error.to_string()))?;
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?)
}
