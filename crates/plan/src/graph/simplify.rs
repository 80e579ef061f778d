//! Graphs without what needs no place: constants of one element, and operations that no output depends on.

use super::scalar::Scalar;
use super::{Body, Graph, Nest, Origin};

impl Graph {
    /// Moves constants of one element from the operands of nests into their expressions.
    pub fn inline_constants(&mut self) {
        for at in 0..self.operations.len() {
            let Body::Nest(nest) = &self.operations[at].body else { continue };
            let numbers: Vec<Option<f64>> =
                nest.reads.iter().map(|read| self.only_element(read.value)).collect();
            if let Body::Nest(nest) = &mut self.operations[at].body
                && numbers.iter().any(Option::is_some)
            {
                nest.inline(&numbers);
            }
        }
    }

    fn only_element(&self, id: super::ValueId) -> Option<f64> {
        let (root, _) = self.root(id);
        match &self.value(root).origin {
            Origin::Constant(Some(data)) => match data.numbers() {
                [number] => Some(*number),
                _ => None,
            },
            _ => None,
        }
    }

    /// The operations that an output depends on.
    #[must_use]
    pub fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.operations.len()];
        let mut open: Vec<_> = self.outputs.clone();
        while let Some(id) = open.pop() {
            let (root, _) = self.root(id);
            if let Origin::Operation(at) = self.value(root).origin
                && !needed[at]
            {
                needed[at] = true;
                open.extend(self.operations[at].reads());
            }
        }
        needed
    }
}

impl Nest {
    /// Puts numbers in place of some operands. An operand that is read outside of its axes stays.
    fn inline(&mut self, numbers: &[Option<f64>]) {
        let is_inside = |at: usize| {
            self.reads[at].index.iter().all(|index| index.terms.is_empty() && index.offset == 0)
        };
        let numbers: Vec<Option<f64>> =
            (0..numbers.len()).map(|at| numbers[at].filter(|_| is_inside(at))).collect();
        let kept = |at: usize| numbers[..at].iter().filter(|number| number.is_none()).count();
        self.body = self.body.with_reads(&|at| match numbers[at] {
            Some(number) => Scalar::Const(number),
            None => Scalar::Read(kept(at)),
        });
        let mut stays = numbers.iter().map(Option::is_none);
        self.reads.retain(|_| stays.next().unwrap_or(true));
    }
}

impl Scalar {
    /// The expression with others in place of its operands.
    #[must_use]
    pub fn with_reads(&self, read: &impl Fn(usize) -> Scalar) -> Scalar {
        let of = |x: &Scalar| x.with_reads(read);
        match self {
            Scalar::Read(number) => read(*number),
            Scalar::Loop(_) | Scalar::Const(_) => self.clone(),
            Scalar::Unary(function, x) => Scalar::unary(*function, of(x)),
            Scalar::Binary(function, pair) => Scalar::binary(*function, of(&pair[0]), of(&pair[1])),
            Scalar::Select(three) => Scalar::select(of(&three[0]), of(&three[1]), of(&three[2])),
            Scalar::Cast(dtype, x) => Scalar::Cast(*dtype, Box::new(of(x))),
        }
    }
}
