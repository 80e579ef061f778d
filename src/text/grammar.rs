//! Grammars as tables, and the function that matches texts with them.
//!
//! A grammar is a `.pest` file beside its reader, read by pest while the library is compiled (`tensor-layout-grammar`).
//! What each kind of expression means is what `pest_derive` would write for it: pest's own state keeps places,
//! tokens and what it would have accepted where it stopped.

use pest::error::Error;
use pest::iterators::Pairs;
use pest::{Atomicity, ParseResult, ParserState, RuleType};

/// The rules of a grammar.
pub(super) trait Grammar: RuleType + 'static {
    /// What each rule matches, in the order of the rules.
    const TABLE: &'static [Definition<Self>];

    /// The place of the rule in the table.
    fn number(self) -> usize;

    fn definition(self) -> Option<&'static Definition<Self>> {
        Self::TABLE.get(self.number())
    }
}

/// A rule.
#[derive(Debug)]
pub(super) struct Definition<R: 'static> {
    pub(super) rule: R,
    /// Its name in errors; empty if they do not name it.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) expr: Expr<R>,
}

/// Which tokens a rule makes: its own and those within (`{`, `${`), its own alone (`@{`), those within (`_{`).
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Normal,
    CompoundAtomic,
    Atomic,
    Silent,
}

/// What an expression of a grammar matches.
#[derive(Debug)]
pub(super) enum Expr<R: 'static> {
    Start,
    End,
    Any,
    /// One character, in one of these ranges from first to last.
    OneOf(&'static [(char, char)]),
    Text(&'static str),
    /// All characters in front of the first of these texts, or of the end.
    Until(&'static [&'static str]),
    Rule(R),
    /// Nothing, if the expression matches here (`true`) or does not.
    Ahead(bool, &'static Expr<R>),
    Sequence(&'static [Expr<R>]),
    Choice(&'static [Expr<R>]),
    Optional(&'static Expr<R>),
    Repeat(&'static Expr<R>),
}

type State<'i, R> = Box<ParserState<'i, R>>;

/// The tokens of a text that matches `rule`.
pub(super) fn parse<R: Grammar>(rule: R, text: &str) -> Result<Pairs<'_, R>, Box<Error<R>>> {
    pest::state(text, |state| matched_rule(rule, state)).map_err(Box::new)
}

fn matched_rule<R: Grammar>(rule: R, state: State<'_, R>) -> ParseResult<State<'_, R>> {
    let Some(Definition { rule, kind, expr, .. }) = rule.definition() else { return Err(state) };
    match kind {
        Kind::Normal => state.rule(*rule, |state| matched(expr, state)),
        Kind::CompoundAtomic => state.atomic(Atomicity::CompoundAtomic, |state| {
            state.rule(*rule, |state| matched(expr, state))
        }),
        Kind::Atomic => {
            state.rule(*rule, |state| state.atomic(Atomicity::Atomic, |state| matched(expr, state)))
        }
        Kind::Silent => matched(expr, state.check_stack_limit()?),
    }
}

fn matched<'i, R: Grammar>(
    expr: &'static Expr<R>,
    state: State<'i, R>,
) -> ParseResult<State<'i, R>> {
    match expr {
        Expr::Start => state.start_of_input(),
        Expr::End => state.end_of_input(),
        Expr::Any => state.skip(1),
        Expr::OneOf(ranges) => state.match_char_by(|char| {
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&char))
        }),
        Expr::Text(text) => state.match_string(text),
        Expr::Until(ends) => state.skip_until(ends),
        Expr::Rule(rule) => matched_rule(*rule, state),
        Expr::Ahead(is, expr) => state.lookahead(*is, |state| matched(expr, state)),
        Expr::Sequence(list) => {
            state.sequence(|state| list.iter().try_fold(state, |state, expr| matched(expr, state)))
        }
        Expr::Choice(list) => first_match(list, state),
        Expr::Optional(expr) => state.optional(|state| matched(expr, state)),
        Expr::Repeat(expr) => state.repeat(|state| matched(expr, state)),
    }
}

fn first_match<'i, R: Grammar>(
    list: &'static [Expr<R>],
    mut state: State<'i, R>,
) -> ParseResult<State<'i, R>> {
    for expr in list {
        match matched(expr, state) {
            Ok(after) => return Ok(after),
            Err(before) => state = before,
        }
    }
    Err(state)
}

#[cfg(test)]
pub(super) mod judge {
    use pest::error::{ErrorVariant, InputLocation};
    use pest_vm::Vm;

    use super::*;

