//! Values brought into the layouts that operands want.

use std::collections::HashSet;

use tensor_layout::error::fault;
use tensor_layout::relayout::{Relayout, Transfer};
use tensor_layout::{LayoutError, Location};

use super::state::{State, Tamper};
use super::store::{Store, Units};
use crate::choices::Held;
use crate::graph::{Operation, ValueId, no_elements};

/// A switch: the operation that reads the value as an operand, or the value itself for all that read it.
#[derive(Clone, Copy)]
struct Switch<'s> {
    reader: &'s str,
    operand: Option<usize>,
    value: ValueId,
}

impl State<'_, '_> {
    /// An operand in its layout.
    pub(super) fn operand(
        &mut self,
        operation: &Operation,
        (number, value): (usize, ValueId),
        wanted: &Held,
        tamper: &mut dyn Tamper,
    ) -> Result<Store, LayoutError> {
        let (root, views) = self.graph.root(value);
        let lost = || no_elements(self.graph.value(value).name.clone());
        let (store, kept) = self.stores.get(&root).zip(self.plan.kept(root)).ok_or_else(lost)?;
        let from = kept.viewed(&views)?;
        let source = store.seen(&self.units, self.plan.setting(), &from)?;
        let switch = Switch { reader: &operation.name, operand: Some(number), value };
        self.switched(switch, (&source, &from), wanted, tamper)
    }

    /// Keeps a value in the layout that its readers find it in.
    pub(super) fn keep(
        &mut self,
        value: ValueId,
        store: Store,
        tamper: &mut dyn Tamper,
    ) -> Result<(), LayoutError> {
        let (own, kept) = (self.plan.choice(value), self.plan.kept(value));
        let other = own.zip(kept).filter(|(own, kept)| !own.result.is_at(kept));
        let kept = match other {
            None => store,
            Some((own, kept)) => {
                let reader = &self.graph.value(value).name;
                let switch = Switch { reader, operand: None, value };
                self.switched(switch, (&store, &own.result), kept, tamper)?
            }
        };
        self.stores.insert(value, kept);
        Ok(())
    }

    /// A value in another layout, by the transfers that lead there.
    fn switched(
        &mut self,
        switch: Switch<'_>,
        (source, from): (&Store, &Held),
        wanted: &Held,
        tamper: &mut dyn Tamper,
    ) -> Result<Store, LayoutError> {
        let setting = self.plan.setting();
        let mut target = Store::new(&self.units, setting, wanted)?;
        let relayout = Relayout::new(&setting.placed(from)?, &setting.placed(wanted)?)?;
        let mut transfers: Vec<Transfer> = relayout.transfers()?.collect();
        tamper.transfers(switch.reader, switch.operand, &mut transfers);
        if from.memory == wanted.memory {
            target.take_in_place(&self.units, source);
        }
        let sliced = [from.is_sliced(), wanted.is_sliced()];
        let entered = self.carry(source, &mut target, &transfers, sliced);
        self.compare(switch, from, wanted, &entered)?;
        target.numbers(&self.graph.value(switch.value).name)?;
        Ok(target)
    }

    /// Carries out transfers: all read before any writes. Returns the elements that entered units, level by level.
    fn carry(
        &mut self,
        source: &Store,
        target: &mut Store,
        transfers: &[Transfer],
        sliced: [bool; 2],
    ) -> Vec<u64> {
        let unit = |units: &Units, place: &Location, sliced: bool| {
            if sliced { units.of(place) } else { units.leaf(place) }
        };
        let levels = self.units.levels().to_vec();
        let mut entered: Vec<HashSet<(u64, u64)>> = vec![HashSet::new(); levels.len()];
        for transfer in transfers {
            let from = unit(&self.units, &transfer.source, sliced[0]);
            for (step, element) in (transfer.element..)
                .take_while(|element| *element < transfer.element + transfer.length)
                .enumerate()
            {
                let step = u64::try_from(step).unwrap_or(u64::MAX);
                let Some(held) = source.cells.get(&(from, transfer.read.at(step))) else {
                    continue;
                };
                for destination in &transfer.destinations {
                    let to = unit(&self.units, destination, sliced[1]);
                    target.cells.insert((to, transfer.write.at(step)), *held);
                    self.counts.transferred += 1;
                    for ((_, weight), entered) in levels.iter().zip(&mut entered) {
                        if from / weight != to / weight {
                            entered.insert((to / weight, element));
                        }
                    }
                }
            }
        }
        entered.into_iter().map(|all| u64::try_from(all.len()).unwrap_or(u64::MAX)).collect()
    }

    /// Compares what entered with what the plan has priced, where both are in memories of leaves.
    fn compare(
        &self,
        switch: Switch<'_>,
        from: &Held,
        to: &Held,
        entered: &[u64],
    ) -> Result<(), LayoutError> {
        // In slices, what enters again counts again.
        if from.memory != to.memory || from.is_sliced() || to.is_sliced() {
            return Ok(());
        }
        let setting = self.plan.setting();
        let part = |held: &Held| setting.pricer().part(&setting.placed(held)?);
        let priced = setting.pricer().traffic(part(from)?, part(to)?)?;
        for ((level, _), found) in self.units.levels().iter().zip(entered) {
            let Some(of) = priced.iter().find(|of| of.level == *level) else { continue };
            if of.into != *found {
                return Err(fault!(
                    Invalid,
                    "`{operation}`: {found} elements of `{value}` enter units of {level}, the price \
                     is for {priced}",
                    [
                        operation = switch.reader.to_owned(),
                        found = *found,
                        value = self.graph.value(switch.value).name.clone(),
                        level = level.to_string(),
                        priced = of.into
                    ]
                ));
            }
        }
        Ok(())
    }
}
