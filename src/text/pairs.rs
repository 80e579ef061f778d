//! The tokens of a text as a grammar finds them, for all readers that have one.

use std::str::FromStr;

use pest::iterators::Pair;
use pest::{Parser, RuleType};

use super::refusal::GrammarStop;
use crate::error::{ParseError, ParseErrorKind, Span};

/// Makes the parser of a grammar, and tests that `name` has a word for each of its rules but the silent ones.
macro_rules! grammar {
    ($parser:ident, $path:tt, silent: $($silent:ident)+) => {
        mod grammar {
            #![allow(missing_docs, unreachable_pub, missing_debug_implementations, reason = "generated")]

            #[derive(pest_derive::Parser)]
            #[grammar = $path]
            pub(super) struct $parser;

            #[test]
            fn every_token_has_a_name_in_errors() {
                for rule in Rule::all_rules() {
                    let is_silent = matches!(rule, $(Rule::$silent)|+);
                    assert_eq!(super::name(*rule).is_empty(), is_silent, "{rule:?}");
                }
            }
        }
    };
}
pub(super) use grammar;

/// The tokens below `rule`, which is the whole text, or the place at which the grammar stopped; `name`
/// gives the names of rules in errors.
pub(super) fn tokens<G: Parser<R>, R: RuleType>(
    rule: R,
    text: &str,
    name: fn(R) -> &'static str,
) -> Result<impl Iterator<Item = Pair<'_, R>> + Clone, GrammarStop> {
    let whole = G::parse(rule, text).map_err(|error| GrammarStop::of(text, &error, name))?;
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