    const TEXTS: &[&str] = &[
        "(10,7)/((3:7, 4_PE), (7:1); B@[2_L1B:3, MAB])@LM0 / Float",
        "((4-PE , 8_L2B: 1) , 3 _W, ())",
        "(bf16[8,<=128]{1,0:T(8,128)(2,*)L(2)E(4)S(1)SC(1:3)M(4)}, /*index=1*/s32[?]{0:P(f32[])}, b(u8[]))",
        "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dims={manual, replicated} metadata={op=\"{a}\" x}}",
        "{{maximal device=3}, {replicated}, {mesh['x'=2,y=4], device_ids=([8]), [{'x', ?}p1, {y:(1)2}], unreduced={x}}}",
        "#sdy.sharding<@mesh, [{\"x\"}, {?}], replicated={\"y\"}>",
        "sdy.mesh @a = <[\"x\"=2], device_ids=[1, 0]>",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Auto,)), spec=P('x', None, ('y',)), memory_kind=device)",
        "(3,(4,5))",
        "#ttg.shared<{vec = 8, order = [1, 0]}>",
        "P(P.UNCONSTRAINED, unreduced={'x'})",
        "AbstractMesh(axis_sizes=(2, 4), axis_names=('x', 'y'))",
        "(Shard(dim=0), Replicate(), Partial(sum), _StridedShard(dim=1, sf=2), _MaskPartial(sum, f(1)))",
        "DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))",
        "DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))",
        "OrderedDict([('x', 2)])",
        "x=2,y:4",
        "{{0,1},{2,3}}",
        "Sw<3,4,-3> o smem_ptr[16b](unset) o (_8,(_64,?)):(_64,1@0@1)",
        "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,C<64>>,Stride<_64,Int<(int)1>>>{}>{}",
        "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128,_64>{})",
        "!cute.memref<f16, smem, align<1024>, S<3,4,3>, \"(8,64):(64,1)\">",
        "cute.make_layout((4,8), stride=(8,1))",
        "#b = #ttg.blocked<{sizePerThread = [1, 4], order = [1, 0], x = true}>\ntensor<128x64xf16, #b> // c",
        "!ttg.memdesc<2x?xf32, #ttg.swizzled_shared<{vec = 8}>, #smem, mutable, 3x4>",
        "#ttng.linear<[0:+8], {CTAsPerCGA = [1]}> \"q\" #other.x<y<z>>",
        " - lane=1 -> (0, 2)\n - warp is a size 1 dimension\nwhere out dims are: [dim0 (size 4), dim1 (size 8)]",
    ];

    type Found = Result<Vec<(String, usize, usize)>, (usize, Vec<String>)>;

    fn found<R: RuleType>(parsed: Result<Pairs<'_, R>, Error<R>>, name: fn(&R) -> String) -> Found {
        let token = |pair: pest::iterators::Pair<'_, R>| {
            (name(&pair.as_rule()), pair.as_span().start(), pair.as_span().end())
        };
        parsed.map(|pairs| pairs.flatten().map(token).collect()).map_err(|error| {
            let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
            let ErrorVariant::ParsingError { positives, .. } = error.variant else {
                panic!("no grammar makes others");
            };
            let mut names: Vec<_> = positives.iter().map(name).collect();
            names.sort();
            (at, names)
        })
    }

    /// Texts with a slip of one character: one is left out, one is added, or one is another.
    fn neighbours(text: &str) -> impl Iterator<Item = String> {
        const OTHERS: [&str; 11] = [",", "(", ")", "{", "\"", " ", "_", "o", "0", ":", "∗"];
        let edits = text.char_indices().flat_map(|(at, char)| {
            let (after, other) = (at + char.len_utf8(), OTHERS[at % OTHERS.len()]);
            [(at, after, ""), (at, at, other), (at, after, other)]
        });
        edits.map(move |(from, to, other)| [&text[..from], other, &text[to..]].concat())
    }

    /// Every rule finds the same tokens in each text as pest's own machine does, and stops where it stops for the same
    /// reasons; whole texts also with each slip of one character.
    pub(in crate::text) fn compare<R: Grammar>(grammar: &str) {
        let (_, rules) = pest_meta::parse_and_optimize(grammar).unwrap();
        let machine = Vm::new(rules);
        let same = |rule: R, text: &str| {
            let ours = found(parse(rule, text).map_err(|error| *error), |rule| format!("{rule:?}"));
            let name = format!("{rule:?}");
            let theirs = found(machine.parse(&name, text), |name| name.to_string());
            assert_eq!(ours, theirs, "{rule:?} in {text}");
            ours.is_ok()
        };
        for Definition { rule, expr, .. } in R::TABLE {
            let matched = TEXTS.iter().filter(|text| same(*rule, text)).count();
            if let Expr::Sequence([Expr::Start, ..]) = expr {
                assert!(matched > 0, "no text is {rule:?}");
                for slip in TEXTS.iter().flat_map(|text| neighbours(text)) {
                    same(*rule, &slip);
                }
            }
        }
    }
}
