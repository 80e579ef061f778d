//! Answers in C++ are those of Rust: `answers.cpp` reads a file of random questions, this file asks the library.

use std::fmt::{Display, Write as _};
use std::fs;
use std::path::Path;

use tensor_layout::candidates::Candidates;
use tensor_layout::error::{ErrorKind, ParseErrorKind};
use tensor_layout::notation::Notation;
use tensor_layout::program::{Cell, Program};
use tensor_layout::relayout::{CostModel, Distance, Pricer, Relayout};
use tensor_layout::route::Route;
use tensor_layout::xla::XlaDtype;
use tensor_layout::{
    Found, Layout, LayoutError, LayoutText, Level, Location, Machine, ParseError, Placement,
};

use crate::programs::{Linked, compilers, output};

/// The least number of answers that are compared.
const ANSWERS: usize = 10_000;

/// An answer as `answers.cpp` prints it, or the error.
type Answer = Result<String, String>;

/// The number of a kind in C.
fn number(kind: ErrorKind) -> usize {
    let names = "Invalid Argument Shape OutOfRange OutsideDomain Unknown Missing TooLarge Limit NotDecided Collision \
                 NotComparable Uneven NoDigits Inexpressible CannotInvert CannotComplement CannotRestrict NoRoute \
                 Unsupported";
    let name = format!("{kind:?}");
    2 + names.split_whitespace().position(|of| of == name).unwrap()
}

fn with_help(message: String, help: Option<&str>) -> String {
    help.map_or(message.clone(), |help| format!("{message} | {help}"))
}

fn refused(error: LayoutError) -> String {
    let message = format!("error {} {error}", number(error.kind()));
    with_help(message, error.help().as_deref())
}

fn unread(error: ParseError) -> String {
    let kind = match error.kind() {
        ParseErrorKind::Meaning(cause) => number(cause.kind()),
        _ => 1,
    };
    let (span, message) = (error.span(), error.kind());
    with_help(format!("error {kind} {} {} {message}", span.start, span.end), error.help())
}

fn numbers(of: impl IntoIterator<Item = impl Display>) -> String {
    of.into_iter().map(|number| format!(" {number}")).collect()
}

fn hash<T: Copy + Into<u64>>(numbers: &[T]) -> u64 {
    numbers.iter().fold(14_695_981_039_346_656_037, |sum, number| {
        (sum ^ (*number).into()).wrapping_mul(1_099_511_628_211)
    })
}

