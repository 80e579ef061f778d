//! The conversion of pairs of the grammar to the parts that all notations share.

use itertools::Itertools;
use pest::iterators::Pair;

use super::tree::{DimAxes, Mesh, MeshAxis, MeshDims, TileDevices};
use crate::error::{ParseError, ParseErrorKind};
use crate::text::pairs::{child, children, grammar, number, span, tokens};

grammar!("text/sharding/sharding.pest");

pub(super) use grammar::Rule;

/// The tokens of a whole text that matches `rule`.
pub(super) fn parse(
    rule: Rule,
    text: &str,
) -> Result<impl Iterator<Item = Pair<'_, Rule>>, ParseError> {
    tokens(rule, text).map_err(|stop| stop.refuse(text, None))
}

/// A number that is not negative.
pub(super) fn int(pair: &Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    if pair.as_str().starts_with('-') {
        return Err(ParseError::invalid("the number is negative", span(pair), text));
    }
    number(pair, text)
}

/// All numbers directly below a pair.
pub(super) fn ints(pair: Pair<'_, Rule>, text: &str) -> Result<Vec<u64>, ParseError> {
    children(pair, Rule::int).map(|p| int(&p, text)).try_collect()
}

/// The number directly below a pair that has one.
pub(super) fn one_int(pair: Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    int(&number_in(pair, text)?, text)
}

/// The number directly below a pair that has one, which may be negative.
pub(super) fn one_signed(pair: Pair<'_, Rule>, text: &str) -> Result<i64, ParseError> {
    number(&number_in(pair, text)?, text)
}

fn number_in<'a>(pair: Pair<'a, Rule>, text: &str) -> Result<Pair<'a, Rule>, ParseError> {
    let whole = span(&pair);
    child(pair, Rule::int)
        .ok_or_else(|| ParseError::invalid("a number is expected here", whole, text))
}

/// A name without its quotes, or a bare word.
pub(super) fn unquote(pair: &Pair<'_, Rule>) -> String {
    let quote = ['\'', '"'];
    let inner = pair.as_str().strip_prefix(quote).and_then(|name| name.strip_suffix(quote));
    inner.unwrap_or(pair.as_str()).to_owned()
}

/// `[4,2]T(1,0)`; without a transpose the numbers stay in order.
fn iota(pair: Pair<'_, Rule>, text: &str) -> Result<TileDevices, ParseError> {
    let whole = span(&pair);
    let (mut dims, mut permutation) = (Vec::new(), Vec::new());
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::square => dims = ints(part, text)?,
            Rule::permutation => permutation = ints(part, text)?,
            _ => {}
        }
    }
    let message = match (dims.len(), permutation.len()) {
        (1, 0) => None,
        (1, _) => Some("a single number does not take a transpose `T(..)`".to_owned()),
        (_, 0) => Some("several numbers need a transpose `T(..)`".to_owned()),
        (dims, permutation) if dims != permutation => {
            Some(format!("there are {dims} numbers, but the transpose has {permutation}"))
        }
        _ => None,
    };
    message.map_or(Ok(TileDevices::Iota(dims, permutation)), |message| {
        Err(ParseError::invalid(message, whole, text))
    })
}

/// `<=[4,2]T(1,0)`
pub(super) fn iota_devices(pair: Pair<'_, Rule>, text: &str) -> Result<TileDevices, ParseError> {
    let inner = child(pair, Rule::iota_dims);
    inner.map_or(Ok(TileDevices::Iota(Vec::new(), Vec::new())), |inner| iota(inner, text))
}

/// The axes of a mesh in any notation.
pub(super) fn mesh(pair: Pair<'_, Rule>, text: &str) -> Result<Mesh, ParseError> {
    let mut mesh = Mesh::default();
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::hlo_axis | Rule::jax_axis | Rule::plain_axis | Rule::pair => {
                let is_name = |p: &Pair<'_, Rule>| matches!(p.as_rule(), Rule::name | Rule::word);
                let name = part.clone().into_inner().find(is_name);
                let size = one_int(part, text)?;
                mesh.axes.extend(name.map(|name| (unquote(&name), size)));
            }
            Rule::axis_sizes | Rule::axis_names => listed(part, &mut mesh, text)?,
            Rule::sdy_body => mesh = self::mesh(part, text)?,
            Rule::hlo_ids | Rule::sdy_ids => mesh.devices = devices(part, text)?,
            _ => {}
        }
    }
    Ok(mesh)
}

