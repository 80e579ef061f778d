//! `edit`: the steps in the order of the command line, each one library call.

use clap::{ArgMatches, Args as ClapArgs};
use tensor_layout::algebra::{Arrangement, IndexOrder, Subaxis};
use tensor_layout::error::Site;
use tensor_layout::notation::{CuteLayout, CuteMode, CuteTiler, Notation};
use tensor_layout::{Layout, LayoutError, LayoutText, Level};

use super::convert::{check_width, dtype};
use super::failure::Failure;
use super::input::{Form, NotationArg, Reading, axis_number, location, numbers};
use super::output::print_layout;

/// Change a layout, step by step in the order given, and print the new one.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
CuTe layouts are composed, inverted, divided and multiplied as CuTe does: as
functions of their colexicographic linear index. Elsewhere B lands in the axes
i0, i1, .. of LAYOUT, or in Addr, its row-major linear index.

Examples:
  tensor-layout edit '((4_PE, 3:8), (8:1))' --permute 1,0 --reshape 96
  tensor-layout edit '((), (2_Time:1), (), (8:1))' --drop 0 --broadcast 1=6_Time
  tensor-layout edit '(6,2):(8,2)' --compose '(4,3):(3,1)'")]
pub(super) struct Edit {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    reading: Reading,
    /// The notation to write, if not that of LAYOUT.
    #[arg(long, value_enum, help_heading = "Output")]
    to: Option<NotationArg>,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    steps: Steps,
}

// The steps of an edit (a doc comment would become the help of `edit`); their order is read off the command line.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Steps, applied in the order given")]
struct Steps {
    /// Reorder the axes, as NumPy's transpose.
    #[arg(long, value_name = "K,L,..")]
    permute: Vec<String>,
    /// Insert a unit axis in front of axis K.
    #[arg(long, value_name = "K")]
    insert: Vec<String>,
    /// Drop unit axis K.
    #[arg(long, value_name = "K")]
    drop: Vec<String>,
    /// Split axis K.
    #[arg(long, value_name = "K=N,M,..")]
    split: Vec<String>,
    /// Merge COUNT axes from axis K on.
    #[arg(long, value_name = "K=COUNT")]
    merge: Vec<String>,
    /// Give the tensor another shape with as many elements; one extent may be -1.
    #[arg(long, value_name = "N,M,..", allow_hyphen_values = true)]
    reshape: Vec<String>,
    /// Keep every STEP-th index of axis K; bounds as in Python.
    #[arg(long, value_name = "K=START:STOP[:STEP]")]
    slice: Vec<String>,
    /// Expand unit axis K to N along a level.
    #[arg(long, value_name = "K=N_LEVEL")]
    broadcast: Vec<String>,
    /// Repeat axis K N times, along a level (by default Addr).
    #[arg(long, value_name = "K=N[_LEVEL]")]
    tile: Vec<String>,
    /// Enlarge the tensor to a shape; elements stay in their places.
    #[arg(long, value_name = "N,M,..")]
    pad: Vec<String>,
    /// Cut padding that units do not need.
    #[arg(long, num_args = 0, default_missing_value = "")]
    minimal_padding: Vec<String>,
    /// Compose: LAYOUT after B, or mode by mode after those of a tiler <B, C>.
    #[arg(long, value_name = "B|<B,C>")]
    compose: Vec<String>,
    /// Invert the layout: from a place to the index.
    #[arg(long, value_name = "left|right")]
    inverse: Vec<String>,
    /// The complement: the layout of what this one leaves free in a space (by default the smallest
    /// possible one).
    #[arg(long, value_name = "N|LEVEL=N,..", num_args = 0..=1, default_missing_value = "")]
    complement: Vec<String>,
    /// The complement in a space that is rounded up to what the layout fills, as CuTe does.
    #[arg(long, value_name = "N|LEVEL=N,..")]
    complement_rounded: Vec<String>,
    /// Divide into tiles B, or mode by mode into those of a tiler <B, C>.
    #[arg(long, value_name = "B|<B,C>")]
    divide: Vec<String>,
    /// The same; all tile axes first, as one CuTe mode, then all others as one.
    #[arg(long, value_name = "B|<B,C>")]
    zipped_divide: Vec<String>,
    /// The same; the tile axes as one CuTe mode, then the others.
    #[arg(long, value_name = "B|<B,C>")]
    tiled_divide: Vec<String>,
    /// The same; the tile axes, then the others.
    #[arg(long, value_name = "B|<B,C>")]
    flat_divide: Vec<String>,
    /// Multiply by the pattern B.
    #[arg(long, value_name = "B")]
    product: Vec<String>,
    /// Keep the elements that have these coordinates.
    #[arg(long, value_name = "LEVEL=N,..")]
    restrict: Vec<String>,
    /// Keep only the coordinates in one level.
    #[arg(long, value_name = "LEVEL")]
    project: Vec<String>,
}

