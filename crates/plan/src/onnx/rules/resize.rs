//! Images of other sizes.

use super::join::weighted;
use crate::graph::{Dtype, Index, Read, ValueId};
use crate::onnx::context::{Build, Node, Results, Rules, axis};
use crate::onnx::expression::{float, integer, signed, x};

pub(super) const RULES: Rules = &[("Resize", resize), ("Upsample", resize)];

/// An axis that is resized.
struct Axis {
    at: usize,
    from: u64,
    to: u64,
    scale: f64,
}

fn single(number: f64) -> f64 {
    Dtype::F32.round(number)
}

/// The greatest extent of an axis that is resized.
const LARGE: u64 = 1 << 16;

impl Axis {
    fn by_scale(at: usize, from: u64, scale: f64) -> Option<Axis> {
        let to = u64::try_from(integer(single(float(from) * scale).floor())).ok()?;
        Axis { at, from, to, scale }.bounded()
    }

    fn by_size(at: usize, from: u64, to: u64) -> Option<Axis> {
        Axis { at, from, to, scale: single(float(to) / float(from)) }.bounded()
    }

    fn bounded(self) -> Option<Axis> {
        let is_usual = |of: u64| (1..=LARGE).contains(&of);
        (self.is_same() || is_usual(self.from) && is_usual(self.to)).then_some(self)
    }

    fn is_same(&self) -> bool {
        self.from == self.to && (self.scale - 1.0).abs() == 0.0
    }

    /// Returns whether all weights fit in a constant.
    fn is_matrix(&self) -> bool {
        self.from * self.to <= 1 << 24
    }

    /// The coordinate in the value of an index of the result, with the rounding of single precision.
    fn coordinate(&self, mode: &str, index: u64) -> Option<f64> {
        let (at, scale) = (float(index), self.scale);
        let half = || single(single((at + 0.5) / scale) - 0.5);
        Some(match mode {
            "asymmetric" => single(at / scale),
            "half_pixel" => half(),
            "pytorch_half_pixel" if self.to > 1 => half(),
            "pytorch_half_pixel" => 0.0,
            "align_corners" if self.to == 1 => 0.0,
            "align_corners" => single(at * float(self.from - 1) / float(self.to - 1)),
            "half_pixel_symmetric" => {
                let adjustment = single(float(self.to) / single(scale * float(self.from)));
                let offset = single(float(self.from) / 2.0 * single(1.0 - adjustment));
                single(single(offset + single((at + 0.5) / scale)) - 0.5)
            }
            _ => return None,
        })
    }

    /// The nearest index of the value for each index of the result.
    fn nearest(&self, node: &Node<'_>, mode: &str) -> Option<Vec<i64>> {
        let usual = if node.kind == "Upsample" || node.opset < 11 {
            "simple"
        } else {
            "round_prefer_floor"
        };
        let rounding = node.text("nearest_mode").unwrap_or(usual);
        let last = signed(self.from - 1);
        let of = |index: u64| {
            let place = self.coordinate(mode, index)?;
            Some(integer(rounded(rounding, place, self.scale)?).clamp(0, last))
        };
        (0..self.to).map(of).collect()
    }
}

fn rounded(mode: &str, place: f64, scale: f64) -> Option<f64> {
    Some(match mode {
        "floor" => place.floor(),
        "ceil" => place.ceil(),
        "round_prefer_floor" => (place - 0.5).ceil(),
        "round_prefer_ceil" => (place + 0.5).floor(),
        "simple" if scale < 1.0 => place.ceil(),
        "simple" => place.floor(),
        _ => return None,
    })
}

/// The axes of a node: by sizes, or by scales.
fn sizes(build: &Build, node: &Node<'_>) -> Option<Vec<Axis>> {
    let shape = build.shape(node.input(0)?);
    let at = match node.ints("axes").filter(|axes| !axes.is_empty()) {
        Some(axes) => axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<Vec<_>>>()?,
        None => (0..shape.len()).collect(),
    };
    let sizes = node.input(3).filter(|id| !build.shape(*id).contains(&0));
    if let Some(sizes) = sizes {
        let is_stretched = node.text("keep_aspect_ratio_policy").unwrap_or("stretch") == "stretch";
        let sizes = crate::onnx::tensor::counts(&build.integers(sizes)?)?;
        let each = at.iter().zip(&sizes).map(|(at, size)| Axis::by_size(*at, shape[*at], *size));
        return each
            .collect::<Option<Vec<_>>>()
            .filter(|_| is_stretched && sizes.len() == at.len());
    }
    let input = if node.kind == "Upsample" || node.opset < 11 { 1 } else { 2 };
    let scales = match node.input(input) {
        Some(id) => build.numbers(id)?,
        None => node.floats("scales")?,
    };
    let each = at.iter().zip(&scales).map(|(at, by)| Axis::by_scale(*at, shape[*at], *by));
    each.collect::<Option<Vec<_>>>().filter(|_| scales.len() == at.len())
}