/// A small generator: the numbers have to be the same everywhere.
struct Random {
    state: u64,
    /// Another layout of the shape of the last PadLayout.
    alike: Option<String>,
}

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % end.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    fn shuffled<T>(&mut self, mut all: Vec<T>) -> Vec<T> {
        for at in (1..all.len()).rev() {
            all.swap(at, usize::try_from(self.below(at as u64 + 1)).unwrap());
        }
        all
    }

    fn index(&mut self, shape: &[u64]) -> Vec<u64> {
        // Seldom beyond the extent, or of another rank.
        let beyond = u64::from(self.below(20) == 0);
        let index = shape.iter().map(|extent| self.below(extent + beyond)).collect::<Vec<_>>();
        if self.below(40) == 0 { index[1.min(index.len())..].to_vec() } else { index }
    }

    /// The text of a layout, in any notation; a few cannot be read.
    fn layout(&mut self, machine: &[(&str, u64)]) -> String {
        let text = match self.below(8) {
            0 => self.xla(),
            1 => self.function(),
            _ => self.pad_layout(machine),
        };
        match self.below(16) {
            0 => {
                let at = usize::try_from(self.below(text.len() as u64)).unwrap();
                let mark = self.of(&[",", ")", "_", "0", "99999999999999999999", " "]);
                format!("{}{mark}{}", &text[..at], &text[at + 1..])
            }
            _ => text,
        }
    }

    fn pad_layout(&mut self, machine: &[(&str, u64)]) -> String {
        let levels = machine.iter().map(|(name, size)| (format!("{size}_{name}"), *size, false));
        let levels: Vec<_> = levels.filter(|_| self.below(3) > 0).collect();
        let count = self.below(5);
        let sizes: Vec<u64> = (0..count).map(|_| 1 + self.below(6)).collect();
        let addresses = sizes.iter().map(|size| (String::new(), *size, true));
        let mut all: Vec<(String, u64, bool)> = levels.into_iter().chain(addresses).collect();
        all = self.shuffled(all);
        let (mut stride, mut axes) =
            (1, vec![Vec::new(); 1 + usize::try_from(self.below(3)).unwrap()]);
        for (text, size, is_address) in all {
            let text = if is_address { format!("{size}:{stride}") } else { text };
            stride *= if is_address { size + u64::from(self.below(4) == 0) } else { 1 };
            let axis = usize::try_from(self.below(axes.len() as u64)).unwrap();
            axes[axis].push((text, size));
        }
        let extents: Vec<u64> =
            axes.iter().map(|of| of.iter().map(|(_, size)| size).product()).collect();
        let cut: Vec<u64> =
            extents.iter().map(|extent| extent - self.below(1 + extent / 4)).collect();
        let shuffled = axes.iter().map(|of| self.shuffled(of.clone())).collect::<Vec<_>>();
        let shape: Vec<String> = cut.iter().map(u64::to_string).collect();
        let text = |axes: &[Vec<(String, u64)>]| {
            let axis = |of: &Vec<(String, u64)>| {
                let texts: Vec<&str> = of.iter().map(|(text, _)| text.as_str()).collect();
                format!("({})", texts.join(", "))
            };
            let axes: Vec<String> = axes.iter().map(axis).collect();
            match cut == extents {
                true => format!("({})", axes.join(", ")),
                false => format!("({})/({})", shape.join(","), axes.join(", ")),
            }
        };
        self.alike = Some(text(&shuffled));
        text(&axes)
    }

    fn xla(&mut self) -> String {
        let shape = [1 + self.below(9), 1 + self.below(9), 1 + self.below(9)];
        let order = self.shuffled(vec![0, 1, 2]);
        let tiles = self.of(&["", ":T(2,4)", ":T(8)", ":T(4,4)(2,1)"]);
        let [a, b, c] = shape;
        format!("bf16[{a},{b},{c}]{{{},{},{}{tiles}}}", order[0], order[1], order[2])
    }

    fn function(&mut self) -> String {
        let [a, b, c, d] = [1 + self.below(6), 1 + self.below(6), self.below(8), self.below(8)];
        match self.below(2) {
            0 => format!("({a},{b}):({c},{d})"),
            _ => format!("shape=({a}, {b}), strides=({c}, {d})"),
        }
    }
}

/// The state that the questions before this one have left.
#[derive(Default)]
struct Session {
    layout: Option<(Layout, bool, Option<String>)>,
    other: Option<Layout>,
    machine: Option<Machine>,
    placement: Option<Placement>,
    before: Option<Placement>,
    table: Option<Program>,
}

fn written(layout: &Layout) -> Answer {
    let f32 = XlaDtype::from_name("f32").unwrap();
    let mut text = numbers(layout.shape()) + " : ";
    match layout.write(Notation::PadLayout, f32) {
        Ok((found, left_out)) => text += &with_help(found, left_out.as_deref()),
        Err(error) => text += &refused(error),
    }
    Ok(text)
}

fn columns(placement: &Placement, place: &Location) -> String {
    numbers(placement.columns().iter().map(|level| place.get(*level).unwrap()))
}

fn inverse<T: Cell + Default + Into<u64>>(table: &Program) -> Answer {
    let mut inverse = vec![T::default(); usize::try_from(table.places()).unwrap()];
    table.fill_inverse(&mut inverse).map_err(refused)?;
    Ok(format!(" {}", hash(&inverse)))
}

fn content<E>(found: &Found<E>) -> u8 {
    match found {
        Found::Element(_) => 0,
        Found::Padding => 1,
        Found::Hole => 2,
        Found::Outside => 3,
    }
}

impl Session {
    fn parse(&mut self, text: &str) -> Answer {
        let read = LayoutText::parse(text).map_err(unread)?;
        let layout = read.lower().map_err(unread)?;
        let memory = match &read {
            LayoutText::PadLayout(tree) => tree.memory.map(|memory| memory.name().to_owned()),
            _ => None,
        };
        self.layout = Some((layout.clone(), read.is_function(), memory));
        written(&layout)
    }

    fn parse_other(&mut self, text: &str) -> Answer {
        let other = LayoutText::parse(text).and_then(|text| text.lower()).map_err(unread)?;
        written(self.other.insert(other))
    }

    fn set_machine(&mut self, text: &str) -> Answer {
        let machine: Machine = text.parse().map_err(unread)?;
        let machine = self.machine.insert(machine);
        Ok(format!("{} {}", machine.units(), machine.word_bits()))
    }

