//! Remedies for slips: texts that people paste, and texts that shells have changed.

use std::path::Path;

use tensor_layout::notation::Notation;
use tensor_layout::xla::{XlaDtype, XlaParser, XlaShape};
use tensor_layout::{LayoutText, Machine, ParseError};
use tensor_layout_hlo::scan::ScanReport;

use super::failure::Failure;

/// The failure for a text that is not a valid first layout, with the remedy if the slip is known.
pub(super) fn refused(error: ParseError, text: &str, lenient: bool) -> Failure {
    match from_order(text) {
        Some(advice) => Failure::Text(error, Some(advice)),
        None => refused_operand(error, text, lenient),
    }
}

/// The failure for a text that is not a valid layout of an edit.
pub(super) fn refused_operand(error: ParseError, text: &str, lenient: bool) -> Failure {
    let advice = from_output(text)
        .or_else(|| from_ascii(text))
        .or_else(|| from_shell(text))
        .or_else(|| from_file(text))
        .or_else(|| from_brackets(text))
        .or_else(|| from_log(text))
        .or_else(|| from_cpp(text))
        .or_else(|| from_lenient(text, lenient))
        .or_else(|| from_dtype(text));
    Failure::Text(error, advice)
}

/// Returns whether a corrected text is a layout.
fn reads(text: &str) -> bool {
    LayoutText::parse(text).is_ok()
}

/// Returns whether a corrected text is a layout that has a meaning.
fn means(text: &str) -> bool {
    LayoutText::parse(text).is_ok_and(|text| text.lower().is_ok())
}

/// `x.svg`, the file that a picture is to be written to.
fn from_output(text: &str) -> Option<String> {
    let end = Path::new(text).extension()?.to_str()?;
    let is_output = ["svg", "png", "gif", "html", "htm", "pdf", "txt", "csv", "npy"].contains(&end);
    (is_output && !Path::new(text).exists())
        .then(|| format!("to write to the file `{text}`, name it with -o {text}"))
}

/// Full-width brackets and digits, typographic quotes, as word processors write them; quotes of any kind.
fn from_ascii(text: &str) -> Option<String> {
    let fixed: String = text.chars().filter_map(ascii).collect();
    let fixed = fixed.trim();
    if text.is_ascii() {
        let is_quoted = fixed != text.trim() && reads(fixed);
        return is_quoted.then(|| format!("no layout has quotes; did you mean '{fixed}'?"));
    }
    (fixed != text.trim()).then(|| match reads(fixed) {
        true => format!("the text contains non-ASCII look-alikes; did you mean '{fixed}'?"),
        false => {
            "the text contains non-ASCII look-alikes; use ASCII brackets, digits and quotes".into()
        }
    })
}

/// The character that was meant; quotes are dropped, since layouts do not contain any.
fn ascii(c: char) -> Option<char> {
    const FULL_WIDTH: u32 = 0xFEE0;
    match c {
        '“' | '”' | '‘' | '’' | '「' | '」' | '"' | '\'' | '`' | '\u{feff}' => None,
        '！'..='～' => char::from_u32(u32::from(c) - FULL_WIDTH),
        '、' => Some(','),
        '×' | '∗' => Some('*'),
        '\u{a0}' | '\u{3000}' => Some(' '),
        c => Some(c),
    }
}

/// `f32[2,3]1` comes from an unquoted `f32[2,3]{1,0}` whose braces a shell expanded.
pub(super) fn from_shell(text: &str) -> Option<String> {
    let (head, tail) = text.rsplit_once(']')?;
    let digits = !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    let shape = format!("{head}]");
    let is_array = digits && matches!(shape.parse(), Ok(XlaShape::Array(_)));
    is_array.then(|| {
        format!("the shell expanded the braces; put the shape in quotes, as in '{shape}{{1,0}}'")
    })
}

