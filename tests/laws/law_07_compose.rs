//! Law 7: composition means applying one layout after the other.

use proptest::prelude::*;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::error::ErrorKind;
use tensor_layout::{LayoutError, Level, Location};

use crate::pairs::{Map, index_at, index_map, map_into, with_map};
use crate::run::{Tally, laws};
use crate::slow::{Axis, Replica, Slow, land};

laws! {
    composition_is_application_one_after_the_other: 900, 75 %, with_map(), composed;
    composition_is_associative: 500, 50 %, chain(), associative;
    the_identity_is_neutral_on_both_sides: 400, 75 %, with_map(), neutral;
}

const ORDERS: [IndexOrder; 2] = [IndexOrder::RowMajor, IndexOrder::Colexicographic];

/// The index of `f` that the map yields for each index; `None` if it is out of range.
pub(super) fn images(f: &[u64], map: &Map, order: IndexOrder) -> Vec<Option<Vec<u64>>> {
    let g = &map.slow;
    let at = |index: &Vec<u64>| index_at(f, &g.places(index)[0], map.is_linear(), order);
    g.indexes().iter().map(at).collect()
}

/// The refusal of a composition must be correct.
pub(super) fn judge(
    f: &[u64],
    map: &Map,
    order: IndexOrder,
    error: &LayoutError,
) -> Result<(), TestCaseError> {
    let g = &map.slow;
    let (level, copies) = (error.level("level"), error.number("copies"));
    match (error.kind(), level, copies) {
        (ErrorKind::OutsideDomain, ..) => {
            let axis =
                (0..f.len()).find(|axis| error.to_string().contains(&format!(" axis {axis},")));
            let (extent, reach) = (error.number("extent").unwrap(), error.number("reach").unwrap());
            let entry = |place: &Location| match axis {
                Some(axis) => place.get(Level::axis(axis)).unwrap_or(0),
                None => place.get(Level::ADDR).unwrap(),
            };
            let reached: Vec<u64> = g.indexes().iter().map(|i| entry(&g.places(i)[0])).collect();
            prop_assert_eq!(extent, axis.map_or_else(|| f.iter().product(), |axis| f[axis]));
            prop_assert!(reached.iter().any(|at| *at >= extent), "{}", error);
            prop_assert_eq!(reached.iter().max(), Some(&reach));
            prop_assert!(images(f, map, order).contains(&None));
        }
        (ErrorKind::Argument, Some(level), None) => {
            let is_axis = (0..f.len()).any(|axis| Level::axis(axis) == level);
            let lands = g.used().contains(&level) && (!is_axis && level != Level::ADDR);
            let both = level == Level::ADDR && g.used().len() > 1 && g.extent(level) > 1;
            prop_assert!(lands || both, "{}", error);
        }
        (ErrorKind::Argument, Some(level), Some(copies)) => {
            let replica = |replica: &Replica| replica.1 == level && replica.0 == copies;
            prop_assert!(copies > 1 && g.replicas.iter().any(replica), "{}", error);
        }
        _ => prop_assert!(false, "{}", error),
    }
    Ok(())
}

fn composed((f, map): &(Slow, Map), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (outer, g) = (f.layout(), map.slow.layout());
    for order in ORDERS {
        let composed = match tally.count(outer.as_function(order).compose_axes(&g)) {
            Ok(composed) => Slow::of(&composed),
            Err(error) => return judge(&f.shape(), map, order, &error),
        };
        let images = images(&f.shape(), map, order);
        prop_assert_eq!(composed.shape(), map.slow.shape());
        for (index, image) in map.slow.indexes().iter().zip(images) {
            let image = image.ok_or(TestCaseError::fail("answered though outside the domain"))?;
            prop_assert_eq!(composed.places(index), f.places(&image));
        }
        prop_assert_eq!(composed.used(), f.used());
        // Slots of the layout that the map does not reach become padding.
        let (before, after) = (f.contents(), composed.contents());
        prop_assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
        prop_assert!(f.used().into_iter().all(|level| composed.span(level) == f.span(level)));
        let rebuilt = outer.as_function(order).compose_axes(&g).unwrap().to_builder().build();
        prop_assert!(rebuilt.is_ok(), "{:?} breaks the invariants: {:?}", composed, rebuilt);
    }
    Ok(())
}

fn chain() -> impl Strategy<Value = (Slow, Map, Map)> {
    (with_map(), index_map())
        .prop_map(|((f, g), h)| {
            let h = map_into(&g.slow.shape(), &h);
            (f, g, h)
        })
        .prop_filter("refused", |(_, _, h)| h.slow.build().is_ok())
}

fn associative((f, g, h): &(Slow, Map, Map), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (outer, inner, first) = (f.layout(), g.slow.layout(), h.slow.layout());
    let order = IndexOrder::RowMajor;
    let left = outer.compose(&inner).and_then(|left| left.compose(&first));
    let left = match tally.count(left) {
        Ok(left) => left,
        Err(error) => {
            let inner_refused = outer.compose(&inner).is_err();
            let (shape, map) = if inner_refused { (f.shape(), g) } else { (g.slow.shape(), h) };
            return judge(&shape, map, order, &error);
        }
    };
    let right = tally.answer(inner.compose(&first).and_then(|right| outer.compose(&right)))?;
    let (left, right) = (Slow::of(&left), Slow::of(&right));
    prop_assert!(left.same_map(&right), "{:?} and {:?}", left, right);
    Ok(())
}

fn neutral((f, map): &(Slow, Map), tally: &mut Tally) -> Result<(), TestCaseError> {
    let identity = identity(&f.shape());
    if !f.axes.is_empty() {
        let after = tally.answer(f.layout().compose(&identity.layout()))?;
        prop_assert!(Slow::of(&after).same_map(f), "{:?}", after);
    }
    let g = &map.slow;
    match tally.count(identity.layout().compose(&g.layout())) {
        Err(error) => judge(&f.shape(), map, IndexOrder::RowMajor, &error)?,
        Ok(after) => {
            let images = images(&f.shape(), map, IndexOrder::RowMajor);
            for (index, image) in g.indexes().iter().zip(images) {
                let place = after.locate(index).unwrap();
                let found = (0..f.rank()).map(|axis| place.get(Level::axis(axis)).unwrap());
                prop_assert_eq!(Some(found.collect::<Vec<_>>()), image);
            }
        }
    }
    Ok(())
}

fn identity(shape: &[u64]) -> Slow {
    let axes = (0..)
        .zip(shape)
        .map(|(axis, extent)| Axis::new(*extent, [land((*extent).max(1), Level::axis(axis), 1)]));
    Slow { axes: axes.collect(), ..Slow::default() }
}
