//! A grammar's rules as Rust, in the names of the library's `Definition` and `Expr`.

use std::collections::HashMap;
use std::mem::discriminant;

use pest_meta::ast::RuleType;
use pest_meta::optimizer::{OptimizedExpr, OptimizedRule};

use super::names::name;

/// What each rule matches, `EOI` first, with its name in errors.
pub(super) fn definitions(
    rules: &[OptimizedRule],
    names: &HashMap<&str, &str>,
) -> Result<String, String> {
    let one = |rule| definition(rule, name(rule, names)?);
    let rest: Vec<_> = rules.iter().map(one).collect::<Result<_, _>>()?;
    let end =
        "Definition { rule: Rule::EOI, name: \"the end\", kind: Kind::Normal, expr: Expr::End },";
    Ok(format!("{end}{}", rest.concat()))
}

fn definition(rule: &OptimizedRule, name: String) -> Result<String, String> {
    let kind = match rule.ty {
        RuleType::Normal => "Normal",
        RuleType::Silent => "Silent",
        RuleType::Atomic => "Atomic",
        RuleType::CompoundAtomic => "CompoundAtomic",
        RuleType::NonAtomic => return Err(format!("`{}`: `!{{` is not in the table", rule.name)),
    };
    if matches!(rule.name.as_str(), "WHITESPACE" | "COMMENT") {
        return Err(format!("`{}`: blanks are named where they are allowed", rule.name));
    }
    let expr = expr(&rule.expr)?;
    let rule = &rule.name;
    Ok(format!(
        "Definition {{ rule: Rule::{rule}, name: {name:?}, kind: Kind::{kind}, expr: {expr} }},"
    ))
}

fn expr(of: &OptimizedExpr) -> Result<String, String> {
    if let Some(ranges) = characters(of) {
        return Ok(format!("Expr::OneOf(&{ranges:?})"));
    }
    Ok(match of {
        OptimizedExpr::Str(text) => format!("Expr::Text({text:?})"),
        OptimizedExpr::Ident(name) => match name.as_str() {
            "ANY" => "Expr::Any".into(),
            "SOI" => "Expr::Start".into(),
            name => format!("Expr::Rule(Rule::{name})"),
        },
        OptimizedExpr::PosPred(inner) => format!("Expr::Ahead(true, &{})", expr(inner)?),
        OptimizedExpr::NegPred(inner) => format!("Expr::Ahead(false, &{})", expr(inner)?),
        OptimizedExpr::Seq(..) => format!("Expr::Sequence(&[{}])", list(of)?),
        OptimizedExpr::Choice(..) => format!("Expr::Choice(&[{}])", list(of)?),
        OptimizedExpr::Opt(inner) => format!("Expr::Optional(&{})", expr(inner)?),
        OptimizedExpr::Rep(inner) => format!("Expr::Repeat(&{})", expr(inner)?),
        OptimizedExpr::Skip(ends) => format!("Expr::Until(&{ends:?})"),
        other => return Err(format!("{other:?} is not in the table")),
    })
}

/// The parts of a sequence or of a choice, with commas between them.
fn list(of: &OptimizedExpr) -> Result<String, String> {
    let (mut parts, mut rest) = (Vec::new(), of);
    while let OptimizedExpr::Seq(first, next) | OptimizedExpr::Choice(first, next) = rest
        && discriminant(rest) == discriminant(of)
    {
        parts.push(expr(first)?);
        rest = next;
    }
    parts.push(expr(rest)?);
    Ok(parts.join(", "))
}

/// The characters of which an expression matches any one, from first to last; `None` for other expressions.
fn characters(of: &OptimizedExpr) -> Option<Vec<(char, char)>> {
    let one = |text: &str| {
        let mut all = text.chars();
        all.next().filter(|_| all.next().is_none())
    };
    Some(match of {
        OptimizedExpr::Str(text) => one(text).map(|char| vec![(char, char)])?,
        OptimizedExpr::Range(first, last) => vec![(one(first)?, one(last)?)],
        OptimizedExpr::Choice(one, other) => [characters(one)?, characters(other)?].concat(),
        OptimizedExpr::Ident(name) => match name.as_str() {
            "ASCII_DIGIT" => vec![('0', '9')],
            "ASCII_NONZERO_DIGIT" => vec![('1', '9')],
            "ASCII_HEX_DIGIT" => vec![('0', '9'), ('a', 'f'), ('A', 'F')],
            "ASCII_ALPHA_UPPER" => vec![('A', 'Z')],
            "ASCII_ALPHA" => vec![('a', 'z'), ('A', 'Z')],
            "ASCII_ALPHANUMERIC" => vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
            _ => return None,
        },
        _ => return None,
    })
}
