//! How many solutions equations have at most, without looking for them.
//!
//! ```text
//! a + 7 b - c = 0,  c - 3 d = 0        a, b, c, d below 7, 9, 63, 21: at most 7 x 9 solutions
//!
//! given a and b the first leaves one c, given c the second leaves one d
//! ```
//!
//! A digit in an equation has one value once the others have theirs. So equations are taken one after
//! the other, each with a digit that those before it do not have: the digits that remain free multiply.
//! A value that both sides split in their own way may bring several equations at once; it takes as many
//! values as agree with all the digits that are then given.

use super::system::{Addition, Column, System};

/// A digit or a table, with the equations that it is to solve, and how many values are left to it.
struct Pivot {
    equations: Vec<usize>,
    options: u64,
    left: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Unknown(usize),
    Column(usize),
}

impl System {
    /// No fewer than [`count`](System::count).
    pub(super) fn count_at_most(&self) -> u128 {
        if self.impossible {
            return 0;
        }
        let unknowns = self.unknowns.iter().flatten().map(|unknown| unknown.size);
        let columns = self.columns.iter().map(|listed| listed.column.options());
        let all = unknowns.chain(columns);
        let mut most = all.fold(1_u128, |all, options| all.saturating_mul(u128::from(options)));
        let (mut open, mut solved) = (self.kept.clone(), Vec::new());
        while let Some(pivot) = self.best(&open, &solved) {
            most = most / u128::from(pivot.options) * u128::from(pivot.left);
            open.retain(|equation| !pivot.equations.contains(equation));
            solved.extend(pivot.equations);
        }
        most
    }

    /// What saves most among the members that no solved equation has.
    fn best(&self, open: &[usize], solved: &[usize]) -> Option<Pivot> {
        let members = (0..self.unknowns.len())
            .map(Member::Unknown)
            .chain((0..self.columns.len()).map(Member::Column));
        let fresh = members.filter(|member| !solved.iter().any(|of| self.has(*member, *of)));
        let pivots = fresh.filter_map(|member| self.pivot(member, open));
        let saves = |pivot: &Pivot| pivot.options / pivot.left.max(1);
        pivots.filter(|pivot| pivot.left < pivot.options).max_by_key(saves)
    }

    fn has(&self, member: Member, equation: usize) -> bool {
        match member {
            Member::Unknown(number) => self.members[equation].contains(&number),
            Member::Column(number) => self.columns[number].touches(equation),
        }
    }

    fn pivot(&self, member: Member, open: &[usize]) -> Option<Pivot> {
        let equations = open.iter().copied().filter(|of| self.has(member, *of));
        match member {
            Member::Unknown(number) => {
                let options = self.unknowns[number].as_ref()?.size;
                // The equation with the fewest others, which it shuts out.
                let only = equations.min_by_key(|of| self.members[*of].len())?;
                Some(Pivot { equations: vec![only], options, left: 1 })
            }
            Member::Column(number) => {
                let column = &self.columns[number].column;
                let equations: Vec<usize> = equations.filter(|of| column.is_told(*of)).collect();
                let left = column.values_at_most(&equations);
                Some(Pivot { equations, options: column.options(), left })
            }
        }
    }
}

impl Column {
    /// Whether what it adds to an equation tells a digit of the value.
    fn is_told(&self, equation: usize) -> bool {
        let Column::Split { sides, .. } = self else { return true };
        let adds =
            |turn: &&Addition| turn.step.is_some_and(|(of, step)| of == equation && step != 0);
        sides.iter().flatten().filter(adds).count() == 1
    }

    /// How many values add the same to some equations, at most.
    fn values_at_most(&self, equations: &[usize]) -> u64 {
        match self {
            Column::Split { options, sides } => {
                let given = |turn: &&Addition| {
                    let step = turn.step.filter(|(_, step)| *step != 0);
                    step.is_some_and(|(equation, _)| equations.contains(&equation))
                };
                agreeing(*options, sides.iter().flatten().filter(given).collect())
            }
            Column::Listed(rows) => {
                let added = |row: &Vec<i128>| -> Vec<i128> {
                    equations.iter().map(|equation| row[*equation]).collect()
                };
                let mut all: Vec<Vec<i128>> = rows.iter().map(added).collect();
                all.sort_unstable();
                let most = all.chunk_by(|a, b| a == b).map(<[_]>::len).max();
                u64::try_from(most.unwrap_or(0)).unwrap_or(u64::MAX)
            }
        }
    }
}

/// How many values below `options` have some given digits, at most: of each digit the runs of values
/// that have it, from the major-most down, and what is left of the shortest run.
fn agreeing(options: u64, mut turns: Vec<&Addition>) -> u64 {
    turns.sort_by_key(|turn| std::cmp::Reverse(turn.place));
    let (mut runs, mut length, mut start_divides) = (1_u64, options, u64::MAX);
    for turn in turns {
        let period = turn.place.saturating_mul(turn.size);
        // A run that starts at a multiple of the period meets no more than its length holds.
        let is_even = start_divides == u64::MAX || start_divides.is_multiple_of(period);
        let reach = if is_even { length - 1 } else { length - 1 + turn.place - 1 };
        runs = runs.saturating_mul(reach / period + 1);
        start_divides = if is_even || length >= turn.place { turn.place } else { 1 };
        length = length.min(turn.place);
    }
    runs.saturating_mul(length)
}