/// Takes in the sizes of a mesh, or the names of its axes, which follow them.
fn listed(pair: Pair<'_, Rule>, mesh: &mut Mesh, text: &str) -> Result<(), ParseError> {
    if pair.as_rule() == Rule::axis_sizes {
        mesh.axes = ints(pair, text)?.into_iter().map(|size| (String::new(), size)).collect();
        return Ok(());
    }
    let whole = span(&pair);
    let names = children(pair, Rule::name).map(|name| unquote(&name)).collect_vec();
    if names.len() != mesh.axes.len() {
        let message = format!("{} names of axes, but {} sizes", names.len(), mesh.axes.len());
        return Err(ParseError::invalid(message, whole, text));
    }
    mesh.axes.iter_mut().zip(names).for_each(|(axis, name)| axis.0 = name);
    Ok(())
}

fn devices(pair: Pair<'_, Rule>, text: &str) -> Result<Option<TileDevices>, ParseError> {
    let found = pair.into_inner().find_map(|part| match part.as_rule() {
        Rule::square | Rule::list => Some(ints(part, text).map(TileDevices::List)),
        Rule::iota_dims => Some(iota(part, text)),
        _ => None,
    });
    found.transpose()
}

pub(super) fn axis(pair: Pair<'_, Rule>, text: &str) -> Result<MeshAxis, ParseError> {
    let mut axis = MeshAxis { name: String::new(), part: None };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::name | Rule::word => axis.name = unquote(&part),
            Rule::part => axis.part = ints(part, text)?.into_iter().collect_tuple(),
            _ => {}
        }
    }
    Ok(axis)
}

pub(super) fn axes(pair: Pair<'_, Rule>, text: &str) -> Result<Vec<MeshAxis>, ParseError> {
    children(pair, Rule::axis).map(|p| axis(p, text)).try_collect()
}

fn dim(pair: Pair<'_, Rule>, text: &str) -> Result<DimAxes, ParseError> {
    let mut dim = DimAxes::default();
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::axis => dim.axes.push(axis(part, text)?),
            Rule::question => dim.open = true,
            Rule::priority => {
                let too_large =
                    |_| ParseError::new(ParseErrorKind::NumberTooLarge, span(&part), text);
                let digits = part.as_str().trim_start_matches('p');
                dim.priority = Some(digits.parse().map_err(too_large)?);
            }
            _ => {}
        }
    }
    Ok(dim)
}

/// Takes `[{..}, ..]` and the attributes after it into `dims`.
pub(super) fn mesh_dims(
    part: Pair<'_, Rule>,
    into: &mut MeshDims,
    text: &str,
) -> Result<(), ParseError> {
    match part.as_rule() {
        Rule::dims => {
            into.dims = children(part, Rule::dim).map(|p| dim(p, text)).try_collect()?;
        }
        Rule::mesh_attribute => {
            let whole = span(&part);
            let (mut word, mut found, mut reduction) = ("", Vec::new(), None);
            for part in part.into_inner() {
                match part.as_rule() {
                    Rule::attribute_word => word = part.as_str(),
                    Rule::reduction => reduction = Some(part.as_str().to_owned()),
                    Rule::axes => found = axes(part, text)?,
                    _ => {}
                }
            }
            let list = match word {
                "replicated=" => &mut into.replicated,
                "unreduced=" => &mut into.unreduced,
                _ => &mut into.manual,
            };
            if !list.is_empty() {
                let message = format!("`{word}` appears twice");
                return Err(ParseError::invalid(message, whole, text));
            }
            if reduction.is_some() && word != "unreduced=" {
                let message = "only `unreduced=` takes a reduction";
                return Err(ParseError::invalid(message, whole, text));
            }
            *list = found;
            into.reduction = reduction.or_else(|| into.reduction.take());
        }
        _ => {}
    }
    Ok(())
}
