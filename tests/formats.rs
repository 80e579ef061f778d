//! Tables in parts, as arrays, as Parquet and Arrow; tensors packed from file to file.

use std::io::Cursor;

use proptest::prelude::*;
use tensor_layout::image::{ImageForm, NpyHeader, NpyTable};
use tensor_layout::rows::{Format, Table};
use tensor_layout::{Level, Location, Machine, Placement};

use crate::generate::{good_layout, levels};
use crate::slow::Slow;

fn csv(table: &Table<'_>) -> String {
    let mut out = Vec::new();
    table.write(Format::Csv, &mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

fn on_machine(slow: &Slow) -> Placement {
    let mut machine = Machine::builder("test");
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        machine = machine.level(level, slow.layout().extent(level));
    }
    Placement::of(slow.layout()).on(&machine.build().unwrap()).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn the_parts_of_a_table_in_order_are_the_table(
        slow in good_layout(), parts in 1_u64..9, padding in any::<bool>()
    ) {
        let placement = on_machine(&slow);
        let table = placement.table().with_padding(padding);
        let whole = csv(&table);
        let (header, _) = whole.split_once('\n').unwrap();
        let mut joined = format!("{header}\n");
        for part in 0..parts {
            let part = csv(&table.clone().part(part, parts).unwrap());
            joined.push_str(part.split_once('\n').unwrap().1);
        }
        prop_assert_eq!(joined, whole);
        prop_assert!(table.part(parts, parts).is_err());
    }

    #[test]
    fn partitions_hold_every_row_once(slow in good_layout()) {
        let placement = on_machine(&slow);
        let level = placement.columns()[0];
        let mut rows = 0;
        for at in 0..slow.layout().extent(level) {
            let place: Location = [(level, at)].into_iter().collect();
            let part = csv(&placement.table().partition(&place).unwrap());
            prop_assert!(!part.lines().next().unwrap().split(',').any(|name| name == level.as_str()));
            rows += part.lines().count() - 1;
        }
        prop_assert_eq!(rows, csv(&placement.table()).lines().count() - 1);
    }

    #[test]
    fn npy_tables_are_the_filled_ones(slow in good_layout()) {
        let program = on_machine(&slow).program().unwrap();
        prop_assume!(program.places() < 100_000);
        let (header, packed) = npy(&program, NpyTable::Packed);
        prop_assert_eq!(&header.shape, &slow.shape);
        let mut expected = vec![0_u64; packed.len()];
        program.fill_packed(&mut expected).unwrap();
        prop_assert_eq!(&packed, &expected);
        let (header, columns) = npy(&program, NpyTable::Columns);
        prop_assert_eq!(header.shape[0] as usize, program.columns().count());
        let mut all = Vec::new();
        for (level, _) in program.columns() {
            program.fill_column(level, &mut expected).unwrap();
            all.extend_from_slice(&expected);
        }
        prop_assert_eq!(columns, all);
        let (header, inverse) = npy(&program, NpyTable::Inverse);
        prop_assert_eq!(header.shape, program.columns().map(|(_, size)| size).collect::<Vec<_>>());
        let mut expected = vec![0_u64; inverse.len()];
        program.fill_inverse(&mut expected).unwrap();
        let greatest = [u64::from(u8::MAX), u64::from(u16::MAX)];
        let greatest = greatest.into_iter().find(|top| program.elements() < *top).unwrap();
        let narrow = |held: u64| held.min(held.wrapping_sub(u64::MAX - greatest));
        prop_assert_eq!(inverse, expected.into_iter().map(narrow).collect::<Vec<_>>());
    }

    #[test]
    fn packing_from_file_to_file_is_packing(slow in good_layout()) {
        let program = on_machine(&slow).program().unwrap();
        prop_assume!(program.places() < 100_000);
        let tensor: Vec<u16> = (0..program.elements()).map(|n| n as u16 ^ 0x5a5a).collect();
        let mut image = vec![0; program.places() as usize];
        program.pack(&tensor, &mut image, 7).unwrap();
        let bytes = |cells: &[u16]| cells.iter().flat_map(|cell| cell.to_le_bytes()).collect::<Vec<u8>>();
        let mut written = Vec::new();
        program.pack_stream(&mut Cursor::new(bytes(&tensor)), &mut written, 7_u16, ImageForm::Cells).unwrap();
        prop_assert_eq!(&written, &bytes(&image));
        let mut back = Vec::new();
        program.unpack_stream::<u16>(&mut Cursor::new(written), &mut back, ImageForm::Cells).unwrap();
        prop_assert_eq!(back, bytes(&tensor));
    }
}

/// The header and the entries, widened.
fn npy(program: &tensor_layout::program::Program, table: NpyTable) -> (NpyHeader, Vec<u64>) {
    let mut file = Vec::new();
    program.write_npy(table, &mut file).unwrap();
    let mut rest = &file[..];
    let header = NpyHeader::read(&mut rest).unwrap();
    assert_eq!((file.len() - rest.len()) % 64, 0);
    let width = header.descr[2..].parse().unwrap();
    let widen = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let entries: Vec<u64> = rest.chunks(width).map(widen).collect();
    assert_eq!(header.entries(), Some(entries.len() as u64));
    (header, entries)
}

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
fn headers_that_are_no_plain_arrays_are_refused() {
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
fn a_level_that_is_no_column_cannot_be_a_partition() {
    let placement = Placement::of("((4_PE))".parse().unwrap()).build().unwrap();
    let place = [(Level::MAB, 0)].into_iter().collect();
    assert!(placement.table().partition(&place).is_err());
}