    fn place(&mut self, on_machine: bool) -> Answer {
        self.before = self.placement.take();
        let (layout, is_function, memory) = self.layout.clone().unwrap();
        let mut placement = Placement::of(layout);
        match &self.machine {
            Some(machine) if on_machine => {
                placement = placement.on(machine).element_bits(16);
                if let Some(memory) = &memory {
                    placement = placement.memory(memory);
                }
            }
            _ if is_function => placement = placement.shared_places(),
            _ => {}
        }
        let placement = placement.build().map_err(refused)?;
        let (copies, words) = (placement.copies(), placement.footprint_words());
        let answer = format!("{copies} {words}{}", numbers(placement.columns()));
        self.placement = Some(placement);
        Ok(answer)
    }

    fn compile(&mut self) -> Answer {
        let table = self.placement.as_ref().unwrap().program().map_err(refused)?;
        let table = self.table.insert(table);
        Ok(format!("{} {}", table.elements(), table.places()))
    }

    fn fill(&self) -> Answer {
        let table = self.table.as_ref().unwrap();
        let mut packed = vec![0_u32; usize::try_from(table.elements()).unwrap()];
        // As the program in C++, go on after an error.
        let answer =
            table.fill_packed(&mut packed).map_or_else(refused, |()| hash(&packed).to_string());
        let narrow = inverse::<u32>(table);
        let rest = narrow.and_then(|narrow| Ok(narrow + &inverse::<u64>(table)?));
        Ok(answer + &rest.unwrap_or_else(|error| error))
    }

    fn pack<const N: usize>(&self) -> Answer {
        let table = self.table.as_ref().unwrap();
        let count = |of: u64| usize::try_from(of).unwrap();
        let bytes: Vec<u8> = (0..count(table.elements()) * N)
            .map(|at| u8::try_from(at * 37 % 251).unwrap())
            .collect();
        let (tensor, _) = bytes.as_chunks::<N>();
        let mut image = vec![[0; N]; count(table.places())];
        table.pack(tensor, &mut image, [7; N]).map_err(refused)?;
        Ok(format!("{} back", hash(image.as_flattened())))
    }

    fn traffic(&self) -> Answer {
        let (before, after) = (self.before.as_ref().unwrap(), self.placement.as_ref().unwrap());
        let relayout = Relayout::new(before, after).map_err(refused)?;
        let traffic = relayout.traffic().map_err(refused)?;
        let (in_place, address) = (Distance::InPlace, Distance::Address);
        let (in_place, address) = (traffic.count(in_place), traffic.count(address));
        let mut answer = format!("{in_place} {address} {}", traffic.moved());
        for of in &traffic.levels {
            let across = traffic.count(Distance::Level(of.level));
            write!(answer, " {}={}/{}/{across}", of.level, of.into, of.out_of.unwrap_or(0))
                .unwrap();
        }
        let costs = || -> Result<String, LayoutError> {
            let pricer = Pricer::new(CostModel::new(self.machine.as_ref().unwrap(), 16)?);
            let (from, to) = (pricer.part(before)?, pricer.part(after)?);
            let (even, busiest) = (pricer.cost(from, to)?, pricer.busiest_cost(from, to)?);
            Ok(format!(" costs {} {}", even.steps, busiest.steps))
        };
        Ok(answer + &costs().unwrap_or_else(refused))
    }

    fn route(&self) -> Answer {
        let (before, after) = (self.before.as_ref().unwrap(), self.placement.as_ref().unwrap());
        let route = Route::new(before, after).map_err(refused)?;
        let (cycles, are_known) = route.cycles();
        let mut answer = format!("{cycles}{}", if are_known { "" } else { " at least" });
        for hop in route.hops() {
            let name = hop.movement.as_ref().map_or("none", |movement| movement.name.as_str());
            write!(answer, " {name} {} {} {}", hop.upper_words, hop.lower_words, hop.at_least)
                .unwrap();
            answer += &written(hop.target.layout())?;
        }
        Ok(answer)
    }

    fn candidates(&self, shape: &[u64]) -> Answer {
        let machine = self.machine.as_ref().unwrap();
        let outermost = machine.levels().map(|(level, _)| level).next().unwrap();
        let all = Candidates { level_parts: 2, ..Candidates::new(machine, shape) };
        let all = Candidates { without_copies_in: vec![outermost], time: vec![1, 2], ..all };
        let mut answer = String::new();
        for candidate in all.iter().map_err(refused)?.take(5) {
            let of = candidate.map_err(refused)?;
            answer += &written(&of.layout)?;
            write!(answer, " {} {} {};", of.footprint_words, of.pads, of.units_used).unwrap();
        }
        Ok(answer)
    }

