//! Sums of independent choices, kept as the lists that they are sums of.
//!
//! ```text
//! (0 or 1) + (0 or 4) + (0 or 8)      three lists of two instead of one of eight
//! ```
//!
//! Equal lists share one number, which identifies them: products are compared by numbers, and a sum or a
//! split that was made before is looked up.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use indexmap::IndexSet;
use itertools::Itertools;

use super::numbered::{BothNumbers, Field, Rows, UnitNumber, sums};
use crate::error::LayoutError;
use crate::number::to_u64;
use crate::relayout::count::options::{Options, merge, spend};
use crate::relayout::pair::Role;

/// A list of sums, by its number.
pub(crate) type ListNumber = usize;

/// The list that adds nothing, in one way.
const NOTHING: ListNumber = 0;

/// The sums of one row of each list, each counted `ways` times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Product {
    pub(crate) ways: u128,
    /// Ascending.
    lists: Vec<ListNumber>,
}

impl Product {
    /// The product of no lists, counted `ways` times.
    pub(crate) fn of(ways: u128) -> Product {
        Product { ways, lists: Vec::new() }
    }
}

/// The values that a list has in a field, each with the rows that have it, less that value.
pub(crate) type ByValue = Rc<BTreeMap<UnitNumber, ListNumber>>;

/// All lists of a question.
pub(crate) struct Lists<'a> {
    /// Every list, with the bits in which any of its rows is not 0.
    all: IndexSet<(Rows, BothNumbers)>,
    sums: HashMap<(ListNumber, ListNumber), ListNumber>,
    by_value: HashMap<(ListNumber, Field, Role), ByValue>,
    pub(crate) budget: &'a mut u64,
}

impl<'a> Lists<'a> {
    pub(crate) fn new(budget: &'a mut u64) -> Lists<'a> {
        let nothing = (vec![(BothNumbers::default(), 1)], BothNumbers::default());
        let (sums, by_value) = (HashMap::new(), HashMap::new());
        Lists { all: IndexSet::from([nothing]), sums, by_value, budget }
    }

    /// Takes a list in, ascending and each sum once.
    fn take(&mut self, rows: Rows) -> ListNumber {
        let reach = reach(&rows);
        self.all.insert_full((rows, reach)).0
    }

    fn rows(&self, list: ListNumber) -> &Rows {
        &self.all[list].0
    }

    /// The amounts of some options, on both sides and in the target alone.
    pub(crate) fn of(
        &mut self,
        options: &Options<BothNumbers>,
    ) -> Result<(ListNumber, ListNumber), LayoutError> {
        let mut rows = sums(&self.rows(NOTHING).clone(), options, self.budget)?;
        let both = self.take(rows.clone());
        rows.iter_mut().for_each(|(row, _)| row.source = 0);
        merge(&mut rows);
        Ok((both, self.take(rows)))
    }

    /// A product with one more list.
    pub(crate) fn with(&self, product: &Product, list: ListNumber) -> Product {
        let mut product = product.clone();
        match self.rows(list)[..] {
            _ if product.ways == 0 => {}
            [(sum, ways)] if sum == BothNumbers::default() => product.ways *= ways,
            _ => {
                let at = product.lists.partition_point(|other| *other < list);
                product.lists.insert(at, list);
            }
        }
        product
    }

    /// All sums of two lists.
    fn both(&mut self, a: ListNumber, b: ListNumber) -> Result<ListNumber, LayoutError> {
        match (a, b) {
            (NOTHING, list) | (list, NOTHING) => return Ok(list),
            _ => {}
        }
        if let Some(list) = self.sums.get(&(a, b)) {
            return Ok(*list);
        }
        let others = Options::Listed(self.rows(b).clone());
        let rows = sums(&self.all[a].0, &others, self.budget)?;
        let list = self.take(rows);
        self.sums.insert((a, b), list);
        Ok(list)
    }

    /// Returns whether a list has anything in a field.
    fn adds(&self, list: ListNumber, field: Field, side: Role) -> bool {
        field.value(self.all[list].1.of(side)) > 0
    }

    /// Takes the lists that have anything in a field out of a product, as one list.
    pub(crate) fn gathered(
        &mut self,
        product: &Product,
        field: Field,
        side: Role,
    ) -> Result<(Product, ListNumber), LayoutError> {
        let (mut rest, mut gathered) = (Product::of(product.ways), NOTHING);
        for list in &product.lists {
            match self.adds(*list, field, side) {
                true => gathered = self.both(gathered, *list)?,
                false => rest.lists.push(*list),
            }
        }
        Ok((rest, gathered))
    }

    /// Splits a list by the values that it has in a field.
    pub(crate) fn by_value(
        &mut self,
        list: ListNumber,
        field: Field,
        side: Role,
    ) -> Result<ByValue, LayoutError> {
        if let Some(known) = self.by_value.get(&(list, field, side)) {
            return Ok(known.clone());
        }
        let mut values: BTreeMap<UnitNumber, Rows> = BTreeMap::new();
        spend(self.budget, to_u64(self.rows(list).len()))?;
        for (row, count) in self.rows(list) {
            let value = field.value(row.of(side));
            let row = row.less(side, field.number(value));
            values.entry(value).or_default().push((row, *count));
        }
        let values = values.into_iter().map(|(value, rows)| (value, self.take(rows)));
        let values: ByValue = Rc::new(values.collect());
        self.by_value.insert((list, field, side), values.clone());
        Ok(values)
    }

    /// A product with the sums of any of several pairs of lists.
    pub(crate) fn with_pairs(
        &mut self,
        product: &Product,
        pairs: &[(ListNumber, ListNumber)],
    ) -> Result<Product, LayoutError> {
        if pairs.is_empty() {
            return Ok(Product::of(0));
        }
        if let Ok(other) = pairs.iter().map(|(_, other)| *other).all_equal_value() {
            let list = self.union(pairs.iter().map(|(list, _)| *list));
            return Ok(self.with(&self.with(product, list), other));
        }
        let lists: Result<Vec<ListNumber>, LayoutError> =
            pairs.iter().map(|(a, b)| self.both(*a, *b)).collect();
        let list = self.union(lists?);
        Ok(self.with(product, list))
    }

    /// The rows of any of some lists.
    fn union(&mut self, lists: impl IntoIterator<Item = ListNumber>) -> ListNumber {
        let lists = lists.into_iter().collect_vec();
        if let [list] = lists[..] {
            return list;
        }
        let mut rows = lists.iter().flat_map(|list| self.rows(*list)).copied().collect();
        merge(&mut rows);
        self.take(rows)
    }
}

/// The bits in which some rows have anything.
pub(crate) fn reach(rows: &Rows) -> BothNumbers {
    rows.iter().fold(BothNumbers::default(), |reach, (row, _)| BothNumbers {
        target: reach.target | row.target,
        source: reach.source | row.source,
    })
}
