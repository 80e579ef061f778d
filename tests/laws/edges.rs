//! Edge cases of the algebra that random layouts seldom reach, each in its own test.

use tensor_layout::algebra::{Arrangement, IndexOrder, LinearFunction, Subaxis};
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::{CuteLayout, Strided};
use tensor_layout::{Layout, LayoutError, Level, Location, Placement};

const A: Level = Level::ADDR;

fn land(size: u64, level: Level, stride: u64) -> Subaxis {
    Subaxis::land(size, level, stride)
}

fn feed(size: u64, derived: usize, weight: u64) -> Subaxis {
    Subaxis::feed(size, derived, weight)
}

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

fn address(at: u64) -> Location {
    [(A, at)].into_iter().collect()
}

/// Two axes fused into one value, which is split at a boundary of neither.
fn fused() -> Layout {
    let axes = Layout::builder().axis(3, [feed(3, 0, 4)]).axis(4, [feed(4, 0, 1)]);
    axes.derived(0, 12, [land(2, A, 10), land(6, A, 1)]).build().unwrap()
}

#[test]
fn an_inverse_is_as_long_as_what_it_inverts() {
    for (text, shape) in [("((4:1))", [4]), ("((4:2))", [8]), ("((2:1, 3:2))", [6])] {
        assert_eq!(layout(text).left_inverse().unwrap().shape(), shape, "{text}");
        assert_eq!(layout(text).right_inverse().unwrap().shape(), shape, "{text}");
    }
}

#[test]
fn axes_in_one_value_are_inverted_through_it() {
    let fused = fused();
    let inverse = fused.left_inverse().unwrap();
    for index in (0..3).flat_map(|i| (0..4).map(move |j| [i, j])) {
        let place = fused.locate(&index).unwrap();
        let back = inverse.locate(&[place.get(A).unwrap()]).unwrap();
        assert_eq!([0, 1].map(|axis| back.get(Level::axis(axis)).unwrap()), index);
    }
}

#[test]
fn a_value_of_which_a_digit_is_lost_is_not_inverted() {
    let axes = Layout::builder().axis(3, [feed(3, 0, 4)]).axis(4, [feed(4, 0, 1)]);
    let lost = axes.derived(0, 12, [land(2, A, 1), land(6, A, 0)]).build().unwrap();
    assert_eq!(
        lost.right_inverse().unwrap_err().to_string(),
        "the layout cannot be inverted: derived axis 0 has a digit with stride 0, so its value is lost"
    );
    assert!(matches!(&lost.left_inverse(), Err(error) if error.kind() == ErrorKind::Collision));
}

#[test]
fn a_complement_needs_the_size_of_every_level_that_moves() {
    let spread = layout("((4_PE, 2:1))");
    assert_eq!(
        spread.complement(&[(A, 8)]).unwrap_err().to_string(),
        "the layout cannot be complemented in this space: the size of level `PE` is not given"
    );
    let rest = spread.complement(&[(A, 8), (Level::PE, 4)]).unwrap();
    assert_eq!(rest.elements(), 4);
    assert!(layout("((1_PE, 2:1))").complement(&[(A, 8)]).is_ok());
}

#[test]
fn a_division_and_a_product_are_refused_in_their_own_words() {
    let logical = Arrangement::Logical;
    let divided = layout("((4:1))")
        .as_function(IndexOrder::RowMajor)
        .divide_axes(&layout("((3:1))"), logical);
    assert_eq!(
        divided.unwrap_err().to_string(),
        "this tile cannot divide the layout: `Addr` has size 4, which is not a multiple of the 3 that it fills"
    );
    let multiplied = layout("(2:1, 2:3)").product(&layout("((2:1))"), logical);
    assert_eq!(
        multiplied.unwrap_err().to_string(),
        "the layout cannot be multiplied: in `Addr` a stride of 3 is not a multiple of 2, which the smaller strides fill"
    );
}

#[test]
fn an_order_that_is_refused_tells_the_axes_there_are() {
    let refused =
        |text: &str, order: &[usize]| layout(text).permute(order).unwrap_err().to_string();
    assert_eq!(
        refused("(2:3, 3:1)", &[0, 0]),
        "cannot edit the layout: 0,0 does not list each axis exactly once; a layout of rank 2 has the axes 0 to 1"
    );
    assert!(refused("(6:1)", &[]).contains("an empty order does not list each axis"));
    assert!(refused("(6:1)", &[1]).ends_with("a layout of rank 1 has only axis 0"));
    assert!(refused("()", &[0]).ends_with("a layout of rank 0 has no axes"));
}

#[test]
fn a_complement_leaves_out_what_copies_take_in_their_level_alone() {
    let twice = Layout::builder().axis(2, [land(2, A, 1)]).replica(2, A, 2).build().unwrap();
    assert_eq!(twice.complement(&[(A, 8)]).unwrap(), layout("((2:4))"));
    let elsewhere = layout("((2:1); B@[4_PE:1])").complement(&[(A, 8), (Level::PE, 4)]).unwrap();
    assert_eq!(elsewhere.shape(), [4, 1]);
}

