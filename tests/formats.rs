//! Parquet and Arrow, long words, files that are refused. Law 2 judges generated tables and images.

use std::io::Cursor;

use tensor_layout::image::{ImageForm, NpyHeader};
use tensor_layout::{Level, Placement};

#[test]
fn long_words_hold_lane_0_most_significant() {
    let placement = Placement::of("((2_PE), (2:1, 4_W:1))".parse().unwrap());
    let program = placement.element_bits(16).build().unwrap().program().unwrap();
    let tensor: Vec<u8> = (0..16_u16).flat_map(|n| (n + 0xa0).to_le_bytes()).collect();
    let mut image = Vec::new();
    let form = ImageForm::LongWords;
    program.pack_stream(&mut Cursor::new(&tensor), &mut image, 0_u16, form).unwrap();
    let word = u64::from_le_bytes(image[..8].try_into().unwrap());
    assert_eq!(word, 0x00a0_00a1_00a2_00a3);
    let mut back = Vec::new();
    program.unpack_stream::<u16>(&mut Cursor::new(image), &mut back, form).unwrap();
    assert_eq!(back, tensor);
}

#[test]
fn a_tensor_that_ends_early_is_refused() {
    let program = Placement::of("((4:1))".parse().unwrap()).build().unwrap().program().unwrap();
    let short = &mut Cursor::new(vec![0_u8; 7]);
    let refusal = program.pack_stream(short, &mut Vec::new(), 0_u16, ImageForm::Cells).unwrap_err();
    assert_eq!(refusal.to_string(), "failed to fill whole buffer");
}

#[test]
fn headers_that_are_not_plain_arrays_are_refused() {
    for bytes in [
        &b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}"[..],
        b"PK\x03\x04________",
        b"\x93NUMPY\x01\x00\x4c\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }",
        b"\x93NUMPY\x01\x00\x4c\x00{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
    ] {
        assert!(NpyHeader::read(&mut &bytes[..]).is_err());
    }
}

/// Every row as numbers, padding as `None`.
#[cfg(feature = "parquet")]
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

#[cfg(feature = "parquet")]
#[test]
fn parquet_in_parts_is_the_table_and_so_is_arrow() {
    use arrow_array::RecordBatch;
    use arrow_schema::DataType;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use tensor_layout::rows::ColumnWidth;
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
        let wide = table.schema(ColumnWidth::Wide);
        assert!(wide.fields().iter().all(|field| *field.data_type() == DataType::Int64));
        let mut whole = Vec::new();
        table.write_parquet(&mut whole, ColumnWidth::Wide).unwrap();
        batches_are_the_rows(&placement, &read(whole));
        let mut parts = Vec::new();
        for part in 0..3 {
            let mut bytes = Vec::new();
            let part = table.clone().part(part, 3).unwrap();
            part.write_parquet(&mut bytes, ColumnWidth::Narrow).unwrap();
            parts.extend(read(bytes));
        }
        batches_are_the_rows(&placement, &parts);
        let mut file = Vec::new();
        table.write_arrow(&mut file, ColumnWidth::Narrow).unwrap();
        let reader = arrow_ipc::reader::FileReader::try_new(Cursor::new(file), None).unwrap();
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
        batches_are_the_rows(&placement, &batches);
    }
}

#[test]
fn a_level_that_is_not_a_column_cannot_be_a_partition() {
    let placement = Placement::of("((4_PE))".parse().unwrap()).build().unwrap();
    let place = [(Level::MAB, 0)].into_iter().collect();
    assert!(placement.table().partition(&place).is_err());
}
