//! Pest grammars as tables.
//!
//! `pest_derive` writes a function for each rule, of closures that the compiler instantiates for each of their places:
//! for the notations of `tensor-layout`, a sixth of all code that it optimized. [`rules`] writes the same rules,
//! read and optimized by pest, as one constant, which the library matches by pest's parser state.

mod names;
mod table;

use std::path::{Path, PathBuf};

use proc_macro::{TokenStream, TokenTree};

/// `rules!("text/x.pest")`: the enum `Rule` of a grammar below the caller's `src`, and its `Grammar`, the table of
/// what each rule matches.
///
/// Names are those of `crate::text::grammar`. `EOI` is the first rule, others are in the order of the file. The line `/// a size`
/// above a rule is its name in errors. A grammar that pest refuses, one with parts that no table has (a stack, implicit
/// blanks), or a token without a name is an error of the caller's build.
#[proc_macro]
pub fn rules(input: TokenStream) -> TokenStream {
    let written = path(input).and_then(|path| written(&path));
    let code = written.unwrap_or_else(|message| format!("compile_error!({message:?});"));
    code.parse().unwrap_or_default()
}

/// The file that the macro names.
fn path(input: TokenStream) -> Result<PathBuf, String> {
    let Some(TokenTree::Literal(literal)) = input.into_iter().next() else {
        return Err("a path in quotes is expected".into());
    };
    let package = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("Cargo names no package")?;
    Ok(Path::new(&package).join("src").join(literal.to_string().trim_matches('"')))
}

fn written(path: &Path) -> Result<String, String> {
    let grammar =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (_, rules) = pest_meta::parse_and_optimize(&grammar)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<String>())?;
    let variants: String = rules.iter().map(|rule| rule.name.clone() + ", ").collect();
    let definitions = table::definitions(&rules, &names::names(&grammar)?)?;
    let path = path.to_str().ok_or("the path is not UTF-8")?;
    // Cargo builds the caller again if the file changes, because it is included.
    Ok(format!(
        "const _: &str = include_str!({path:?});
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[allow(non_camel_case_types)]
        pub enum Rule {{ EOI, {variants} }}
        impl Grammar for Rule {{
            const TABLE: &[Definition<Rule>] = &[{definitions}];
            fn number(self) -> usize {{ self as usize }}
        }}"
    ))
}
