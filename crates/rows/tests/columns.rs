//! Tables as Parquet and Arrow files.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]

use std::io::Cursor;

use tensor_layout::Placement;

/// Every row as numbers, padding as `None`.
fn batches_are_the_rows(placement: &Placement, batches: &[arrow_array::RecordBatch]) {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int8Type, Int16Type, Int64Type};
    use arrow_schema::DataType;
    let cell = |column: &dyn Array, row: usize| -> Option<u64> {
        let number = column.is_valid(row).then(|| match column.data_type() {
            DataType::Int8 => column.as_primitive::<Int8Type>().value(row).into(),
            DataType::Int16 => column.as_primitive::<Int16Type>().value(row).into(),
            DataType::Int64 => column.as_primitive::<Int64Type>().value(row),
            other => panic!("{other}"),
        });
        number.map(|number| u64::try_from(number).unwrap())
    };
    let mut found = Vec::new();
    for batch in batches {
        found.extend(
            (0..batch.num_rows()).map(|row| {
                batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>()
            }),
        );
    }
    let mut expected = Vec::new();
    let rank = placement.layout().rank();
    let _ = placement.table().with_padding(true).for_each(|row| {
        let index = (0..rank).map(|axis| row.index.map(|index| index[axis]));
        expected.push(row.place.iter().copied().map(Some).chain(index).collect::<Vec<_>>());
        std::ops::ControlFlow::<()>::Continue(())
    });
    assert_eq!(found, expected);
}

#[test]
fn parquet_in_parts_is_the_table_and_so_is_arrow() {
    use arrow_array::RecordBatch;
    use arrow_schema::DataType;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use tensor_layout_rows::{ColumnWidth, schema, write_arrow, write_parquet};
    for text in
        ["(10,7)/((3:7, 4_PE), (7:1))", "((300_PE, 2:1000), (1000:1))", "()", "((2:1, 2:4))"]
    {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let table = placement.table().with_padding(true);
        let read = |bytes: Vec<u8>| -> Vec<RecordBatch> {
            let file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut &file, &bytes).unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
            reader.collect::<Result<_, _>>().unwrap()
        };
        let wide = schema(&table, ColumnWidth::Wide);
        assert!(wide.fields().iter().all(|field| *field.data_type() == DataType::Int64));
        let mut whole = Vec::new();
        write_parquet(&table, ColumnWidth::Wide, &mut whole).unwrap();
        batches_are_the_rows(&placement, &read(whole));
        let mut parts = Vec::new();
        for part in 0..3 {
            let mut bytes = Vec::new();
            let part = table.clone().part(part, 3).unwrap();
            write_parquet(&part, ColumnWidth::Narrow, &mut bytes).unwrap();
            parts.extend(read(bytes));
        }
        batches_are_the_rows(&placement, &parts);
        let mut file = Vec::new();
        write_arrow(&table, ColumnWidth::Narrow, &mut file).unwrap();
        let reader = arrow_ipc::reader::FileReader::try_new(Cursor::new(file), None).unwrap();
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
        batches_are_the_rows(&placement, &batches);
    }
}