/// The names of the steps, as clap knows them.
const STEPS: [&str; 22] = [
    "permute",
    "insert",
    "drop",
    "split",
    "merge",
    "reshape",
    "slice",
    "broadcast",
    "tile",
    "pad",
    "minimal_padding",
    "compose",
    "inverse",
    "complement",
    "complement_rounded",
    "divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "product",
    "restrict",
    "project",
];

impl Edit {
    pub(super) fn run(&self, matches: Option<&ArgMatches>) -> Result<(), Failure> {
        let syntax = self.reading.read(&self.layout)?;
        let mut editor = Editor {
            layout: syntax.lower()?,
            order: syntax.index_order(),
            notation: syntax.notation(),
            lenient: self.reading.is_lenient(),
        };
        for (name, value) in matches.map(steps).unwrap_or_default() {
            editor.step(name, value)?;
        }
        let to = self.to.map_or(syntax.notation(), Notation::from);
        check_width(&syntax, to)?;
        print_layout(
            syntax.write_edited(&editor.layout, to, dtype(None, &syntax)?),
            &syntax,
            to,
            self.form,
        )
    }
}

/// One step of a layout that reads no other layout, and the new one in its notation.
pub(super) fn edited(syntax: &LayoutText, name: &str, value: &str) -> Result<String, Failure> {
    let reads = ["compose", "divide", "product", "complement", "flat", "tiled", "zipped"];
    if !STEPS.contains(&name) || reads.iter().any(|word| name.starts_with(word)) {
        return Err(Failure::Argument(format!("`{name}` is not an edit of one layout")));
    }
    let mut editor = Editor {
        layout: syntax.lower()?,
        order: syntax.index_order(),
        notation: syntax.notation(),
        lenient: false,
    };
    editor.step(name, value)?;
    let dtype = dtype(None, syntax)?;
    let (text, _) = syntax.write_edited(&editor.layout, syntax.notation(), dtype)?;
    Ok(text)
}

/// Names and values of the steps, as they stand on the command line.
fn steps(matches: &ArgMatches) -> Vec<(&'static str, &str)> {
    let mut steps = Vec::new();
    for name in STEPS {
        let values = matches.get_many::<String>(name).into_iter().flatten();
        let places = matches.indices_of(name).into_iter().flatten();
        steps.extend(places.zip(values).map(|(place, value)| (place, name, value.as_str())));
    }
    steps.sort_unstable();
    steps.into_iter().map(|(_, name, value)| (name, value)).collect()
}

struct Editor {
    layout: Layout,
    order: IndexOrder,
    notation: Notation,
    lenient: bool,
}

impl Editor {
    fn step(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let option = format!("--{}", name.replace('_', "-"));
        let layout = &self.layout;
        self.layout = match name {
            "permute" => layout.permute(&places(&option, value)?)?,
            "insert" => layout.insert_axis(place(&option, value)?)?,
            "drop" => layout.drop_axis(place(&option, value)?)?,
            "split" => {
                let (axis, sizes) = keyed(&option, value)?;
                layout.split_axis(axis, &numbers(&option, sizes)?)?
            }
            "merge" => {
                let (axis, count) = keyed(&option, value)?;
                layout.merge_axes(axis, place(&option, count)?)?
            }
            "reshape" => layout.reshape(&shape(layout, &option, value)?)?,
            "pad" => layout.pad_to(&numbers(&option, value)?)?,
            "slice" => {
                let (axis, bounds) = keyed(&option, value)?;
                let extent = layout.axes().get(axis).map_or(0, |axis| axis.extent);
                let (start, stop, step) = slice(&option, bounds, extent)?;
                layout.slice(axis, start, stop, step)?
            }
            "broadcast" => {
                let (axis, size, level) = copies(&option, value)?;
                layout.expand(axis, size, level)?
            }
            "tile" => {
                let (axis, size, level) = copies(&option, value)?;
                layout.tile(axis, size, level)?
            }
            "minimal_padding" => layout.with_minimal_padding()?,
            "restrict" => {
                let place = location(value)?;
                for (level, _) in place.iter() {
                    used_level(layout, &option, level.as_str())?;
                }
                layout.restrict(&place)?.layout
            }
            "project" => layout.project(used_level(layout, &option, value)?),
            _ => self.combine(name, &option, value)?,
        };
        Ok(())
    }