/// Suggests a missing slash, missing outer brackets or missing commas.
fn from_brackets(text: &str) -> Option<String> {
    // The words of an encoding of Triton are not sizes.
    if text.is_empty() || Notation::of(text) == Notation::Triton {
        return None;
    }
    let slash = text.replacen(") (", ")/(", 1).replacen(")(", ")/(", 1);
    let commas = text.replace(") (", "), (").replace(")(", "), (");
    let blanks = text.split_whitespace().collect::<Vec<_>>().join(", ").replace(",,", ",");
    let times = text.replace('x', ",");
    let modes = text.split_once(':').map(|(shape, strides)| format!("({shape}):({strides})"));
    let outer = [format!("({text})"), format!("({commas})"), blanks, times];
    let fixed: Vec<String> = [slash, commas].into_iter().chain(modes).chain(outer).collect();
    let others = || fixed.iter().filter(|fixed| **fixed != text);
    // Some texts can be read in two ways, only one of which has a meaning.
    let meant = others().find(|fixed| means(fixed)).or_else(|| others().find(|text| reads(text)));
    meant.map(|fixed| format!("did you mean '{fixed}'?"))
}

/// The suggestion for the line of a log: the only layout that `scan` finds in it, if the line ends there.
fn from_log(text: &str) -> Option<String> {
    let report = ScanReport::read(text.as_bytes(), XlaParser::strict(), |_| {}).ok()?;
    let mut rows = report.rows();
    let (only, None) = (rows.next()?.text, rows.next()) else { return None };
    let is_behind = text.trim().strip_suffix(only).is_some_and(|before| !before.is_empty());
    is_behind.then(|| {
        format!("did you mean '{only}'? `tensor-layout scan` finds the layouts of a whole log")
    })
}

/// CuTe as written in C++ or Python, not as printed.
fn from_cpp(text: &str) -> Option<String> {
    let is_code = ["Layout<", "make_layout(", "cute::"].iter().any(|mark| text.contains(mark));
    is_code.then(|| "write the layout as CuTe prints it, such as (4,2):(1,4)".into())
}

/// The remedy for an argument that a command does not take; `rest` starts with that argument.
pub(super) fn unexpected(
    stray: &str,
    rest: &[&str],
    command: &clap::Command,
) -> Option<(String, String)> {
    const OF_LAYOUTS: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', ':', ',', ';', '=', '@'];
    let plain = |help: &str| Some((format!("unexpected argument `{stray}`"), help.to_owned()));
    let takes = |option: &str| command.get_arguments().any(|arg| arg.get_long() == Some(option));
    let digits = stray.trim_start_matches('-');
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b',');
    match command.get_name() {
        _ if is_number && digits != stray => plain("indexes, coordinates and counts begin at 0"),
        name if stray.starts_with('-') => {
            let (option, help) = (stray.to_owned(), option_of_others(name, stray)?);
            Some((format!("`{name}` has no option `{option}`"), help))
        }
        "locate" if is_number => plain("an index is one argument, as in 100,37"),
        name @ ("hlo" | "scan") if Path::new(stray).exists() => {
            plain(&format!("one file at a time; for more: cat A B | tensor-layout {name} -"))
        }
        name if stray.starts_with('(') && reads(stray) => {
            plain(&format!("`{name}` takes no further layout here"))
        }
        _ if rest.iter().any(|argument| argument.contains(OF_LAYOUTS)) => {
            plain("put a layout in quotes, so that the shell does not take it apart")
        }
        _ if takes("machine") && Machine::preset(stray).is_some() => {
            plain(&format!("name the machine with --machine {stray}"))
        }
        _ if takes("output") => plain(&format!("name the output with -o {stray}")),
        _ => None,
    }
}

