//! `edit`: the steps in the order of the command line, each one library call.

use clap::ArgMatches;
use tensor_layout::algebra::{Arrangement, IndexOrder};
use tensor_layout::notation::Notation;
use tensor_layout::xla::XlaDtype;
use tensor_layout::{Layout, LayoutText, Level};

use super::args::{Edit, STEPS};
use super::input::{Failure, argument, location, numbers};
use super::run::write_layout;

pub(super) fn edit(args: &Edit, matches: Option<&ArgMatches>) -> Result<(), Failure> {
    let syntax = args.source.shaped(args.shape.as_deref())?;
    let mut editor = Editor {
        layout: syntax.lower()?,
        order: syntax.index_order(),
        notation: syntax.notation(),
        lenient: args.source.lenient,
    };
    for (name, value) in matches.map(steps).unwrap_or_default() {
        editor.step(name, value)?;
    }
    let to = args.to.map_or(syntax.notation(), Notation::from);
    let dtype = XlaDtype::from_name("f32").ok_or(Failure::Argument("f32".into()))?;
    write_layout(syntax.write_edited(&editor.layout, to, dtype), &syntax)
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
            "reshape" => layout.reshape(&numbers(&option, value)?)?,
            "pad" => layout.pad_to(&numbers(&option, value)?)?,
            "slice" => {
                let (axis, bounds) = keyed(&option, value)?;
                let bounds = numbers(&option, &bounds.replace(':', ","))?;
                match bounds[..] {
                    [start, stop] => layout.slice(axis, start, stop, 1)?,
                    [start, stop, step] => layout.slice(axis, start, stop, step)?,
                    _ => return Err(bad(&option, value, "K=START:STOP[:STEP]")),
                }
            }
            "broadcast" | "tile" => {
                let (axis, copies) = keyed(&option, value)?;
                let (size, level) = copies.split_once('_').unwrap_or((copies, "Addr"));
                let sizes = numbers(&option, size)?;
                let [size] = sizes[..] else { return Err(bad(&option, value, "K=N_LEVEL")) };
                let level = Level::new(level)?;
                match name {
                    "broadcast" => layout.expand(axis, size, level)?,
                    _ => layout.tile(axis, size, level)?,
                }
            }
            "minimal_padding" => layout.with_minimal_padding()?,
            "restrict" => layout.restrict(&location(value)?)?.layout,
            "project" => layout.project(Level::new(value)?),
            _ => self.combine(name, &option, value)?,
        };
        Ok(())
    }

    /// The steps that combine layouts; CuTe's are functions of a linear index.
    fn combine(&self, name: &str, option: &str, value: &str) -> Result<Layout, Failure> {
        let layout = &self.layout;
        let other = || -> Result<Layout, Failure> {
            let text: LayoutText = argument(value, self.lenient)?;
            let other = text.lower()?;
            // One mode, as CuTe reads the right-hand side of a division or product.
            Ok(if self.is_linear() && name != "compose" {
                other.flattened(self.order)?
            } else {
                other
            })
        };
        Ok(match name {
            "compose" => layout.compose_in(self.order, &other()?)?,
            "divide" => {
                let flat =
                    if self.is_linear() { layout.flattened(self.order)? } else { layout.clone() };
                flat.divide(self.order, &other()?, Arrangement::Logical)?
            }
            "product" => {
                let flat =
                    if self.is_linear() { layout.flattened(self.order)? } else { layout.clone() };
                flat.product(&other()?, Arrangement::Logical)?
            }
            "inverse" => {
                let inverse = match value {
                    "left" => layout.left_inverse()?,
                    "right" => layout.right_inverse()?,
                    _ => return Err(bad(option, value, "left or right")),
                };
                match self.is_linear() {
                    true => self.by_digits(inverse.linearised(self.order, &layout.shape())?),
                    false => inverse,
                }
            }
            "complement" => {
                let space = match value.contains('=') {
                    true => location(value)?.iter().collect(),
                    false => match numbers(option, value)?[..] {
                        [size] => vec![(Level::ADDR, size)],
                        _ => return Err(bad(option, value, "N or LEVEL=N,..")),
                    },
                };
                let rest = layout.complement(&space)?;
                if self.is_linear() { self.by_digits(rest) } else { rest }
            }
            _ => return Err(bad(option, value, "a step")),
        })
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

fn bad(option: &str, value: &str, expected: &str) -> Failure {
    let shown: String = value.chars().take(40).collect();
    Failure::Argument(format!("{option}: expected {expected}, not `{shown}`"))
}

/// `K=..`
fn keyed<'v>(option: &str, value: &'v str) -> Result<(usize, &'v str), Failure> {
    let (axis, rest) = value.split_once('=').ok_or_else(|| bad(option, value, "K=.."))?;
    Ok((place(option, axis)?, rest))
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