    /// The steps that combine layouts; CuTe's are functions of a linear index.
    fn combine(&self, name: &str, option: &str, value: &str) -> Result<Layout, Failure> {
        match name {
            "compose" => self.composed(value),
            "divide" | "zipped_divide" | "tiled_divide" | "flat_divide" => {
                let tile = if is_tiler(value) { self.tiler(value) } else { self.mode(value) }?;
                self.divided(name, &tile, value)
            }
            "product" => Ok(self.linear()?.product(&self.mode(value)?, Arrangement::Logical)?),
            "inverse" => self.inverted(option, value),
            "complement" => self.complemented(&self.space(option, value)?),
            "complement_rounded" => self.complemented(&self.rounded_space(option, value)?),
            _ => Err(bad(option, value, "a step")),
        }
    }

    /// The other layout of a step.
    fn operand(&self, value: &str) -> Result<LayoutText, Failure> {
        Reading::by_look(self.lenient).read_operand(value)
    }

    /// The same as one mode, as CuTe reads the right-hand side of a division or product.
    fn mode(&self, value: &str) -> Result<Layout, Failure> {
        let other = self.operand(value)?.lower()?;
        Ok(if self.is_linear() { other.flattened(self.order)? } else { other })
    }

    /// The layout as a function of the linear index, in notations whose layouts are such.
    fn linear(&self) -> Result<Layout, Failure> {
        let layout = self.layout.clone();
        Ok(if self.is_linear() { layout.flattened(self.order)? } else { layout })
    }

    fn composed(&self, value: &str) -> Result<Layout, Failure> {
        if is_tiler(value) {
            let mut modes = self.modes(value)?;
            for extent in self.layout.shape().into_iter().skip(modes.len()) {
                modes.push(Layout::builder().axis(extent, [whole(extent)]).build()?);
            }
            return Ok(self.layout.compose(&Layout::by_modes(self.order, &modes)?)?);
        }
        let other = self.operand(value)?;
        let composed = self.layout.compose_in(self.order, &other.lower()?)?;
        // A tuple of one mode stays one mode.
        let has_modes =
            matches!(&other, LayoutText::Cute(CuteLayout { mode: CuteMode::Tuple(_), .. }));
        match self.is_linear() {
            true if has_modes => Ok(composed.without_padding()?),
            true => Ok(self.by_digits(composed.without_padding()?)),
            false => Ok(composed),
        }
    }

    fn inverted(&self, option: &str, value: &str) -> Result<Layout, Failure> {
        let layout = &self.layout;
        Ok(match (value, self.is_linear()) {
            ("left", false) => layout.left_inverse()?,
            ("right", false) => layout.right_inverse()?,
            ("left", true) => self.by_digits(layout.linear_left_inverse(self.order)?),
            ("right", true) => self.by_digits(layout.contiguous_inverse(self.order)?),
            _ => return Err(bad(option, value, "left or right")),
        })
    }

    fn complemented(&self, space: &[(Level, u64)]) -> Result<Layout, Failure> {
        let rest = self.layout.complement(space)?;
        Ok(if self.is_linear() { self.by_digits(rest) } else { rest })
    }

    /// The layouts of a tiler `<A, B>`, one per mode.
    fn modes(&self, value: &str) -> Result<Vec<Layout>, Failure> {
        let modes = value.parse::<CuteTiler>()?.modes;
        if modes.len() > self.layout.rank() {
            let (modes, rank) = (modes.len(), self.layout.rank());
            return Err(Failure::Argument(format!(
                "the tiler has {modes} modes, but the layout has rank {rank}"
            )));
        }
        modes.iter().map(|mode| Ok(mode.lower()?)).collect()
    }

