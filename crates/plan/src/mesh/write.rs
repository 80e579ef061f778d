//! The program with the plan in it: `sdy.sharding` at arguments and results, `sdy.sharding_constraint` inside.

use std::collections::HashMap;
use std::fmt::Write;

use itertools::Itertools;

use super::plan::MeshPlan;
use super::reshard::{Reshard, written_spec};
use super::spec::Spec;
use crate::program::{Operation, Step, TensorId};

/// The name of the mesh.
const MESH: &str = "@mesh";

impl MeshPlan<'_> {
    /// The StableHLO text of the program with the plan in it, calls written out; `None` for a program that is not from such
    /// a text.
    ///
    /// Every tensor is constrained where it is made, and once for each other spec that readers want, so that a partitioner has
    /// nothing left to choose.
    #[must_use]
    pub fn module(&self) -> Option<String> {
        let program = self.program();
        if program.operations.iter().any(|of| of.text.is_empty()) {
            return None;
        }
        let mut writer = Writer {
            plan: self,
            text: String::new(),
            names: HashMap::new(),
            known: HashMap::new(),
            fresh: 0,
        };
        let axes = self.mesh().axes().iter().map(|(name, size)| format!("\"{name}\"={size}"));
        let devices = self.mesh().devices();
        let _ = writeln!(
            writer.text,
            "module @{} attributes {{mhlo.num_partitions = {devices} : i32, mhlo.num_replicas = 1 : i32}} {{",
            if program.name.is_empty() { "main" } else { &program.name }
        );
        let _ = writeln!(writer.text, "  sdy.mesh {MESH} = <[{}]>", { axes }.join(", "));
        writer.function();
        Some(writer.text + "}\n")
    }

    fn sharding(&self, spec: &Spec) -> String {
        format!("#sdy.sharding<{MESH}, {}>", written_spec(spec, self.mesh()))
    }
}

struct Writer<'p, 'a> {
    plan: &'p MeshPlan<'a>,
    text: String,
    /// The names of tensors.
    names: HashMap<TensorId, String>,
    /// The names of tensors in other specs, in the body that is written.
    known: HashMap<(String, Spec), String>,
    fresh: usize,
}

impl Writer<'_, '_> {
    fn function(&mut self) {
        let (plan, program) = (self.plan, self.plan.program());
        let arguments = program.arguments.iter().enumerate().map(|(at, id)| {
            let name = format!("%in{at}");
            self.names.insert(*id, name.clone());
            let dims = &program.tensor(*id).dims;
            let donated = program.donated.iter().find(|(of, _)| of == id);
            let donated = donated.map_or_else(String::new, |(_, result)| {
                format!(", tf.aliasing_output = {result} : i32")
            });
            let sharding = plan.sharding(&plan.spec(*id));
            format!("{name}: {} {{sdy.sharding = {sharding}{donated}}}", dims.text())
        });
        let arguments = { arguments }.join(", ");
        let results = program.results.iter().enumerate().map(|(at, id)| {
            let sharding = plan.sharding(&plan.result_spec(at));
            format!("{} {{sdy.sharding = {sharding}}}", program.tensor(*id).dims.text())
        });
        let results = { results }.join(", ");
        let _ = writeln!(self.text, "  func.func public @main({arguments}) -> ({results}) {{");
        program.arguments.iter().for_each(|id| self.keep(*id));
        self.body(&program.body);
        let results = program.results.iter().enumerate();
        let results = results.map(|(at, id)| self.brought(*id, &plan.result_spec(at)));
        let results = results.collect_vec().join(", ");
        let types = program.results.iter().map(|id| program.tensor(*id).dims.text()).join(", ");
        let _ = writeln!(self.text, "    return {results} : {types}\n  }}");
    }

    fn body(&mut self, body: &[Step]) {
        for step in body {
            match step {
                Step::Operation(at) => self.operation(*at),
                Step::Loop(at) => self.repeated(*at),
            }
        }
    }

    fn operation(&mut self, at: usize) {
        let operation = &self.plan.program().operations[at];
        let choice = self.plan.operation(at);
        let reads = operation.reads.iter().enumerate();
        let reads = reads.map(|(number, id)| match choice {
            Some(choice) => self.brought(*id, &choice.reads[number]),
            None => self.name(*id),
        });
        let reads = reads.collect_vec();
        let results = self.results(operation);
        let text = self.renamed(&operation.text, &reads);
        let sign = if results.is_empty() { "" } else { " = " };
        let _ = writeln!(self.text, "    {results}{sign}{text}");
        let Some(choice) = choice else { return };
        for (id, spec) in operation.results.iter().zip(&choice.results) {
            self.pin(*id, spec);
            self.keep(*id);
        }
    }

