//! Programs from the text of StableHLO modules.

use std::collections::HashMap;
use std::fmt::Write;
use std::str::FromStr;

use itertools::Itertools;
use tensor_layout::error::fault;
use tensor_layout::sharding::{MeshDims, SdySharding};
use tensor_layout::{LayoutError, ParseError};
use tensor_layout_words::mlir::angled;

use super::rules::rule;
use super::statement::{Function, Statement, functions, names, offset, symbol};
use crate::program::{Body, Dims, Loop, Operation, Program, Rule, Step, Tensor, TensorId};

/// The most operations of a program whose calls are written out.
const MOST: usize = 1 << 17;

/// Reads what `jax.jit(f).lower(..).as_text()` prints: `@main` with its calls written out.
///
/// # Errors
/// `Missing` for a text without functions, `Invalid` for one that is cut off or names tensors that are not there,
/// `Unsupported` for extents that are not known, `shard_map`, and shardings of operations; `TooLarge` for more than 131,072 operations.
///
/// # Example
/// ```
/// use tensor_layout_plan::stablehlo::read_stablehlo;
/// let program = read_stablehlo("module @jit_f {
///   func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4x2xf32>) -> (tensor<8x2xf32>) {
///     %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
///     return %0 : tensor<8x2xf32>
///   }
/// }")?;
/// assert_eq!(program.operations[0].rule.reads, [[Some(1), Some(0)], [Some(0), Some(2)]]);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
pub fn read_stablehlo(text: &str) -> Result<Program, LayoutError> {
    let (name, functions) = functions(text)?;
    let main = functions.iter().find(|of| of.name == "main").unwrap_or(&functions[0]);
    let mut reader = Reader {
        program: Program { name: name.to_owned(), ..Program::default() },
        functions: functions.iter().map(|of| (of.name, of)).collect(),
        numbers: HashMap::new(),
        times: 1,
        calls: Vec::new(),
    };
    let mut scope = Scope::new();
    for (name, dims, attributes) in &main.arguments {
        let id = reader.tensor(name, dims.clone(), false);
        scope.insert((*name).to_owned(), id);
        reader.program.arguments.push(id);
        if let Some(sharding) = reader.sharding(attributes)? {
            reader.program.annotated.push((id, sharding));
        }
        if let Some(result) = number_after(attributes, "tf.aliasing_output = ", " ") {
            reader.program.donated.push((id, result));
        }
    }
    let (body, mut results) = reader.body(&main.body, &mut scope)?;
    for (id, (_, attributes)) in results.iter_mut().zip(&main.results) {
        *id = reader.annotated(*id, attributes)?;
    }
    let of_result = |(_, attributes): &(Dims, &str)| {
        let (_, rest) = attributes.split_once("jax.result_info = \"")?;
        Some(rest.split('"').next()?.to_owned())
    };
    reader.program.names = main.results.iter().map(of_result).collect();
    let mut program = reader.program;
    // What cannot take over the memory of an argument has no need to be where it is.
    let dims = |id: TensorId| &program.tensors[id.0].dims;
    let donated = program.donated.iter().copied().filter(|(argument, result)| {
        results.get(*result).is_some_and(|result| dims(*result) == dims(*argument))
    });
    program.donated = donated.collect();
    (program.body, program.results) = (body, results);
    Ok(program)
}

/// The tensors by their names in the text.
type Scope = HashMap<String, TensorId>;

