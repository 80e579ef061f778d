//! Law 16, operations: their answers for large layouts are exact at the corners of the index.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tensor_layout::algebra::IndexOrder::{self, Colexicographic, RowMajor};
use tensor_layout::algebra::{Arrangement, Difference, Restricted, Subaxis};
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::{CuteLayout, PadLayout, Strided};
use tensor_layout::xla::{XlaArray, XlaDtype};
use tensor_layout::{Layout, Level, Location};

use crate::laws::law_16_total::{corners, large, number};
use crate::run::{Tally, laws};

laws! {
    compositions_of_large_layouts_are_exact_at_the_corners: 800, 20 %, with_map(), composed;
    inverses_of_large_layouts_give_the_corners_back: 600, 20 %, one(), inverted;
    complements_of_large_layouts_stay_in_their_space: 600, 10 %, one(), complemented;
    large_layouts_that_are_equal_agree_at_the_corners: 400, 60 %, pair(), equal;
    edits_of_large_layouts_keep_the_corners: 500, 20 %, one(), edited;
    parts_of_large_layouts_have_the_corners_of_the_whole: 500, 20 %, one(), parts;
    texts_of_large_layouts_have_their_corners: 500, 20 %, one(), written;
}

fn layout() -> impl Strategy<Value = Layout> {
    large().prop_filter_map("refused", |large| large.build().ok())
}

fn one() -> impl Strategy<Value = (Layout, [u64; 3])> {
    (layout(), [number(), number(), number()])
}

fn pair() -> impl Strategy<Value = (Layout, Layout)> {
    (layout(), layout())
}

/// A layout, and a map into its linear index: usually evenly spaced rows, as many as there are.
fn with_map() -> impl Strategy<Value = (Layout, Layout)> {
    let rows = (layout(), number(), 1_u64..9).prop_map(|(f, step, row)| {
        let row = row.min(f.elements());
        let rows = f.elements().saturating_sub(row) / step.max(1) + 1;
        let digit = |size: u64, stride| [Subaxis::land(size.max(1), Level::ADDR, stride)];
        let map = Layout::builder().axis(rows, digit(rows, step)).axis(row, digit(row, 1));
        (f, map)
    });
    let rows = rows.prop_filter_map("too large", |(f, map)| Some((f, map.build().ok()?)));
    prop_oneof![3 => rows, 1 => pair()]
}

/// The entries of a place, level by level.
fn entries(place: &Location) -> Vec<u64> {
    place.iter().map(|(_, at)| at).collect()
}

fn at(layout: &Layout, index: &[u64]) -> Location {
    layout.locate(index).unwrap()
}

/// The index of `f` that a map yields: from a linear index, or from one entry per level.
fn image(f: &Layout, order: IndexOrder, place: &Location) -> Vec<u64> {
    match entries(place)[..] {
        [linear] => f.as_function(order).index_of(linear).unwrap(),
        ref index => index.to_vec(),
    }
}

/// A place shifted by `by` in a level.
fn moved(place: &Location, level: Level, by: u64) -> Location {
    let mut moved = place.clone();
    moved.set(level, place.get(level).unwrap_or(0) + by);
    moved
}

fn composed((f, g): &(Layout, Layout), tally: &mut Tally) -> TestCaseResult {
    for order in [RowMajor, Colexicographic] {
        if let Ok(composed) = tally.count(f.as_function(order).compose_axes(g)) {
            prop_assert_eq!(composed.shape(), g.shape());
            for index in corners(&g.shape()) {
                let through = at(f, &image(f, order, &at(g, &index)));
                prop_assert_eq!(at(&composed, &index), through);
            }
        }
        if let Ok(divided) = tally.count(f.as_function(order).divide_axes(g, Arrangement::Flat)) {
            let rest = divided.rank() - g.rank();
            prop_assert_eq!(&divided.shape()[..g.rank()], &g.shape()[..]);
            for index in corners(&g.shape()) {
                let first = [&index[..], &vec![0; rest]].concat();
                prop_assert_eq!(at(&divided, &first), at(f, &image(f, order, &at(g, &index))));
            }
        }
    }
    if let Ok(product) = tally.count(f.product(g, Arrangement::Flat)) {
        prop_assert_eq!(product.shape(), [f.shape(), g.shape()].concat());
        for index in corners(&f.shape()).iter().filter(|_| g.elements() > 0) {
            let first = [&index[..], &vec![0; g.rank()]].concat();
            // A pattern that begins at address 0 begins with the layout itself.
            let begins = at(g, &vec![0; g.rank()]).get(Level::ADDR).unwrap_or(0);
            prop_assert!(begins > 0 || at(&product, &first) == at(f, index));
        }
    }
    Ok(())
}