    /// The names of the results of an operation, as a definition has them.
    fn results(&mut self, operation: &Operation) -> String {
        let base = self.new_name();
        match &operation.results[..] {
            [] => String::new(),
            [id] => {
                self.names.insert(*id, base.clone());
                base
            }
            all => {
                for (number, id) in all.iter().enumerate() {
                    self.names.insert(*id, format!("{base}#{number}"));
                }
                format!("{base}:{}", all.len())
            }
        }
    }

    /// Leaves XLA no choice of the spec of a tensor.
    fn pin(&mut self, id: TensorId, spec: &Spec) {
        if self.plan.program().tensor(id).dims.shape.is_empty() {
            return;
        }
        let (name, spec) = (self.name(id), written_spec(spec, self.plan.mesh()));
        let name = self.constrained(name, id, &spec);
        self.names.insert(id, name);
    }

    /// Brings a tensor to the spec in which its readers find it.
    fn keep(&mut self, id: TensorId) {
        let plan = self.plan;
        let name = self.name(id);
        let name = self.moved(name, id, &plan.spec(id), &plan.found(id));
        self.names.insert(id, name);
    }

    /// The name under which a reader finds a tensor in its spec.
    fn brought(&mut self, id: TensorId, to: &Spec) -> String {
        let name = self.name(id);
        match self.plan.network.found(id) {
            Some(_) => self.moved(name, id, &self.plan.found(id), to),
            None => name,
        }
    }

    fn moved(&mut self, name: String, id: TensorId, from: &Spec, to: &Spec) -> String {
        let key = (name.clone(), to.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let dims = &self.plan.program().tensor(id).dims;
        let way = Reshard::of(from, to, dims, self.plan.mesh());
        let steps = way.steps.iter().map(|step| step.written(self.plan.mesh())).collect_vec();
        let end = steps.iter().fold(name, |name, spec| self.constrained(name, id, spec));
        self.known.insert(key, end.clone());
        end
    }

    fn constrained(&mut self, name: String, id: TensorId, spec: &str) -> String {
        let new = self.new_name();
        let dims = self.plan.program().tensor(id).dims.text();
        let _ = writeln!(
            self.text,
            "    {new} = sdy.sharding_constraint {name} <{MESH}, {spec}> : {dims}"
        );
        new
    }

    /// A loop: all that it carries, a condition, and a body with names of its own.
    fn repeated(&mut self, at: usize) {
        let program = self.plan.program();
        let of = &program.loops[at];
        let specs = of.carried.iter().map(|id| self.plan.spec(*id)).collect_vec();
        let given = |writer: &mut Self, ids: &[TensorId]| -> Vec<String> {
            ids.iter().zip(&specs).map(|(id, spec)| writer.brought(*id, spec)).collect()
        };
        let starts = given(self, &of.starts);
        let base = self.new_name();
        let carried = of.carried.iter().enumerate().map(|(at, id)| {
            let name = format!("{base}_{at}");
            self.names.insert(*id, name.clone());
            name
        });
        let carried = carried.collect_vec();
        let pairs = carried.iter().zip(&starts).map(|(name, start)| format!("{name} = {start}"));
        let types = of.carried.iter().map(|id| program.tensor(*id).dims.text()).join(", ");
        let condition = self.renamed(&of.condition, &[]);
        let _ = writeln!(
            self.text,
            "    {base}:{} = stablehlo.while({}) : {types}\n    cond {{\n{}\n    }} do {{",
            carried.len(),
            { pairs }.join(", "),
            condition,
        );
        let known = self.known.clone();
        of.carried.iter().for_each(|id| self.keep(*id));
        self.body(&of.body);
        let yields = given(self, &of.yields).join(", ");
        let _ = writeln!(self.text, "    stablehlo.return {yields} : {types}\n    }}");
        self.known = known;
        // A reader in another spec would have XLA carry that one through the loop.
        for ((number, id), spec) in of.results.iter().enumerate().zip(&specs) {
            self.names.insert(*id, format!("{base}#{number}"));
            self.pin(*id, spec);
            self.keep(*id);
        }
    }

    /// The name of a tensor in the spec in which its readers find it.
    fn name(&mut self, id: TensorId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let Some(of) = self.plan.program().tensor(id).is else { return String::new() };
        match self.plan.network.pins(id) {
            true => self.brought(of, &self.plan.found(id)),
            false => self.name(of),
        }
    }

    fn new_name(&mut self) -> String {
        self.fresh += 1;
        format!("%v{}", self.fresh)
    }

    /// The text of an operation with the names of its tensors, those of operands first.
    fn renamed(&mut self, text: &str, reads: &[String]) -> String {
        let mut parts = text.split("%[");
        let mut renamed = parts.next().unwrap_or_default().to_owned();
        for (at, part) in parts.enumerate() {
            let (number, rest) = part.split_once(']').unwrap_or((part, ""));
            let Ok(id) = number.parse().map(TensorId) else { continue };
            renamed.push_str(&reads.get(at).cloned().unwrap_or_else(|| self.name(id)));
            renamed.push_str(rest);
        }
        renamed
    }
}