    fn tiler(&self, value: &str) -> Result<Layout, Failure> {
        Ok(Layout::by_modes(self.order, &self.modes(value)?)?)
    }

    /// A division, in the groups that CuTe makes of its axes.
    fn divided(&self, name: &str, tile: &Layout, value: &str) -> Result<Layout, Failure> {
        let arrangement = if name == "divide" { Arrangement::Logical } else { Arrangement::Flat };
        let layout = if is_tiler(value) { self.layout.clone() } else { self.linear()? };
        let divided = layout.divide(self.order, tile, arrangement)?;
        if !self.is_linear() {
            return Ok(divided);
        }
        let tiles = tile.rank();
        let merge = |layout: Layout, at, count| layout.merge_axes_in(self.order, at, count);
        Ok(match name {
            // Each mode with its own rest.
            "divide" if is_tiler(value) => {
                (0..tiles).try_fold(divided, |layout, mode| merge(layout, mode, 2))?
            }
            "zipped_divide" => {
                let zipped = merge(divided, 0, tiles)?;
                let rest = zipped.rank() - 1;
                merge(zipped, 1, rest)?
            }
            "tiled_divide" => merge(divided, 0, tiles)?,
            _ => divided,
        })
    }

    /// The space of a complement; where none is given, the smallest that has one.
    fn space(&self, option: &str, value: &str) -> Result<Vec<(Level, u64)>, Failure> {
        if value.is_empty() {
            return Ok(self.layout.complement_space()?);
        }
        if value.contains('=') {
            return Ok(location(value)?.iter().collect());
        }
        match numbers(option, value)?[..] {
            [size] => Ok(vec![(Level::ADDR, size)]),
            _ => Err(bad(option, value, "N or LEVEL=N,..")),
        }
    }

    /// The same, each level rounded up to whole blocks.
    fn rounded_space(&self, option: &str, value: &str) -> Result<Vec<(Level, u64)>, Failure> {
        let mut space = self.space(option, value)?;
        let blocks = self.layout.complement_space()?;
        for (level, size) in &mut space {
            let block = blocks.iter().find(|(of, _)| of == level);
            let rounded = block.and_then(|(_, block)| size.checked_next_multiple_of(*block));
            *size = rounded.unwrap_or(*size);
        }
        Ok(space)
    }

    /// A layout of one axis with an axis for every digit, as CuTe writes what it computes.
    fn by_digits(&self, layout: Layout) -> Layout {
        let sizes: Vec<u64> = match layout.axes() {
            [axis] => axis.subaxes.iter().map(|subaxis| subaxis.size).collect(),
            _ => return layout,
        };
        let split = layout.split_axis(0, &sizes).ok();
        let order: Vec<usize> = match self.order {
            IndexOrder::RowMajor => (0..sizes.len()).collect(),
            IndexOrder::Colexicographic => (0..sizes.len()).rev().collect(),
        };
        let split = split.filter(|split| !sizes.is_empty() && split.rank() == sizes.len());
        split.and_then(|split| split.permute(&order).ok()).unwrap_or(layout)
    }

    /// Whether places of the notation are linear, so that an inverse gives a linear index.
    fn is_linear(&self) -> bool {
        matches!(self.notation, Notation::Cute | Notation::Strided)
    }
}

/// Whether a text is a tiler `<A, B>`, with a layout for each mode.
fn is_tiler(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// The digit of an axis that is left as it is.
fn whole(extent: u64) -> Subaxis {
    Subaxis::land(extent.max(1), Level::ADDR, 1)
}

/// `K=N_LEVEL`: an axis, and how many times a level holds it.
fn copies(option: &str, value: &str) -> Result<(usize, u64, Level), Failure> {
    let (axis, copies) = keyed(option, value)?;
    let (size, level) = copies.split_once('_').unwrap_or((copies, "Addr"));
    let sizes = numbers(option, size)?;
    let [size] = sizes[..] else { return Err(bad(option, value, "K=N_LEVEL")) };
    Ok((axis, size, Level::new(level)?))
}

fn bad(option: &str, value: &str, expected: &str) -> Failure {
    let shown: String = value.chars().take(40).collect();
    Failure::Argument(format!("{option}: expected {expected}, not `{shown}`"))
}

/// `K=..`: an axis, `0` or `i0`, and what is done to it.
fn keyed<'v>(option: &str, value: &'v str) -> Result<(usize, &'v str), Failure> {
    let form = match option {
        "--split" => "K=N,M,.., such as 0=4,3",
        "--merge" => "K=COUNT, such as 0=2",
        "--slice" => "K=START:STOP[:STEP], such as 0=0:8",
        _ => "K=N_LEVEL, such as 0=4_PE",
    };
    let keyed = value.split_once('=').and_then(|(axis, rest)| Some((axis_number(axis)?, rest)));
    keyed.ok_or_else(|| bad(option, value, &format!("an axis and its value as {form}")))
}

