//! Values brought into the layouts that operands want.

use crate::graph::no_elements;
use std::collections::HashSet;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use tensor_layout::relayout::{Relayout, Transfer};

use super::state::{State, Tamper};
use super::store::Store;
use crate::choices::Held;
use crate::graph::{Operation, ValueId};
use crate::plan::viewed;

impl State<'_, '_> {
    /// An operand in its layout, by the transfers that lead there.
    pub(super) fn switched(
        &mut self,
        operation: &Operation,
        (number, value): (usize, ValueId),
        wanted: &Held,
        tamper: &mut dyn Tamper,
    ) -> Result<Store, LayoutError> {
        let (root, views) = self.graph.root(value);
        let lost = || no_elements(self.graph.value(value).name.clone());
        let (store, choice) =
            self.stores.get(&root).zip(self.plan.choice(root)).ok_or_else(lost)?;
        let setting = self.plan.setting();
        let layout = viewed(&choice.result.layout, &views)?;
        let from = Held { layout, ..choice.result.clone() };
        let source = store.seen(&self.units, setting, &from)?;
        let mut target = Store::new(&self.units, setting, wanted)?;
        let relayout = Relayout::new(&setting.placed(&from)?, &setting.placed(wanted)?)?;
        let mut transfers: Vec<Transfer> = relayout.transfers()?.collect();
        tamper.transfers(&operation.name, number, &mut transfers);
        if from.memory == wanted.memory {
            target.cells.clone_from(&source.cells);
        }
        let entered = self.carry(&source, &mut target, &transfers);
        self.compare(operation, number, &from, wanted, &entered)?;
        target.numbers(&self.graph.value(value).name)?;
        Ok(target)
    }

    /// Carries out transfers: all read before any writes. Returns the elements that entered units, level by level.
    fn carry(&mut self, source: &Store, target: &mut Store, transfers: &[Transfer]) -> Vec<u64> {
        let levels = self.units.levels().to_vec();
        let mut entered: Vec<HashSet<(u64, u64)>> = vec![HashSet::new(); levels.len()];
        for transfer in transfers {
            let from = self.units.of(&transfer.source);
            for (step, element) in (transfer.element..)
                .take_while(|element| *element < transfer.element + transfer.length)
                .enumerate()
            {
                let step = u64::try_from(step).unwrap_or(u64::MAX);
                let Some(held) = source.cells.get(&(from, transfer.read.at(step))) else {
                    continue;
                };
                for destination in &transfer.destinations {
                    let to = self.units.of(destination);
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
        operation: &Operation,
        operand: usize,
        from: &Held,
        to: &Held,
        entered: &[u64],
    ) -> Result<(), LayoutError> {
        if from.memory != to.memory {
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
                    "`{operation}`: {found} elements of operand {operand} enter units of \
                     {level}, the price is for {priced}",
                    [
                        operation = operation.name.clone(),
                        found = *found,
                        operand,
                        level = level.to_string(),
                        priced = of.into
                    ]
                ));
            }
        }
        Ok(())
    }
}
