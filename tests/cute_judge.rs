//! Random pairs of CuTe layouts, and their oracle, which uses only values.

use itertools::Itertools;
use tensor_layout::Layout;
use tensor_layout::notation::{CuteLayout, CuteMode};

/// A random number generator with the same numbers at every run (Marsaglia's xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// A layout as (extent, stride) leaves per mode, fastest first.
pub(crate) type Modes = Vec<Vec<(u64, u64)>>;

pub(crate) fn modes(random: &mut Random, most: u64, strides: &[u64]) -> Modes {
    let leaf = |random: &mut Random| {
        let extent = 1 + random.below(most);
        (extent, strides[random.below(strides.len() as u64) as usize])
    };
    let mode = |random: &mut Random| (0..1 + random.below(3) / 2).map(|_| leaf(random)).collect();
    (0..1 + random.below(3)).map(|_| mode(random)).collect()
}

/// Makes the layout compact: strides without gaps, in a random order of the leaves.
pub(crate) fn compact(random: &mut Random, modes: &mut Modes) {
    let mut leaves = modes.iter_mut().flatten().collect_vec();
    let mut stride = 1;
    while !leaves.is_empty() {
        let at = random.below(leaves.len() as u64) as usize;
        let leaf = leaves.remove(at);
        leaf.1 = stride;
        stride *= leaf.0;
    }
}

pub(crate) fn text(modes: &Modes) -> String {
    let part = |leaf: fn(&(u64, u64)) -> u64| {
        let mode = |mode: &Vec<(u64, u64)>| match &mode[..] {
            [one] => leaf(one).to_string(),
            leaves => format!("({})", leaves.iter().map(leaf).join(",")),
        };
        match &modes[..] {
            [one] if one.len() == 1 => mode(one),
            modes => format!("({})", modes.iter().map(mode).join(",")),
        }
    };
    format!("{}:{}", part(|leaf| leaf.0), part(|leaf| leaf.1))
}

pub(crate) fn size(modes: &Modes) -> u64 {
    modes.iter().flatten().map(|(extent, _)| extent).product()
}

/// The value at a linear index; the first leaf is the fastest.
pub(crate) fn value(leaves: &[(u64, u64)], mut number: u64) -> u64 {
    let mut sum = 0;
    for (extent, stride) in leaves {
        sum += number % extent * stride;
        number /= extent;
    }
    sum
}

pub(crate) fn values(modes: &Modes) -> Vec<u64> {
    let leaves = modes.concat();
    (0..size(modes)).map(|number| value(&leaves, number)).collect()
}

/// The leaves of a printed layout, mode by mode; a single mode is written without its bracket.
pub(crate) fn read(text: &str, rank: usize) -> Modes {
    let layout: CuteLayout = text.parse().unwrap();
    match rank {
        1 => vec![steps(&layout.mode)],
        _ => layout.axes().iter().map(steps).collect(),
    }
}

/// Extents and plain strides.
fn steps(mode: &CuteMode) -> Vec<(u64, u64)> {
    mode.leaves().into_iter().map(|(extent, stride)| (extent, stride.step)).collect()
}

/// True if some `shape:stride` has these values for one mode: tries every first extent.
pub(crate) fn is_plain(values: &[u64]) -> bool {
    let n = values.len();
    let linear = |first: usize| {
        let step = values[1].checked_sub(values[0]);
        step.is_some_and(|step| {
            let at = |i: usize| values[0] + i as u64 * step;
            (0..first).all(|i| values[i] == at(i))
        })
    };
    let repeats = |first: usize| {
        let rest = values.iter().step_by(first).copied().collect_vec();
        let same = (0..n).all(|i| values[i] + values[0] == values[i % first] + rest[i / first]);
        same && is_plain(&rest)
    };
    n <= 1 || (2..=n).any(|first| n.is_multiple_of(first) && linear(first) && repeats(first))
}

/// True if some layout with modes of these sizes has these values: a sum of one plain function per mode.
pub(crate) fn exists(sizes: &[u64], values: &[u64]) -> bool {
    let weights = sizes.iter().scan(1, |weight, size| {
        let own = *weight;
        *weight *= size;
        Some(own)
    });
    let weights = weights.collect_vec();
    let of = |mode: usize, entry: u64| values[(entry * weights[mode]) as usize];
    let is_sum = (0..values.len() as u64).all(|number| {
        let entries = sizes.iter().zip(&weights).map(|(size, weight)| number / weight % size);
        let sum: u64 = entries.enumerate().map(|(mode, entry)| of(mode, entry)).sum();
        sum == values[number as usize] + (sizes.len() as u64 - 1) * values[0]
    });
    let plain =
        |mode: usize| is_plain(&(0..sizes[mode]).map(|entry| of(mode, entry)).collect_vec());
    values[0] == 0 && is_sum && (0..sizes.len()).all(plain)
}

/// A pair whose composition is defined: the values of the inner layout are indexes of the outer one.
pub(crate) fn pair(random: &mut Random) -> (Modes, Modes) {
    loop {
        let mut outer = modes(random, 6, &[0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 59]);
        if random.below(2) == 0 {
            compact(random, &mut outer);
        }
        let inner = modes(random, 6, &[0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12]);
        if values(&inner).iter().all(|number| *number < size(&outer)) {
            return (outer, inner);
        }
    }
}

pub(crate) fn lower(modes: &Modes) -> Layout {
    text(modes).parse::<CuteLayout>().unwrap().lower().unwrap()
}

pub(crate) fn composed_values(outer: &Modes, inner: &Modes) -> Vec<u64> {
    let leaves = outer.concat();
    values(inner).into_iter().map(|number| value(&leaves, number)).collect()
}

pub(crate) fn sizes(modes: &Modes) -> Vec<u64> {
    modes.iter().map(|mode| mode.iter().map(|(extent, _)| extent).product()).collect()
}

/// A printed layout must have these values; nothing may be printed only if no layout has them.
pub(crate) fn judge_composition(outer: &Modes, inner: &Modes, printed: Option<&str>) -> bool {
    let wanted = composed_values(outer, inner);
    let exists = exists(&sizes(inner), &wanted);
    let name = || format!("{} o {}: {printed:?}", text(outer), text(inner));
    assert_eq!(printed.is_some(), exists, "{}", name());
    if let Some(printed) = printed {
        let found = read(printed, inner.len());
        assert_eq!((values(&found), sizes(&found)), (wanted, sizes(inner)), "{}", name());
    }
    exists
}

/// Checks `f(g(a)) = a` for every a that the inverse covers, starting from 0.
pub(crate) fn judge_inverse(layout: &Modes, printed: &str) -> u64 {
    let (f, g) = (values(layout), values(&read(printed, 1)));
    for (address, number) in (0..).zip(&g) {
        assert_eq!(f.get(*number as usize), Some(&address), "{}: {printed}", text(layout));
    }
    g.len() as u64
}