    /// The answer of the library to a question.
    fn answer(&mut self, kind: char, text: &str) -> Answer {
        let given: Vec<u64> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        let layout = || &self.layout.as_ref().unwrap().0;
        let other = || self.other.as_ref().unwrap();
        let placement = || self.placement.as_ref().unwrap();
        let table = || self.table.as_ref().unwrap();
        let edited = |made: Result<Layout, LayoutError>| written(&made.map_err(refused)?);
        match kind {
            'L' => self.parse(text),
            'O' => self.parse_other(text),
            'M' => self.set_machine(text),
            'P' | 'Q' => self.place(kind == 'Q'),
            '=' => {
                let same = layout().same_map(other()).map_err(refused)?.is_none();
                Ok(if same { "same" } else { "different" }.into())
            }
            'o' => edited(layout().compose(other())),
            '<' => edited(layout().left_inverse()),
            '>' => edited(layout().right_inverse()),
            'r' => edited(layout().reshape(&given)),
            'x' => {
                let order: Vec<usize> =
                    given.iter().map(|at| usize::try_from(*at).unwrap()).collect();
                edited(layout().permute(&order))
            }
            's' => {
                let axis = usize::try_from(given[0]).unwrap();
                edited(layout().slice(axis, given[1], given[2], given[3]))
            }
            'l' => Ok(columns(placement(), &placement().locate(&given).map_err(refused)?)),
            'a' => {
                let all = placement().locate_all(&given).map_err(refused)?;
                Ok(all.map(|place| columns(placement(), &place)).collect())
            }
            'e' => {
                let levels = placement().columns().iter().copied();
                let place: Location = levels.zip(given).collect();
                let found = placement().element(&place).map_err(refused)?;
                let nothing = vec![0; placement().layout().rank()];
                let index = if let Found::Element(index) = &found { index } else { &nothing };
                Ok(format!("{}{}", content(&found), numbers(index)))
            }
            't' => self.compile(),
            'p' => Ok(table().place(&given).map_err(refused)?.to_string()),
            'f' => {
                let found = table().element(given[0]).map_err(refused)?;
                let element = if let Found::Element(element) = found { element } else { 0 };
                Ok(format!("{} {element}", content(&found)))
            }
            'F' => self.fill(),
            'K' => match given[0] {
                1 => self.pack::<1>(),
                2 => self.pack::<2>(),
                4 => self.pack::<4>(),
                8 => self.pack::<8>(),
                _ => self.pack::<16>(),
            },
            'T' => self.traffic(),
            'R' => self.route(),
            _ => self.candidates(&given),
        }
    }
}

/// Questions and the answers of the library.
struct Exam {
    random: Random,
    session: Session,
    questions: String,
    answers: Vec<String>,
}

impl Exam {
    fn ask(&mut self, kind: char, text: &str) -> bool {
        let answer = self.session.answer(kind, text);
        writeln!(self.questions, "{kind} {text}").unwrap();
        let is_answered = answer.is_ok();
        self.answers.push(answer.unwrap_or_else(|error| error));
        is_answered
    }

    fn ask_numbers(&mut self, kind: char, of: &[u64]) -> bool {
        self.ask(kind, numbers(of).trim())
    }

    /// Questions about two layouts in memories of MN-Core 2.
    fn ask_about_a_route(&mut self) {
        let rows = 1 << self.random.below(5);
        let source = format!("(({rows}:64, 64:1)) @ L1BM");
        let targets = [
            format!("((1_L2B, 1_L1B, {rows}:1, 16_MAB, 4_PE)) @ LM0"),
            format!("(({rows}:16, 4_PE, 16:1); B@[MAB]) @ LM0"),
            format!("((1_L2B, 64:{rows}, {rows}:1)) @ L2BM"),
        ];
        let target = self.random.of(&targets).clone();
        for text in [source, target] {
            assert!(self.ask('L', &text), "{text}");
            if !self.ask('Q', "") {
                return;
            }
        }
        if self.session.before.is_some() {
            self.ask('R', "");
            self.ask('T', "");
        }
    }