struct Reader<'t> {
    program: Program,
    functions: HashMap<&'t str, &'t Function<'t>>,
    /// The scalars that are known.
    numbers: HashMap<TensorId, u64>,
    /// The number of times that the body is run that is read.
    times: u64,
    /// The functions that are being written out.
    calls: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    /// The steps of a body, and what it returns.
    fn body(
        &mut self,
        statements: &'t [Statement<'t>],
        scope: &mut Scope,
    ) -> Result<(Body, Vec<TensorId>), LayoutError> {
        let mut steps = Vec::new();
        for statement in statements {
            if statement.text.contains("sdy.sharding_per_value") {
                return Err(partitioned());
            }
            match statement.name {
                "return" | "stablehlo.return" | "func.return" => {
                    return Ok((steps, self.operands(statement, scope)?));
                }
                "call" | "func.call" => self.call(statement, scope, &mut steps)?,
                "stablehlo.while" => steps.push(self.counted(statement, scope)?),
                "sdy.manual_computation" => return Err(manual()),
                _ if is_constraint(statement) => {
                    for (name, id) in statement.results.iter().zip(self.operands(statement, scope)?)
                    {
                        let id = self.annotated(id, statement.text)?;
                        scope.insert(name.clone(), id);
                    }
                }
                _ => steps.push(self.operation(statement, scope)?),
            }
        }
        Ok((steps, Vec::new()))
    }

    fn operands(
        &self,
        statement: &Statement<'_>,
        scope: &Scope,
    ) -> Result<Vec<TensorId>, LayoutError> {
        let operand = |name: &String| {
            scope.get(name).copied().ok_or_else(|| {
                let name = name.clone();
                fault!(Invalid, "`{name}` is read before it is computed", [name])
            })
        };
        statement.operands.iter().map(operand).collect()
    }

    /// Checks that tensors have the types that are expected.
    fn check<'d>(
        &self,
        of: &str,
        ids: &[TensorId],
        types: impl Iterator<Item = &'d Dims>,
    ) -> Result<(), LayoutError> {
        let found = ids.iter().map(|id| self.program.tensor(*id).dims.text()).join(", ");
        let expected = types.map(Dims::text).join(", ");
        if found == expected {
            return Ok(());
        }
        let of = of.to_owned();
        Err(fault!(
            Invalid,
            "{of} has ({found}) where ({expected}) is expected",
            [of, found, expected]
        ))
    }

    fn call(
        &mut self,
        statement: &'t Statement<'t>,
        scope: &mut Scope,
        steps: &mut Body,
    ) -> Result<(), LayoutError> {
        let name = symbol(statement.text.split_once('@').map_or("", |(_, name)| name));
        let missing = || {
            let name = name.to_owned();
            fault!(Invalid, "`@{name}` is called, and is not in this text or calls itself", [name])
        };
        let is_open = self.calls.contains(&name);
        let function = *self.functions.get(name).filter(|_| !is_open).ok_or_else(missing)?;
        let operands = self.operands(statement, scope)?;
        let types = function.arguments.iter().map(|(_, dims, _)| dims);
        self.check(&format!("@{name}"), &operands, types)?;
        let arguments = function.arguments.iter().map(|(name, ..)| (*name).to_owned());
        let mut inside: Scope = arguments.zip(operands).collect();
        self.calls.push(name);
        let (body, results) = self.body(&function.body, &mut inside)?;
        self.calls.pop();
        self.check(&format!("what @{name} returns"), &results, statement.types.iter())?;
        steps.extend(body);
        scope.extend(statement.results.iter().cloned().zip(results));
        Ok(())
    }

    fn operation(
        &mut self,
        statement: &'t Statement<'t>,
        scope: &mut Scope,
    ) -> Result<Step, LayoutError> {
        let reads = self.operands(statement, scope)?;
        let dims = |id: &TensorId| &self.program.tensor(*id).dims;
        let types = statement.types.iter().collect_vec();
        let found = rule(statement, &reads.iter().map(dims).collect_vec(), &types);
        let is_free = found.is_some() && reads.iter().all(|id| self.program.tensor(*id).is_free);
        let whole = || Rule::whole(&reads.iter().map(dims).collect_vec(), &types);
        let at = self.program.operations.len();
        let rule = found.clone().unwrap_or_else(whole);
        let text = self.renamed(statement.text, scope);
        let kind = statement.name.to_owned();
        if found.is_none() {
            self.program.uncovered.push((kind.clone(), at));
        }
        let results = statement.results.iter().zip(&statement.types);
        let results = results.map(|(name, dims)| self.tensor(name, dims.clone(), is_free));
        let results = results.collect_vec();
        scope.extend(statement.results.iter().cloned().zip(results.iter().copied()));
        if let ("stablehlo.constant", [id]) = (statement.name, &results[..])
            && let Some(number) = number_after(statement.text, "dense<", ">")
        {
            self.numbers.insert(*id, number);
        }
        if at >= MOST {
            return Err(fault!(TooLarge, "this program has more than {MOST} operations", [MOST]));
        }
        let times = self.times;
        self.program.operations.push(Operation { kind, reads, results, rule, times, text });
        Ok(Step::Operation(at))
    }

    /// A loop: what it carries is the same in every trip, and after the last.
    fn counted(
        &mut self,
        statement: &'t Statement<'t>,
        scope: &mut Scope,
    ) -> Result<Step, LayoutError> {
        let [condition, body] = &statement.regions[..] else {
            return Err(fault!(Invalid, "a loop of this text has no condition or no body", []));
        };
        let starts = self.operands(statement, scope)?;
        let carried = names(&statement.head).filter(|name| {
            let end = offset(&statement.head, name) + name.len();
            statement.head[end..].starts_with(" = ")
        });
        let mut inside = scope.clone();
        let mut ids = Vec::new();
        for (name, start) in carried.zip(&starts) {
            let dims = self.program.tensor(*start).dims.clone();
            let id = self.tensor(name, dims, false);
            inside.insert(name.to_owned(), id);
            ids.push(id);
        }
        let trips = self.trips(condition, &starts, &ids, &inside);
        let before = self.times;
        self.times = before.saturating_mul(trips.unwrap_or(1));
        let text = condition.iter().map(|of| self.line(of, &inside)).join("\n");
        let (body, yields) = self.body(body, &mut inside)?;
        let times = std::mem::replace(&mut self.times, before);
        let types = ids.iter().map(|id| &self.program.tensor(*id).dims);
        self.check("a loop", &starts, types.clone())?;
        self.check("the body of a loop", &yields, types)?;
        let results = statement.results.iter().zip(&ids).map(|(name, carried)| {
            let dims = self.program.tensor(*carried).dims.clone();
            let id = self.tensor(name, dims, false);
            self.program.tensors[id.0].is = Some(*carried);
            id
        });
        let results = results.collect_vec();
        scope.extend(statement.results.iter().cloned().zip(results.iter().copied()));
        self.program.loops.push(Loop {
            starts,
            carried: ids,
            yields,
            results,
            body,
            begins: before,
            times,
            is_counted: trips.is_some(),
            condition: text,
        });
        Ok(Step::Loop(self.program.loops.len() - 1))
    }

    /// The trips of a loop that counts from 0 to a number.
    fn trips(
        &self,
        condition: &[Statement<'_>],
        starts: &[TensorId],
        carried: &[TensorId],
        scope: &Scope,
    ) -> Option<u64> {
        let compare = condition.iter().find(|of| of.name == "stablehlo.compare")?;
        let [counter, end] = &compare.operands[..] else { return None };
        let place = carried.iter().position(|id| scope.get(counter) == Some(id))?;
        let inside = condition.iter().find(|of| of.results.first() == Some(end));
        let end = match inside {
            Some(of) => number_after(of.text, "dense<", ">")?,
            None => *self.numbers.get(scope.get(end)?)?,
        };
        let is_less = compare.text.contains("compare LT") || compare.text.contains("compare  LT");
        (is_less && self.numbers.get(&starts[place]) == Some(&0)).then_some(end)
    }

    fn tensor(&mut self, name: &str, dims: Dims, is_free: bool) -> TensorId {
        let name = self.calls.last().map_or(name.to_owned(), |of| format!("{of}:{name}"));
        self.program.add(Tensor { name, dims, is: None, is_free })
    }

    /// The tensor, or another name for it with the sharding that a text gives it.
    fn annotated(&mut self, id: TensorId, text: &str) -> Result<TensorId, LayoutError> {
        let Some(sharding) = self.sharding(text)? else { return Ok(id) };
        let tensor = Tensor { is: Some(id), ..self.program.tensor(id).clone() };
        let named = self.program.add(tensor);
        self.program.annotated.push((named, sharding));
        Ok(named)
    }

    /// The sharding in the attributes of an argument or result, or in the text of a constraint.
    fn sharding(&mut self, text: &str) -> Result<Option<MeshDims>, LayoutError> {
        self.program.unread += usize::from(text.contains("mhlo.sharding = "));
        let Some((_, rest)) = text.split_once("sdy.sharding") else { return Ok(None) };
        let text = rest.find('<').and_then(|start| angled(&rest[start..])).unwrap_or(rest);
        let sharding: SdySharding = text.parse().map_err(|error: ParseError| {
            let (text, why) = (text.to_owned(), error.kind().to_string());
            fault!(Invalid, "`{text}` is no sharding: {why}", [text, why])
        })?;
        Ok(Some(sharding.dims))
    }

    /// A statement inside of a condition.
    fn line(&self, of: &Statement<'_>, scope: &Scope) -> String {
        let results = of.results.iter().map(|name| name.split('#').next().unwrap_or(name));
        let results = results.dedup().join(", ");
        let sign = if results.is_empty() { "" } else { " = " };
        format!("{results}{sign}{}", self.renamed(of.text, scope))
    }

    /// The text with numbers in place of the tensors that are known: `%[3]`.
    fn renamed(&self, text: &str, scope: &Scope) -> String {
        let (mut renamed, mut from) = (String::new(), 0);
        for name in names(text) {
            if let Some(id) = scope.get(name) {
                let at = offset(text, name);
                let _ = write!(renamed, "{}%[{}]", &text[from..at], id.0);
                from = at + name.len();
            }
        }
        renamed + &text[from..]
    }
}

/// Returns whether a statement does nothing but say a sharding.
fn is_constraint(statement: &Statement<'_>) -> bool {
    statement.name == "sdy.sharding_constraint"
        || (statement.name == "stablehlo.custom_call" && statement.head.contains("@Sharding("))
}

fn manual() -> LayoutError {
    fault!(
        Unsupported,
        "`sdy.manual_computation` has the shapes of one device: plan the program without `shard_map`",
        []
    )
}

fn partitioned() -> LayoutError {
    fault!(
        Unsupported,
        "an operation has a sharding of its own (`sdy.sharding_per_value`): plan the program as it was before shardings were propagated",
        []
    )
}

/// The number between two texts.
fn number_after<N: FromStr>(text: &str, before: &str, after: &str) -> Option<N> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after)?.0.parse().ok()
}
