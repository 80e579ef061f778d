//! The tokens of a text as a grammar finds them, for all readers that have one.

use std::str::FromStr;

use pest::RuleType;
use pest::iterators::Pair;

use super::grammar::{Grammar, parse};
use super::refusal::GrammarStop;
use crate::error::{ParseError, ParseErrorKind, Span};

/// Makes the rules of a grammar, and tests them.
macro_rules! grammar {
    ($path:tt) => {
        mod grammar {
            #![allow(missing_docs, unreachable_pub, clippy::as_conversions, reason = "generated")]

            use crate::text::grammar::{Definition, Expr, Grammar, Kind};

            tensor_layout_grammar::rules!($path);

            #[test]
            fn texts_match_as_by_pest_itself() {
                let grammar = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/", $path));
                crate::text::grammar::judge::compare::<Rule>(grammar);
            }
        }
    };
}
pub(super) use grammar;

/// The tokens below `rule`, which is the whole text, or the place at which the grammar stopped.
pub(super) fn tokens<R: Grammar>(
    rule: R,
    text: &str,
) -> Result<impl Iterator<Item = Pair<'_, R>> + Clone, GrammarStop> {
    let whole = parse(rule, text).map_err(|error| GrammarStop::of(text, &error))?;
    Ok(whole.flat_map(Pair::into_inner))
}

/// The tokens of this rule directly below another.
pub(super) fn children<R: RuleType>(
    token: Pair<'_, R>,
    rule: R,
) -> impl Iterator<Item = Pair<'_, R>> {
    token.into_inner().filter(move |inner| inner.as_rule() == rule)
}

/// The first token of this rule directly below another.
pub(super) fn child<R: RuleType>(token: Pair<'_, R>, rule: R) -> Option<Pair<'_, R>> {
    children(token, rule).next()
}

/// The bytes of a token.
pub(super) fn span<R: RuleType>(token: &Pair<'_, R>) -> Span {
    Span::new(token.as_span().start(), token.as_span().end())
}

/// The number that a token of digits is.
pub(super) fn number<R: RuleType, N: FromStr>(
    token: &Pair<'_, R>,
    text: &str,
) -> Result<N, ParseError> {
    let too_large = |_| ParseError::new(ParseErrorKind::NumberTooLarge, span(token), text);
    token.as_str().parse().map_err(too_large)
}