#[test]
fn a_map_gives_an_index_and_nothing_else() {
    let f = layout("((4:1), (3:4))");
    let map = |levels: &[(u64, Level, u64)]| {
        let digits = levels.iter().map(|(size, level, stride)| land(*size, *level, *stride));
        Layout::builder().axis(4, digits).build().unwrap()
    };
    let copies = Layout::builder().axis(4, [land(4, A, 1)]).replica(2, A, 4).build().unwrap();
    assert!(is_of_copies(f.compose(&copies), A));
    let rows = map(&[(2, Level::axis(0), 2), (2, Level::axis(1), 1)]);
    assert_eq!(f.compose(&rows).unwrap().locate(&[3]).unwrap(), address(2 + 4));
    for (level, levels) in [
        (Level::axis(2), vec![(4, Level::axis(2), 1)]),
        (Level::PE, vec![(4, Level::PE, 1)]),
        (A, vec![(2, Level::axis(0), 1), (2, A, 1)]),
    ] {
        let refused = f.compose(&map(&levels));
        assert!(is_of_level(refused, level), "{levels:?}");
    }
    for name in ["i01", "i1x", "i"] {
        let level = Level::new(name).unwrap();
        let refused = f.compose(&map(&[(4, level, 1)]));
        assert!(is_of_level(refused, level), "{name}");
    }
}

#[test]
fn a_linear_index_counts_digits_of_one_value_as_nothing() {
    let two =
        Layout::builder().axis(2, [land(1, Level::axis(1), u64::MAX), land(2, Level::axis(0), 1)]);
    let linear = two
        .build()
        .unwrap()
        .as_function(tensor_layout::algebra::IndexOrder::RowMajor)
        .linearised(&[2, 3]);
    assert_eq!(linear.unwrap().locate(&[1]).unwrap(), address(3));
}

#[test]
fn a_linear_index_counts_from_where_the_map_begins() {
    use tensor_layout::algebra::IndexOrder;
    let f = layout("((5:2), (2:1))");
    let axes = || Layout::builder().axis(3, [land(3, Level::axis(0), 1)]);
    let axes = || axes().axis(2, [land(2, Level::axis(1), 1)]).offset(Level::axis(0), 2);
    let map = axes().build().unwrap();
    for order in [IndexOrder::RowMajor, IndexOrder::Colexicographic] {
        let linear = map.as_function(order).linearised(&f.shape()).unwrap();
        let through = f.as_function(order).compose_axes(&linear).unwrap();
        let direct = f.compose(&map).unwrap();
        for index in map.indexes() {
            assert_eq!(through.locate(&index), direct.locate(&index), "{index:?}");
        }
    }
    let copies = axes().replica(2, Level::axis(0), 1).build().unwrap();
    let refused = copies.as_function(IndexOrder::RowMajor).linearised(&[6, 2]);
    assert!(is_of_copies(refused, Level::axis(0)));
}

#[test]
fn a_projection_has_its_level_even_where_nothing_lands_there() {
    let projected = layout("((4_PE, 2:1))").project(Level::MAB);
    assert_eq!(projected.locate(&[5]).unwrap().get(Level::MAB), Some(0));
    let own = layout("((4_PE, 2:1))").project(Level::PE);
    assert_eq!(own.locate(&[5]).unwrap().get(Level::PE), Some(2));
}

#[test]
fn a_place_is_an_index_of_the_inverse_level_by_level() {
    let zed = Level::new("Zed").unwrap();
    let layout = Layout::builder().axis(3, [land(3, zed, 1)]).axis(4, [land(4, A, 2)]);
    let layout = layout.offset(Level::PE, 5).build().unwrap();
    let places = layout.places_as_indexes();
    assert_eq!(places.locate(&[2, 3]).unwrap().to_string(), "i0=5,i1=2,i2=6,Addr=0");
    assert_eq!(places.to_builder().build(), Ok(places));
    // As a map on its own, it does not name an axis.
    let inverse = self::layout("((3_PE, 4:1))").left_inverse().unwrap();
    let refused = inverse.compose(&self::layout("((3_PE, 4:1))"));
    assert!(is_of_level(refused, Level::PE));
}

#[test]
fn an_inverse_is_a_function_where_places_hold_nothing() {
    // Address 1 holds nothing, and maps to the same index as address 0.
    let inverse = layout("((3:2))").left_inverse().unwrap();
    assert!(inverse.collision().unwrap().is_some());
    let placement = Placement::of(inverse.clone()).build().unwrap();
    let index = |address| placement.locate(&[address]).unwrap().get(Level::axis(0));
    assert_eq!([0, 2, 4].map(index), [Some(0), Some(1), Some(2)]);
    let machine = "PE=4".parse().unwrap();
    assert!(Placement::of(inverse).on(&machine).build().is_err());
}