/// A shape in which one extent may be -1: what the others leave.
fn shape(layout: &Layout, option: &str, value: &str) -> Result<Vec<u64>, Failure> {
    let open = |extent: &&str| extent.trim() == "-1";
    let extents: Vec<&str> = value.split(',').collect();
    match extents.iter().filter(|extent| open(extent)).count() {
        0 => return numbers(option, value),
        1 => {}
        _ => return Err(bad(option, value, "at most one -1")),
    }
    let known: Vec<&str> = extents.iter().filter(|extent| !open(extent)).copied().collect();
    let known = numbers(option, &known.join(","))?;
    let product = known.iter().try_fold(1_u64, |n, extent| n.checked_mul(*extent));
    let elements = layout.elements();
    let open_extent = product
        .and_then(|n| elements.checked_div(n))
        .filter(|open| product.and_then(|n| n.checked_mul(*open)) == Some(elements));
    let open_extent = open_extent.ok_or_else(|| {
        bad(option, value, &format!("extents whose product divides the {elements} elements"))
    })?;
    let mut known = known.into_iter();
    let filled = extents
        .iter()
        .map(|extent| if open(extent) { open_extent } else { known.next().unwrap_or(open_extent) });
    Ok(filled.collect())
}

/// `START:STOP[:STEP]` as in Python: parts may be left out, negative bounds count from the end.
fn slice(option: &str, value: &str, extent: u64) -> Result<(u64, u64, u64), Failure> {
    let parts: Vec<&str> = value.split(':').map(str::trim).collect();
    let (start, stop, step) = match parts[..] {
        [start, stop] => (start, stop, ""),
        [start, stop, step] => (start, stop, step),
        _ => return Err(bad(option, value, "K=START:STOP[:STEP]")),
    };
    if step.starts_with('-') {
        return Err(Failure::Argument(format!(
            "{option}: the step {step} is negative: layouts with negative strides are not supported"
        )));
    }
    let bound = |text: &str, absent: u64| match text.strip_prefix('-') {
        _ if text.is_empty() => Ok(absent),
        // -0 is 0.
        Some(back) => Ok(match place_u64(option, back)? {
            0 => 0,
            back => extent.saturating_sub(back),
        }),
        None => place_u64(option, text),
    };
    let step = if step.is_empty() { 1 } else { place_u64(option, step)? };
    let (start, stop) = (bound(start, 0)?, bound(stop, extent)?);
    // As in Python, nothing lies between bounds that cross.
    Ok((start, stop.max(start), step))
}

fn place_u64(option: &str, value: &str) -> Result<u64, Failure> {
    match numbers(option, value)?[..] {
        [number] => Ok(number),
        _ => Err(bad(option, value, "one number")),
    }
}

fn place(option: &str, value: &str) -> Result<usize, Failure> {
    match places(option, value)?[..] {
        [axis] => Ok(axis),
        _ => Err(bad(option, value, "one number")),
    }
}

fn places(option: &str, value: &str) -> Result<Vec<usize>, Failure> {
    let places = numbers(option, value)?.into_iter().map(usize::try_from);
    places.collect::<Result<_, _>>().map_err(|_| bad(option, value, "axes"))
}

/// A level that the layout uses.
fn used_level(layout: &Layout, option: &str, name: &str) -> Result<Level, Failure> {
    let level = Level::new(name)?;
    let levels = layout.levels_in_order();
    match levels.contains(&level) {
        true => Ok(level),
        false => Err(LayoutError::LevelUnknown {
            level,
            machine: format!("layout ({option})"),
            known: levels.iter().map(Level::as_str).collect::<Vec<_>>().join(", "),
            site: Site::Layout,
        }
        .into()),
    }
}