fn inverted((f, _): &(Layout, [u64; 3]), tally: &mut Tally) -> TestCaseResult {
    let left = tally.count(f.left_inverse());
    let right = tally.count(f.right_inverse());
    let back = |inverse: &Layout, place: &Location| -> Vec<u64> {
        let index = at(inverse, &entries(place));
        (0..f.rank()).map(|axis| index.get(Level::axis(axis)).unwrap()).collect()
    };
    for index in corners(&f.shape()) {
        let place = at(f, &index);
        if let Ok(left) = &left {
            for copy in f.locate_all(&index).unwrap().take(9) {
                prop_assert_eq!(&back(left, &copy), &index, "from {}", copy);
            }
        }
        if let Ok(right) = &right {
            prop_assert_eq!(at(f, &back(right, &place)), place);
        }
    }
    for order in [RowMajor, Colexicographic] {
        if let Ok(left) = tally.count(f.as_function(order).linear_left_inverse()) {
            for index in corners(&f.shape()) {
                let linear = at(&left, &entries(&at(f, &index))).get(Level::ADDR).unwrap();
                prop_assert_eq!(f.as_function(order).index_of(linear).unwrap(), index);
            }
        }
        if let Ok(right) = tally.count(f.as_function(order).contiguous_inverse()) {
            for address in corners(&right.shape()) {
                let index = image(f, order, &at(&right, &address));
                prop_assert_eq!(entries(&at(f, &index)), address);
            }
        }
    }
    Ok(())
}

fn complemented((f, [a, b, _]): &(Layout, [u64; 3]), tally: &mut Tally) -> TestCaseResult {
    let least = f.complement_space().unwrap_or_default();
    let given = vec![(Level::ADDR, *a), (Level::PE, *b)];
    for space in [given, least].into_iter().filter(|space| !space.is_empty()) {
        let Ok(rest) = tally.count(f.complement(&space)) else { continue };
        let size = |level: Level| space.iter().find(|(of, _)| *of == level).map(|(_, size)| *size);
        let all: u128 = space.iter().map(|(_, size)| u128::from(*size)).product();
        let copies: u128 =
            f.replicas().iter().filter(|r| r.stride > 0).map(|r| u128::from(r.size)).product();
        let filled = u128::from(f.elements()) * copies;
        prop_assert_eq!(filled * u128::from(rest.elements()), all);
        for (index, free) in corners(&f.shape()).iter().zip(corners(&rest.shape())) {
            for (level, step) in at(&rest, &free).iter() {
                let together = step + at(f, index).get(level).unwrap_or(0);
                prop_assert!(together < size(level).unwrap_or(1), "{} = {}", level, together);
            }
        }
    }
    Ok(())
}