#[test]
fn a_linear_inverse_gives_the_index_of_every_copy() {
    let layout = layout("((4:4); B@[2_Addr:1])");
    let inverse = layout.as_function(IndexOrder::RowMajor).linear_left_inverse().unwrap();
    let held = |address| inverse.locate(&[address]).unwrap().get(A).unwrap();
    assert_eq!((0..4).map(held).collect::<Vec<_>>(), [0, 0, 8, 8]);
    assert_eq!((4..6).map(held).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn axes_without_elements_may_be_long_together() {
    let long = [1 << 40, 1 << 40, 0];
    let layout = layout("(0)/((2:1))").reshape(&long).unwrap();
    let shapes = |edited: Result<Layout, LayoutError>| edited.map(|edited| edited.shape());
    for order in [IndexOrder::RowMajor, IndexOrder::Colexicographic] {
        let flat = layout.as_function(order).flattened().unwrap();
        assert_eq!((flat.shape(), flat.slots()), (vec![0], 2));
        assert_eq!(shapes(layout.as_function(order).compose_axes(&flat)), Ok(vec![0]));
        assert_eq!(layout.as_function(order).contiguous_inverse().unwrap().elements(), 0);
        assert_eq!(layout.as_function(order).linear_left_inverse().unwrap().rank(), 1);
        let map = Layout::builder().axis(0, []).used(Level::axis(1)).build().unwrap();
        assert_eq!(shapes(map.as_function(order).linearised(&long)), Ok(vec![0]));
    }
    assert_eq!(shapes(layout.reshape(&[0, 1 << 50, 1 << 50])), Ok(vec![0, 1 << 50, 1 << 50]));
    assert_eq!(shapes(layout.permute(&[2, 0, 1])), Ok(vec![0, 1 << 40, 1 << 40]));
    assert_eq!(shapes(layout.slice(0, 3, 9, 2)), Ok(vec![3, 1 << 40, 0]));
    assert_eq!(shapes(layout.split_axis(0, &[1 << 20, 1 << 20])).unwrap().len(), 4);
    assert_eq!(shapes(layout.without_padding()), Ok(long.to_vec()));
    assert_eq!(shapes(layout.with_minimal_padding()), Ok(long.to_vec()));
    assert_eq!(layout.simplified().shape(), long);
    assert_eq!(layout.same_map(&layout.simplified()), Ok(None));
    assert_eq!(layout.pads(), Ok(2));
    assert!(layout.left_inverse().is_ok() && layout.canonical().is_ok());
    let placement = Placement::of(layout).build().unwrap();
    assert_eq!(placement.program().unwrap().elements(), 0);
}

#[test]
fn a_span_uses_its_level() {
    let spanned = |span| Layout::builder().axis(2, [land(2, A, 1)]).span(Level::PE, span);
    assert_eq!(spanned(3).build().unwrap().used_levels(), [Level::PE, A]);
    // Not more than the extent: nothing is rounded up.
    assert_eq!(spanned(1).build().unwrap().used_levels(), [A]);
    let machine = "PE=4".parse().unwrap();
    let copies = |span| {
        let placement = Placement::of(spanned(span).build().unwrap()).on(&machine).build();
        placement.unwrap().copies()
    };
    assert_eq!((copies(3), copies(1)), (1, 4));
}

#[test]
fn copies_that_coincide_are_one() {
    let plain = layout("((4:1))");
    let copied = |stride| plain.to_builder().replica(2, A, stride).build().unwrap();
    assert_eq!(CuteLayout::of(&copied(0)).unwrap().to_string(), "4:1");
    assert_eq!(Strided::of(&copied(0)).unwrap().to_string(), "shape=(4,), strides=(1,)");
    assert_eq!(copied(0).complement(&[(A, 8)]), plain.complement(&[(A, 8)]));
    assert_eq!(plain.compose(&copied(0)).unwrap(), plain);
    let modes = |mode: Layout| LinearFunction::by_modes(IndexOrder::RowMajor, &[mode]);
    assert_eq!(modes(copied(0)), modes(plain.clone()));
    // Copies that are apart are refused, or taken into account.
    assert!(CuteLayout::of(&copied(4)).is_err() && Strided::of(&copied(4)).is_err());
    assert!(is_of_copies(plain.compose(&copied(4)), A));
    assert!(is_of_copies(modes(copied(4)), A));
    assert_eq!(copied(4).complement(&[(A, 8)]).unwrap().elements(), 1);
}

/// True if the error is about the two copies of a map along a level.
fn is_of_copies(refused: Result<Layout, LayoutError>, level: Level) -> bool {
    let message =
        format!("the map has 2 copies along `{level}`; an index map gives each element one index");
    refused.is_err_and(|error| error.kind() == ErrorKind::Argument && error.to_string() == message)
}

/// True if the error is about a level of a map into a layout of rank 2.
fn is_of_level(refused: Result<Layout, LayoutError>, level: Level) -> bool {
    let message = format!(
        "level `{level}` cannot be used here: a map targets either `Addr` or the axes `i0` to `i1`"
    );
    refused.is_err_and(|error| error.kind() == ErrorKind::Argument && error.to_string() == message)
}