    /// Questions about one layout and another.
    fn ask_about_layouts(&mut self, machine: &[(&str, u64)]) {
        let text = self.random.layout(machine);
        if !self.ask('L', &text) {
            return;
        }
        let shape = self.session.layout.as_ref().unwrap().0.shape();
        let others =
            [self.random.layout(machine), text, format!("({}:1)", shape.iter().product::<u64>())];
        let other = self.random.of(&others).clone();
        if self.ask('O', &other) {
            for kind in ['=', 'o'] {
                self.ask(kind, "");
            }
        }
        for kind in ['<', '>'] {
            self.ask(kind, "");
        }
        let order = self.random.shuffled((0..shape.len() as u64).collect());
        self.ask_numbers('x', &order);
        let elements = shape.iter().product::<u64>();
        let parts = 1 + self.random.below(4);
        self.ask_numbers('r', &[elements / parts, parts]);
        let axis = self.random.below(shape.len() as u64 + 1);
        let [start, stop, step] = [3, 9, 3].map(|end| self.random.below(end));
        self.ask_numbers('s', &[axis, start, stop, step]);
    }

    /// Questions about the places of the layout.
    fn ask_about_places(&mut self) {
        let kind = *self.random.of(&['P', 'Q', 'Q', 'Q']);
        if !self.ask(kind, "") {
            return;
        }
        let placement = self.session.placement.clone().unwrap();
        let shape = placement.layout().shape();
        for _ in 0..3 {
            let index = self.random.index(&shape);
            self.ask_numbers('l', &index);
            if placement.copies() < 64 {
                self.ask_numbers('a', &index);
            }
            let size = |level: &Level| placement.coordinates(*level) + 1;
            let place: Vec<u64> =
                placement.columns().iter().map(|of| self.random.below(size(of))).collect();
            self.ask_numbers('e', &place);
        }
        if self.session.before.is_some() && kind == 'Q' {
            self.ask('T', "");
        }
        if placement.layout().elements() > 1 << 16 || !self.ask('t', "") {
            return;
        }
        let places = self.session.table.as_ref().unwrap().places();
        for _ in 0..3 {
            let index = self.random.index(&shape);
            self.ask_numbers('p', &index);
            let place = self.random.below(places + 2);
            self.ask_numbers('f', &[place]);
        }
        if places < 1 << 16 {
            self.ask('F', "");
            let size = *self.random.of(&["1", "2", "4", "8", "16"]);
            self.ask('K', size);
        }
    }
}

fn exam() -> Exam {
    let machines: [&[(&str, u64)]; 4] = [
        &[("L2B", 8), ("L1B", 8), ("MAB", 16), ("PE", 4)],
        &[("L2B", 2), ("PE", 4)],
        &[("Core", 3)],
        &[("MAB", 4), ("PE", 5)],
    ];
    let mut exam = Exam {
        random: Random { state: 0x9E37_79B9_7F4A_7C15, alike: None },
        session: Session::default(),
        questions: String::new(),
        answers: Vec::new(),
    };
    for turn in 0.. {
        if exam.answers.len() >= ANSWERS {
            break;
        }
        let at = turn % machines.len();
        let levels: Vec<String> =
            machines[at].iter().map(|(name, size)| format!("{name}={size}")).collect();
        let text = if at == 0 { "mn-core-2".into() } else { levels.join(",") };
        exam.ask('M', &text);
        let slip = *exam.random.of(&["PE=0", "mn-cor", "PE", "PE=2,PE=2"]);
        exam.ask('M', slip);
        if at == 0 {
            exam.ask_about_a_route();
        }
        exam.ask_about_layouts(machines[at]);
        if exam.session.layout.is_some() {
            exam.ask_about_places();
            if let Some(alike) = exam.random.alike.take() {
                exam.ask('L', &alike);
            }
            exam.ask_about_places();
        }
        let shape = [1 + exam.random.below(40), 1 + exam.random.below(40)];
        exam.ask_numbers('C', &shape);
    }
    exam
}

#[test]
fn ten_thousand_answers_are_those_of_rust() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers.cpp");
    let Some(compiler) = compilers(&source).into_iter().next() else { return };
    let exam = exam();
    let (dir, program) = compiler.compile(&source, Linked::Statically);
    let questions = dir.path().join("questions");
    fs::write(&questions, &exam.questions).unwrap();
    let printed = output(&program, &[&questions]);
    let questions = exam.questions.lines();
    let mut given = printed.lines();
    for (question, answer) in questions.zip(&exam.answers) {
        // A message may have several lines.
        let lines: Vec<&str> = given.by_ref().take(answer.lines().count().max(1)).collect();
        assert_eq!(lines.join("\n"), *answer, "{question}");
    }
    assert_eq!(given.next(), None);
    let errors = exam.answers.iter().filter(|answer| answer.contains("error ")).count();
    assert!(errors > ANSWERS / 50 && errors < ANSWERS / 2, "{errors} errors");
}
