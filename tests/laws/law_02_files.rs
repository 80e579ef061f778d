//! Law 2 for files: tables in parts, arrays, and tensors packed from file to file.

use std::io::Cursor;

use proptest::prelude::*;
use tensor_layout::Location;
use tensor_layout::image::ImageForm;
use tensor_layout::program::Program;
use tensor_layout::rows::Table;
use tensor_layout_npy::{NpyHeader, NpyTable};
use tensor_layout_rows::{Format, write};

use crate::laws::packed;
use crate::run::{Tally, laws};
use crate::slow::Slow;
use crate::stage::{Placed, Stage, good_placement};

laws! {
    the_parts_of_a_table_in_order_are_the_table: 150, 100 %, parted(), parts;
    partitions_hold_every_row_once: 150, 100 %, parted(), partitions;
    arrays_hold_what_tables_hold: 150, 100 %, parted(), arrays;
    packing_from_file_to_file_is_packing: 150, 100 %, parted(), streams;
}

type Case = ((Stage, Slow), u64, bool);

fn parted() -> impl Strategy<Value = Case> {
    (good_placement(), 1_u64..9, any::<bool>())
}

const MOST: u64 = 100_000;

fn csv(table: &Table<'_>) -> String {
    let mut out = Vec::new();
    write(table, Format::Csv, &mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

fn parts(((stage, slow), parts, padding): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placement = stage.place(slow).unwrap();
    // The number of padding slots of a group at one place is unspecified.
    let padding = &(*padding && Placed::new(stage, slow).is_alone());
    let table = placement.table().with_padding(*padding);
    let whole = csv(&table);
    let (header, body) = whole.split_once('\n').unwrap();
    let rows = Placed::new(stage, slow).rows(*padding).len();
    prop_assert_eq!(body.lines().count(), rows);
    let mut joined = format!("{header}\n");
    for part in 0..*parts {
        let part = csv(&tally.answer(table.clone().part(part, *parts))?);
        joined.push_str(part.split_once('\n').unwrap().1);
    }
    prop_assert_eq!(joined, whole);
    prop_assert!(table.part(*parts, *parts).is_err());
    Ok(())
}

fn partitions(((stage, slow), ..): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let level = placement.columns()[0];
    let mut rows = 0;
    for at in 0..placed.size(level) {
        let place: Location = [(level, at)].into_iter().collect();
        if !placed.is_named(&place) {
            continue;
        }
        let part = csv(&tally.answer(placement.table().partition(&place))?);
        prop_assert!(!part.lines().next().unwrap().split(',').any(|name| name == level.as_str()));
        rows += part.lines().count() - 1;
    }
    prop_assert_eq!(rows, placed.rows(false).len());
    Ok(())
}

fn arrays(((stage, slow), ..): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let program = tally.answer(stage.place(slow).unwrap().program())?;
    prop_assume!(program.places() < MOST);
    let columns: Vec<_> = program.columns().collect();
    let first = |index: &Vec<u64>| placed.places(index).remove(0);
    let places: Vec<Location> = slow.indexes().iter().map(first).collect();
    let (header, table) = npy(&program, NpyTable::Packed);
    prop_assert_eq!(&header.shape, &slow.shape());
    let expected: Vec<u64> =
        places.iter().map(|place| packed(&columns, &placed.numbered(place))).collect();
    prop_assert_eq!(table, expected);
    let (header, table) = npy(&program, NpyTable::Columns);
    prop_assert_eq!(header.shape[0] as usize, columns.len());
    let coordinates = columns
        .iter()
        .flat_map(|(level, _)| places.iter().map(move |place| place.get(*level).unwrap()));
    prop_assert_eq!(table, coordinates.collect::<Vec<_>>());
    let (header, inverse) = npy(&program, NpyTable::Inverse);
    prop_assert_eq!(header.shape, columns.iter().map(|(_, size)| *size).collect::<Vec<_>>());
    let greatest = [u64::from(u8::MAX), u64::from(u16::MAX)];
    let greatest = greatest.into_iter().find(|top| program.elements() < *top).unwrap();
    let mut expected = vec![greatest; inverse.len()];
    for (place, held) in placed.contents() {
        let number = held.first().map(|index| slow.indexes().binary_search(index).unwrap() as u64);
        expected[packed(&columns, &placed.numbered(&place)) as usize] =
            number.unwrap_or(greatest - 1);
    }
    prop_assert_eq!(inverse, expected);
    Ok(())
}

/// The header, and the entries widened to `u64`.
fn npy(program: &Program, table: NpyTable) -> (NpyHeader, Vec<u64>) {
    let mut file = Vec::new();
    table.write(program, &mut file).unwrap();
    let mut rest = &file[..];
    let header = NpyHeader::read(&mut rest).unwrap();
    assert_eq!((file.len() - rest.len()) % 64, 0);
    let width = header.descr[2..].parse().unwrap();
    let widen = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let entries: Vec<u64> = rest.chunks(width).map(widen).collect();
    assert_eq!(header.entries(), Some(entries.len() as u64));
    (header, entries)
}

fn streams(((stage, slow), ..): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let program = tally.answer(stage.place(slow).unwrap().program())?;
    prop_assume!(program.places() < MOST);
    let columns: Vec<_> = program.columns().collect();
    let tensor: Vec<u16> = (0..program.elements()).map(|n| n as u16 ^ 0x5a5a).collect();
    let mut image = vec![7; program.places() as usize];
    for (index, value) in slow.indexes().iter().zip(&tensor) {
        for place in placed.places(index) {
            image[packed(&columns, &placed.numbered(&place)) as usize] = *value;
        }
    }
    let bytes = |cells: &[u16]| cells.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<u8>>();
    let mut written = Vec::new();
    let mut file = Cursor::new(bytes(&tensor));
    program.pack_stream(&mut file, &mut written, 7_u16, ImageForm::Cells).unwrap();
    prop_assert_eq!(&written, &bytes(&image));
    let mut back = Vec::new();
    let mut file = Cursor::new(written);
    program.unpack_stream::<u16>(&mut file, &mut back, ImageForm::Cells).unwrap();
    prop_assert_eq!(back, bytes(&tensor));
    Ok(())
}