fn resize(build: &mut Build, node: &Node<'_>) -> Results {
    let of = node.input(0)?;
    let mut axes = sizes(build, node)?;
    axes.retain(|axis| !axis.is_same());
    let is_old = node.kind == "Upsample" || node.opset < 11;
    let usual = if is_old { "asymmetric" } else { "half_pixel" };
    let coordinates = node.text("coordinate_transformation_mode").unwrap_or(usual);
    if node.flag("antialias") {
        return None;
    }
    match node.text("mode").unwrap_or("nearest") {
        "nearest" => Some(vec![nearest(build, node, of, (&axes, coordinates))?]),
        mode => {
            let dtype = build.dtype(of);
            // Integers are rounded once, not after each axis.
            let is_cast = !dtype.is_float() && !axes.is_empty();
            let mut result = match is_cast {
                true => build.pointwise("float", Dtype::F32, &[of], x(0))?,
                false => of,
            };
            for axis in &axes {
                let weights = axis.weights(node, mode, coordinates)?;
                result = by_weights(build, result, axis, weights)?;
            }
            if is_cast {
                result = build.pointwise("", dtype, &[result], x(0))?;
            }
            Some(vec![result])
        }
    }
}

/// One copy for all axes whose indexes are a fraction rounded down; the others by weights.
fn nearest(
    build: &mut Build,
    node: &Node<'_>,
    of: ValueId,
    (axes, coordinates): (&[Axis], &str),
) -> Option<ValueId> {
    let mut shape = build.shape(of).to_vec();
    let mut index: Vec<Index> = (0..shape.len()).map(Index::of).collect();
    let mut left = Vec::new();
    for axis in axes {
        let table = axis.nearest(node, coordinates)?;
        match affine(axis, &table) {
            None => left.push((axis, table)),
            Some(along) => {
                shape[axis.at] = axis.to;
                index[axis.at] = along;
            }
        }
    }
    let mut result = of;
    if left.len() < axes.len() {
        let reads = vec![Read { value: of, index, outside: 0.0 }];
        result = build.copy("", (shape, build.dtype(of)), reads, x(0))?;
    }
    for (axis, table) in left {
        axis.is_matrix().then_some(())?;
        let mut weights = vec![vec![0.0; usize::try_from(axis.from).ok()?]; table.len()];
        for (row, place) in weights.iter_mut().zip(table) {
            row[usize::try_from(place).ok()?] = 1.0;
        }
        result = by_weights(build, result, axis, weights)?;
    }
    Some(result)
}

/// The table as a fraction of the index, rounded down.
fn affine(axis: &Axis, table: &[i64]) -> Option<Index> {
    let (from, to) = (signed(axis.from), signed(axis.to));
    let common = greatest_divisor(from, to);
    let (by, divisor) = (from / common, to / common);
    let places = || (0_i64..).zip(table);
    let fits = |by: i64, offset: i64, divisor: i64| {
        places().all(|(at, place)| (by * at + offset).div_euclid(divisor) == *place)
    };
    [1, 2].into_iter().find_map(|factor| {
        let (by, divisor) = (by * factor, divisor * factor);
        let offset = (-divisor..=divisor + by).find(|offset| fits(by, *offset, divisor))?;
        Some(Index { divisor, ..Index::sum([(axis.at, by)], offset) })
    })
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { greatest_divisor(b, a % b) }
}

fn by_weights(
    build: &mut Build,
    of: ValueId,
    axis: &Axis,
    weights: Vec<Vec<f64>>,
) -> Option<ValueId> {
    let name = format!("axis{}", axis.at);
    let dtype = build.dtype(of);
    let shape = (vec![axis.to, axis.from], dtype);
    let weights = build.constant(&format!("{name}/weights"), shape, weights.concat());
    weighted(build, &name, of, (axis.at, weights))
}

impl Axis {
    /// The weights of the elements of the value, for each index of the result.
    fn weights(&self, node: &Node<'_>, mode: &str, coordinates: &str) -> Option<Vec<Vec<f64>>> {
        self.is_matrix().then_some(())?;
        let of = |index: u64| {
            let place = self.coordinate(coordinates, index)?;
            match mode {
                "linear" | "bilinear" => self.row(&linear(place.clamp(0.0, float(self.from - 1)))),
                "cubic" => self.cubic(node, place),
                _ => None,
            }
        };
        (0..self.to).map(of).collect()
    }

    /// The weights of all elements by those of some; what is outside counts for the border.
    fn row(&self, taps: &[(i64, f64)]) -> Option<Vec<f64>> {
        let mut row = vec![0.0; usize::try_from(self.from).ok()?];
        for (at, weight) in taps {
            row[usize::try_from((*at).clamp(0, signed(self.from - 1))).ok()?] += weight;
        }
        Some(row)
    }

    fn cubic(&self, node: &Node<'_>, place: f64) -> Option<Vec<f64>> {
        let mut taps = cubic(place, node.float_or("cubic_coeff_a", -0.75));
        if node.flag("exclude_outside") {
            taps.retain(|(at, _)| (0..signed(self.from)).contains(at));
            let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
            taps.iter_mut().for_each(|(_, weight)| *weight /= sum);
        }
        self.row(&taps)
    }
}

fn linear(place: f64) -> [(i64, f64); 2] {
    let (first, after) = (integer(place.floor()), place - place.floor());
    [(first, 1.0 - after), (first + 1, after)]
}

fn cubic(place: f64, a: f64) -> Vec<(i64, f64)> {
    let first = place.floor();
    let near = |d: f64| ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    let far = |d: f64| ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a;
    let weight = |at: f64| {
        let distance = (place - at).abs();
        if distance <= 1.0 { near(distance) } else { far(distance) }
    };
    let places = [first - 1.0, first, first + 1.0, first + 2.0];
    places.into_iter().map(|at| (integer(at), weight(at))).collect()
}
