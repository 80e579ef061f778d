//! The names of rules in errors.
//!
//! ```text
//! /// a size
//! size = @{ ASCII_DIGIT+ }       "a size"
//! comma = { "," }                "`,`", from its text
//! ///
//! slip = { "-" ~ level }         none: what a user cannot be told to write
//! blank = _{ " " }               none: it makes no tokens
//! ```

use std::collections::HashMap;

use pest_meta::ast::RuleType;
use pest_meta::optimizer::{OptimizedExpr, OptimizedRule};
use pest_meta::parser::{self, Rule};

/// The names that a grammar gives its rules.
pub(super) fn names(grammar: &str) -> Result<HashMap<&str, &str>, String> {
    let tokens = parser::parse(Rule::grammar_rules, grammar).map_err(|error| error.to_string())?;
    let (mut names, mut above) = (HashMap::new(), None);
    for token in tokens.filter(|token| token.as_rule() == Rule::grammar_rule) {
        let Some(first) = token.into_inner().next() else { continue };
        match first.as_rule() {
            Rule::line_doc => above = Some(first.as_str().trim_start_matches('/').trim()),
            _ => names.extend(above.take().map(|name| (first.as_str(), name))),
        }
    }
    Ok(names)
}

/// The name of a rule, among those that its grammar has.
pub(super) fn name(rule: &OptimizedRule, names: &HashMap<&str, &str>) -> Result<String, String> {
    match (names.get(rule.name.as_str()), &rule.expr) {
        (Some(name), _) => Ok((*name).to_owned()),
        (None, _) if rule.ty == RuleType::Silent => Ok(String::new()),
        (None, OptimizedExpr::Str(text)) => Ok(format!("`{text}`")),
        (None, _) => {
            Err(format!("`{rule}`: a line `/// its name in errors` is missing", rule = rule.name))
        }
    }
}