/// The remedy for an option of pictures that another command has, or that is said in another way.
fn option_of_others(command: &str, option: &str) -> Option<String> {
    let help = match (command, option) {
        ("draw", "--film") => {
            "name the file of a film in .gif, as in -o film.gif, or add --view film"
        }
        ("draw", "--html" | "--svg" | "--png" | "--pdf" | "--gif") => {
            return Some(format!(
                "name the file, as in -o picture.{}",
                option.trim_start_matches('-')
            ));
        }
        ("draw", "--width" | "--height" | "--size" | "--scale" | "--dpi") => {
            "--blocks and --panels make a picture smaller; .svg and .pdf are sharp at any size"
        }
        ("explore", "-o" | "--output") => {
            "`tensor-layout draw LAYOUT -o page.html` writes the page"
        }
        ("explore", "--by" | "--labels") => "the page has a field for it, under Options",
        ("route", "--view" | "-o" | "--output") => "--film film.svg writes a film of the hops",
        ("explore" | "relayout", "--view" | "-o" | "--output") => {
            "`tensor-layout draw A B -o relayout.svg` draws two layouts; -o film.gif is a film"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// Returns an error for a layout in place of the file, which comes first.
pub(super) fn check_order(file: &Path, what: &str) -> Result<(), Failure> {
    let text = file.to_str().unwrap_or_default();
    if file.exists() || !reads(text) {
        return Ok(());
    }
    let why = format!("`{text}` is a layout, not {what}");
    Err(Failure::Advised(why, format!("{what} comes first, then the layout")))
}

/// Words that other programs have for a command.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("draw", "show view plot render picture image svg display film"),
    ("explain", "print info describe inspect read parse"),
    ("locate", "find where address place at lookup"),
    ("same", "diff compare equal cmp"),
    ("relayout", "move moves copy traffic transfer reshard"),
];

/// The remedy for a layout, or a word of another program, in place of a command.
pub(super) fn not_a_command(text: &str) -> Option<(String, String)> {
    if reads(text) {
        let help = format!("put a command in front of it: tensor-layout explain '{text}'");
        return Some((format!("`{text}` is a layout, not a command"), help));
    }
    let has = |(_, names): &&(&str, &str)| names.split(' ').any(|name| name == text);
    let (command, _) = OTHER_NAMES.iter().find(has)?;
    Some((format!("`{text}` is not a command"), format!("did you mean `{command}`?")))
}

/// The remedy for an option that a command needs and that has a list of values.
pub(super) fn missing(needed: &[String], command: &clap::Command) -> Option<(String, String)> {
    let named = |arg: &&clap::Arg| {
        let long = format!("--{} ", arg.get_long().unwrap_or_default());
        needed.iter().any(|needed| needed.starts_with(&long))
    };
    let arg = command.get_arguments().find(named)?;
    let values = arg.get_possible_values();
    let values = values.iter().map(clap::builder::PossibleValue::get_name).collect::<Vec<_>>();
    let option = format!("--{}", arg.get_long()?);
    let [first, ..] = values[..] else { return None };
    let why = format!("`{}` needs {option}", command.get_name());
    Some((why, format!("{option} is one of {}, as in {option} {first}", values.join(", "))))
}

fn from_file(text: &str) -> Option<String> {
    let is_file = text.len() < 4096 && Path::new(text).is_file();
    is_file.then(|| format!("`{text}` is a file; to read a layout from it, write - < {text}"))
}

/// The advice for an index or a place that is given instead of the layout.
fn from_order(text: &str) -> Option<String> {
    let is_number = |item: &str| !item.is_empty() && item.bytes().all(|b| b.is_ascii_digit());
    let numbers = text.split(',').all(|item| is_number(item.trim()));
    let places = text.contains('=') && text.parse::<tensor_layout::Location>().is_ok();
    (numbers || places).then(|| format!("the layout comes first, then `{text}`"))
}

fn from_lenient(text: &str, lenient: bool) -> Option<String> {
    let xla = Notation::of(text) == Notation::Xla;
    let would = xla && !lenient && XlaParser::lenient().parse(text).is_ok();
    would.then(|| "--lenient accepts this text: it reads XLA shapes as people write them".into())
}

/// `float32[3]`: the type by its NumPy or PyTorch name.
fn from_dtype(text: &str) -> Option<String> {
    let (name, _) = text.trim_start().split_once('[')?;
    let unknown =
        XlaDtype::from_name(name).is_none() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    let meant = if unknown { XlaDtype::meant_by(name)? } else { return None };
    Some(format!("`{name}` is not an XLA type; did you mean `{meant}`?"))
}