fn equal((f, g): &(Layout, Layout), tally: &mut Tally) -> TestCaseResult {
    let places = |layout: &Layout, index: &[u64]| -> Option<Vec<Location>> {
        (layout.copies() < 100).then(|| {
            let mut all: Vec<Location> = layout.locate_all(index).unwrap().collect();
            all.sort();
            all.dedup();
            all
        })
    };
    for (x, y) in [(f, g), (f, f), (f, &f.simplified())] {
        // Leading axes of copies can serve a layout without them.
        let serves = (x.rank() == y.rank()).then(|| x.serves(y));
        for answer in [x.same_map(y), x.same_up_to_padding(y)].into_iter().chain(serves) {
            match tally.count(answer) {
                Ok(None) => {
                    prop_assert_eq!(x.shape(), y.shape());
                    for index in
                        corners(&x.shape()).iter().filter(|_| x.used_levels() == y.used_levels())
                    {
                        if let (Some(mine), Some(theirs)) = (places(x, index), places(y, index)) {
                            prop_assert!(theirs.iter().all(|place| mine.contains(place)));
                        }
                    }
                }
                Ok(Some(Difference::Element { index, .. })) => {
                    prop_assert!(places(x, &index) != places(y, &index) || x.copies() >= 100);
                }
                Ok(Some(Difference::Shapes(first, second))) => prop_assert_ne!(first, second),
                Ok(Some(Difference::Levels(first, second))) => prop_assert_ne!(first, second),
                Ok(Some(Difference::Place { place, first, second })) => {
                    prop_assert_ne!(&first, &second);
                    let stated = |layout: &Layout, found| {
                        layout.element(&place).map_or(true, |answer| answer == found)
                    };
                    prop_assert!(stated(x, first) && stated(y, second), "{}", place);
                }
                Err(error) if error.kind() == ErrorKind::NotDecided => {}
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
    Ok(())
}

/// Numbers of elements: the ends, their neighbours, and one in the middle.
fn numbers(elements: u64) -> Vec<u64> {
    let numbers = [0, 1, elements / 2, elements.saturating_sub(2), elements.saturating_sub(1)];
    numbers.into_iter().filter(|number| *number < elements).collect()
}

/// Two layouts with the same number of elements have the n-th element in the same place.
fn same_order(f: &Layout, by: IndexOrder, g: &Layout, order: IndexOrder) -> TestCaseResult {
    prop_assert_eq!(f.elements(), g.elements());
    for number in numbers(f.elements()) {
        let (from, to) = (
            f.as_function(by).index_of(number).unwrap(),
            g.as_function(order).index_of(number).unwrap(),
        );
        prop_assert_eq!(at(f, &from), at(g, &to), "{}", number);
    }
    Ok(())
}

fn edited((f, [a, b, c]): &(Layout, [u64; 3]), tally: &mut Tally) -> TestCaseResult {
    let axis = *a as usize % (f.rank() + 1);
    let halves = [f.elements() / 2, 2];
    let half = f.shape().get(axis).map_or([0, 2], |extent| [extent / 2, 2]);
    let in_order = [
        f.reshape(&[*a, *b]),
        f.reshape(&halves),
        f.split_axis(axis, &half),
        f.merge_axes(axis, *b as usize % 4),
        f.insert_axis(axis),
        f.drop_axis(axis),
        f.as_function(RowMajor).flattened(),
        Ok(f.simplified()),
        f.with_minimal_padding(),
        f.without_padding(),
    ];
    for answer in in_order {
        if let Ok(edited) = tally.count(answer) {
            same_order(f, RowMajor, &edited, RowMajor)?;
        }
    }
    if let Ok(flat) = tally.count(f.as_function(Colexicographic).flattened()) {
        same_order(f, Colexicographic, &flat, RowMajor)?;
    }
    if let Ok(slice) = tally.count(f.slice(axis, *a, *b, *c)) {
        for index in corners(&slice.shape()) {
            let mut whole = index.clone();
            whole[axis] = a + c * index[axis];
            prop_assert_eq!(at(&slice, &index), at(f, &whole));
        }
    }
    enlarged(f, axis, [*a, *b, *c], tally)
}

fn enlarged(f: &Layout, axis: usize, [a, b, c]: [u64; 3], tally: &mut Tally) -> TestCaseResult {
    let larger: Vec<u64> = f.shape().iter().map(|extent| extent.saturating_add(a)).collect();
    if let Ok(padded) = tally.count(f.pad_to(&larger)) {
        prop_assert_eq!(padded.shape(), larger);
        for index in corners(&f.shape()) {
            prop_assert_eq!(at(&padded, &index), at(f, &index));
        }
    }
    if let Ok(shifted) = tally.count(f.clone().with_offset(Level::ADDR, c)) {
        for index in corners(&f.shape()) {
            prop_assert_eq!(at(&shifted, &index), moved(&at(f, &index), Level::ADDR, c));
        }
    }
    if let Ok(tiled) = tally.count(f.tile(axis, a, Level::PE)) {
        let far = f.span(Level::PE) - f.offset(Level::PE);
        for (index, tile) in corners(&f.shape()).into_iter().zip([0, a - 1, a / 2].iter().cycle()) {
            let mut whole = index.clone();
            whole[axis] += tile * f.shape()[axis];
            let place = moved(&at(f, &index), Level::PE, tile * far);
            prop_assert_eq!(at(&tiled, &whole), place);
        }
    }
    if let Ok(expanded) = tally.count(f.expand(axis, b, Level::ADDR)) {
        for index in corners(&expanded.shape()) {
            let mut old = index.clone();
            old[axis] = 0;
            let mut place = at(f, &old);
            place.set(Level::ADDR, place.get(Level::ADDR).unwrap() * b + index[axis]);
            prop_assert_eq!(at(&expanded, &index), place);
        }
    }
    Ok(())
}

fn parts((f, [a, b, _]): &(Layout, [u64; 3]), tally: &mut Tally) -> TestCaseResult {
    let first = f.locate(&vec![0; f.rank()]).ok().and_then(|place| place.get(Level::PE));
    let asked = [Location::from_iter([(Level::ADDR, *a), (Level::PE, *b)])];
    let held = first.map(|pe| Location::from_iter([(Level::PE, pe)]));
    for unit in asked.into_iter().chain(held) {
        let Ok(Restricted { layout, indexes }) = tally.count(f.restrict(&unit)) else { continue };
        for index in corners(&layout.shape()) {
            let whole = at(&indexes, &index);
            let whole: Vec<u64> =
                (0..f.rank()).map(|axis| whole.get(Level::axis(axis)).unwrap()).collect();
            // Copies are in different places: one of them has the coordinates.
            let mut places = f.locate_all(&whole).unwrap().take(1 << 12);
            let has = |place: &Location, part: &Location| {
                part.iter().all(|(level, at)| place.get(level).is_none_or(|here| here == at))
            };
            let part = at(&layout, &index);
            let part = part.iter().filter(|(level, _)| unit.get(*level).is_none()).collect();
            let is_here = places.any(|place| has(&place, &unit) && has(&place, &part));
            prop_assert!(is_here || f.copies() > 1 << 12, "{:?} in {}", index, unit);
        }
    }
    for level in [Level::ADDR, Level::PE, Level::TIME] {
        let projected = f.project(level);
        tally.sure();
        for index in corners(&f.shape()) {
            let place = at(f, &index).get(level);
            prop_assert_eq!(at(&projected, &index).get(level).unwrap_or(0), place.unwrap_or(0));
        }
    }
    Ok(())
}

fn written((f, _): &(Layout, [u64; 3]), tally: &mut Tally) -> TestCaseResult {
    let f32 = XlaDtype::from_name("f32").unwrap();
    let texts = [
        PadLayout::of(f).map(|text| text.lower().unwrap()),
        // A text in which copies overlap has a note, and cannot be read again.
        PadLayout::map_of(f).map(|(text, note)| match (text.lower(), note) {
            (Err(_), Some(_)) => f.clone(),
            (read, _) => read.unwrap(),
        }),
        CuteLayout::of(f).map(|text| text.lower().unwrap()),
        Strided::of(f).map(|text| text.lower().unwrap()),
        XlaArray::of(f, f32).map(|text| text.lower().unwrap()),
    ];
    for answer in texts {
        let Ok(read) = tally.count(answer) else { continue };
        prop_assert_eq!(read.shape(), f.shape());
        for index in corners(&f.shape()) {
            prop_assert_eq!(at(&read, &index), at(f, &index));
        }
    }
    Ok(())
}
