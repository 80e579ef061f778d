//! Variables, and their names, which are not reserved in isl, C, C++, Rust or Python.

use std::fmt;

use tensor_layout::Level;

/// An input, a local or an output of a [`Function`](super::Function). `Display` writes its name in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// The entry of the index for an axis: `i0`, `i1`, ..
    Index(usize),
    /// The number of a copy, for each replica: `c0`, `c1`, ..
    Copy(usize),
    /// A value that others need: `v0`, `v1`, ..
    Local(usize),
    /// The coordinate in a level; a name that a language reserves gets an underscore.
    Level(Level),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Index(axis) => write!(f, "i{axis}"),
            Variable::Copy(replica) => write!(f, "c{replica}"),
            Variable::Local(number) => write!(f, "v{number}"),
            Variable::Level(level) => f.write_str(&name_of(*level)),
        }
    }
}

/// isl, which reads its keywords in any case. Source: isl, `isl_stream.c`, `check_keywords`.
const ISL: &str = "and ceil ceild exists false floor floord implies infinity infty max min mod nan \
    not or rat true";

/// Keywords of C up to C23, `asm` and `fortran` among its common extensions. Source: ISO/IEC
/// 9899:2024, 6.4.1 and annex J.5.
const C: &str = "alignas alignof asm auto bool break case char const constexpr continue default do \
    double else enum extern false float for fortran goto if inline int long nullptr register \
    restrict return short signed sizeof static static_assert struct switch thread_local true \
    typedef typeof typeof_unqual union unsigned void volatile while";

/// Keywords of C++ up to C++26 and its technical specifications that C lacks. Source: ISO/IEC
/// 14882, \[lex.key\] and \[lex.digraph\].
const CPP: &str = "and and_eq atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char16_t \
    char32_t char8_t class co_await co_return co_yield compl concept const_cast consteval constinit \
    contract_assert decltype delete dynamic_cast explicit export friend mutable namespace new \
    noexcept not not_eq operator or or_eq private protected public reflexpr reinterpret_cast requires \
    static_cast synchronized template this throw try typeid typename using virtual wchar_t xor \
    xor_eq";

/// Macros without a leading underscore that GCC and Clang define for a target.
const TARGETS: &str = "AVR BFIN MIPSEB MIPSEL MSDOS MSP430 PPC PWR R3000 R4000 WIN32 WIN64 WINNT \
    cris hp9000 hppa hpux i386 linux m68k mc68000 mc68010 mc68020 mc68030 mc68040 mc68060 mips pdp11 \
    powerpc sparc spur sun unix vax";

/// Keywords of Rust, including reserved ones, and the prelude's variants, which no variable may hide. Source:
/// The Rust Reference, "Keywords".
const RUST: &str = "Err None Ok Self Some abstract as async await become box break const continue crate \
    do dyn else enum extern false final fn for gen if impl in let loop macro match mod move mut \
    override priv pub ref return self static struct super trait true try type typeof union unsafe \
    unsized use virtual where while yield";

/// Keywords of Python, including soft ones. Source: its module `keyword`.
const PYTHON: &str = "False None True and as assert async await break case class continue def del elif \
    else except finally for from global if import in is lambda match nonlocal not or pass raise \
    return try type while with yield";

/// Names in the text around the variables: the spaces of isl.
const OURS: &str = "A S";

/// The name of a level as a variable: names that mean something else, and those that such a name
/// becomes, get an underscore.
fn name_of(level: Level) -> String {
    let name = level.as_str();
    let stem = name.trim_end_matches('_');
    if is_numbered(stem) || is_reserved(stem) { format!("{name}_") } else { name.into() }
}

/// Our own variables are a letter and a number.
fn is_numbered(name: &str) -> bool {
    let has_number = name.get(1..).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    has_number && name.starts_with(['i', 'c', 'v', 's', 'd'])
}

fn is_reserved(name: &str) -> bool {
    let words = [C, CPP, TARGETS, RUST, PYTHON, OURS].into_iter().flat_map(|list| list.split(' '));
    let in_any_case = || ISL.split(' ').any(|word| word.eq_ignore_ascii_case(name));
    words.into_iter().any(|word| word == name) || in_any_case() || is_of_stdint(name)
}

/// Returns whether `stdint.h`, which the C functions include, defines or may define `name`. Source:
/// ISO/IEC 9899:2024, 7.22 and 7.33.
fn is_of_stdint(name: &str) -> bool {
    let macros = ["INT", "UINT", "PTRDIFF_", "SIG_ATOMIC_", "SIZE_", "WCHAR_", "WINT_"];
    let is_macro = |name: &str| {
        let ends = ["_MIN", "_MAX", "_WIDTH", "_C"].iter().any(|end| name.ends_with(end));
        ends && macros.iter().any(|start| name.starts_with(start))
    };
    let is_type =
        |name: &str| name.ends_with("_t") && name.trim_start_matches('u').starts_with("int");
    is_macro(name) || is_type(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(level: &str) -> String {
        name_of(Level::new(level).unwrap())
    }

    #[test]
    fn names_that_a_language_reserves_get_an_underscore() {
        let reserved = "nan NaN Exists Max Mod FLOOR SIZE_MAX UINT64_C INT8_WIDTH uint64_t linux \
                        i386 asm new this co_await typeof Ok Some int fn gen lambda None A i0 \
                        v12";
        for reserved in reserved.split(' ') {
            assert_eq!(name(reserved), format!("{reserved}_"));
            assert_eq!(name(&format!("{reserved}_")), format!("{reserved}__"));
        }
        for free in
            ["Addr", "PE", "Time", "Core", "MAXIMUM", "SIZE", "INT", "interrupt", "ok", "Int"]
        {
            assert_eq!(name(free), free);
        }
    }
}
