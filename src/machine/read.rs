//! Machines from text: `L2B=4,PE=4`, and from TOML.

use std::fmt;
use std::str::FromStr;

use super::Machine;
use crate::assignments::{Assignment, assignments};
use crate::error::{ParseError, Span};
use crate::location::assigned;

impl FromStr for Machine {
    type Err = ParseError;

    /// Reads the name of a preset, or levels with their sizes from the root down:
    /// `L2B=4,L1B=8,MAB=16,PE=4`.
    fn from_str(text: &str) -> Result<Machine, ParseError> {
        if let Some(preset) = Machine::preset(text.trim()) {
            return Ok(preset);
        }
        let levels = assignments(text).map_err(|error| {
            error.with_help("a machine is `mn-core`, `mn-core-2` or levels such as `L2B=4,PE=4`")
        })?;
        let mut builder = Machine::builder(text.trim());
        for assignment in &levels {
            builder = builder.level(assignment.level, assignment.number);
        }
        builder.build().map_err(|error| {
            let named = |a: &&Assignment| !a.level.is_unit() || a.number == 0;
            let span = levels.iter().find(named).map_or(Span::new(0, text.len()), |a| a.span);
            ParseError::meaning(error, span, text)
        })
    }
}

impl fmt::Display for Machine {
    /// Writes the name of a preset, or else the levels with their sizes; the text parses as a machine with
    /// these levels.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Machine::preset(self.name()).filter(|preset| preset == self) {
            Some(preset) => f.write_str(preset.name()),
            None => f.write_str(&assigned(self.levels())),
        }
    }
}

#[cfg(feature = "toml")]
mod from_toml {
    use indexmap::IndexMap;
    use serde::Deserialize;

    use crate::error::{LayoutError, fault};
    use crate::level::Level;
    use crate::machine::{Assembly, Direction, Machine, Memory, Movement, MovementKind, WORD_BITS};

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct MachineToml {
        name: Option<String>,
        word_bits: Option<u64>,
        levels: IndexMap<String, u64>,
        #[serde(default)]
        memories: IndexMap<String, MemoryToml>,
        #[serde(default)]
        bandwidth: IndexMap<String, u64>,
        #[serde(default)]
        movements: Vec<MovementToml>,
        #[serde(default)]
        assembly: AssemblyToml,
    }

    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct AssemblyToml {
        #[serde(default)]
        memories: IndexMap<String, TokenToml>,
        #[serde(default)]
        units: IndexMap<char, String>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TokenToml {
        token: String,
        step: Option<u64>,
    }

    impl AssemblyToml {
        fn read(self) -> Result<Assembly, LayoutError> {
            let token =
                |(name, token): (String, TokenToml)| (name, token.token, token.step.unwrap_or(1));
            let unit = |(letter, level): (char, String)| Ok((letter, Level::of_node(&level)?));
            Ok(Assembly {
                memories: self.memories.into_iter().map(token).collect(),
                units: self.units.into_iter().map(unit).collect::<Result<_, LayoutError>>()?,
            })
        }
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct MovementToml {
        name: String,
        upper: String,
        lower: String,
        direction: String,
        kind: String,
        map: Option<String>,
        #[serde(default)]
        names_one: bool,
        #[serde(default)]
        across: bool,
        upper_rate: Option<u64>,
        lower_rate: Option<u64>,
        across_rate: Option<u64>,
        issue: Option<u64>,
        from_maker: Option<bool>,
    }

    impl MovementToml {
        fn read(self) -> Result<Movement, LayoutError> {
            let word = |what, word: &str, known| {
                let (movement, word) = (self.name.clone(), crate::words::cut(word, 40));
                fault!(
                    Invalid,
                    "invalid machine: movement `{movement}` has the {what} `{word}`, which \
                     is not one of {known}",
                    [movement, what, word, known]
                )
            };
            let direction = match self.direction.as_str() {
                "down" => Direction::Down,
                "up" => Direction::Up,
                "both" => Direction::Both,
                other => return Err(word("direction", other, "down, up, both")),
            };
            let kinds = "same to all, distribute, concatenate, pick one, reduce";
            let kind = MovementKind::named(&self.kind);
            let kind = kind.ok_or_else(|| word("kind", &self.kind, kinds))?;
            let between = (self.upper.as_str(), self.lower.as_str());
            Ok(Movement {
                map: self.map,
                names_one: self.names_one,
                across: self.across,
                rates: (self.upper_rate, self.lower_rate),
                across_rate: self.across_rate,
                issue: self.issue.unwrap_or(1),
                from_maker: self.from_maker.unwrap_or(true),
                ..Movement::new(&self.name, between, direction, kind)
            })
        }
    }

    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected the capacity in long words, or a table with `capacity`, `owner` and `group`"
    )]
    enum MemoryToml {
        Capacity(u64),
        Full(FullMemoryToml),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct FullMemoryToml {
        capacity: Option<u64>,
        owner: Option<String>,
        group: Option<u64>,
    }

    impl Machine {
        /// Reads a machine from TOML.
        ///
        /// `levels` are listed from the root down. A memory is its capacity in long words, or a table with
        /// `capacity`, `owner` (the lowest level if left out) and `group` (1 if left out): the number of
        /// neighbouring units of the owner that share one. `bandwidth` gives the long words that enter or
        /// leave one unit of a level (or one group, as in `"L2B/2" = 8`) in a step, for [`CostModel`](crate::relayout::CostModel).
        /// `[[movements]]` are tables with `name`, the memories `upper` and `lower`, `direction` (`down`,
        /// `up`, `both`), `kind` (`same to all`, `distribute`, `concatenate`, `pick one`, `reduce`) and,
        /// where known, `map`, `upper_rate`, `lower_rate`, `across_rate` (long words per cycle), `issue`,
        /// `names_one`, `across`, `from_maker`: see [`Movement`]. `[assembly]` has `memories`, each with its `token` and, where a
        /// long word takes several addresses, its `step`, and `units`, a level (or groups such as `L2B/2`)
        /// per letter, from the root down.
        ///
        /// # Errors
        /// `Invalid`, with the place in the TOML text if there is one.
        ///
        /// # Example
        /// ```
        /// let machine = tensor_layout::Machine::from_toml(r#"
        ///     name = "half-board"
        ///     [levels]
        ///     L2B = 4
        ///     PE = 4
        ///     [memories]
        ///     LM0 = 2048
        ///     DRAM = { capacity = 1048576, owner = "L2B", group = 2 }
        ///     [bandwidth]
        ///     L2B = 32
        ///     [[movements]]
        ///     name = "load"
        ///     upper = "DRAM"
        ///     lower = "LM0"
        ///     direction = "down"
        ///     kind = "distribute"
        ///     map = "((2_L2B:1, 4_PE:1))"
        ///     upper_rate = 8
        /// "#)?;
        /// assert_eq!(machine.movements()[0].rates, (Some(8), None));
        /// assert_eq!(machine.memory("LM0")?.capacity, Some(2048));
        /// assert_eq!(machine.bandwidth(tensor_layout::Level::L2B), Some(32));
        /// # Ok::<(), tensor_layout::LayoutError>(())
        /// ```
        pub fn from_toml(text: &str) -> Result<Machine, LayoutError> {
            let read: MachineToml = toml::from_str(text).map_err(|error| {
                let said = crate::words::cut(error.to_string().trim_end(), 1000);
                fault!(Invalid, "invalid machine: {message}", [message = said])
            })?;
            let mut builder = Machine::builder(read.name.as_deref().unwrap_or("custom"));
            let mut leaf = None;
            for (name, size) in &read.levels {
                let level = Level::new(name)?;
                leaf = Some(level);
                builder = builder.level(level, *size);
            }
            for (name, memory) in read.memories {
                let memory = match memory {
                    MemoryToml::Capacity(capacity) => {
                        FullMemoryToml { capacity: Some(capacity), owner: None, group: None }
                    }
                    MemoryToml::Full(full) => full,
                };
                let owner = match memory.owner {
                    Some(owner) => Some(Level::new(&owner)?),
                    None => leaf,
                };
                let group = memory.group.unwrap_or(1);
                let owner = owner.unwrap_or(Level::ADDR);
                builder = builder.memory(&name, Memory { capacity: memory.capacity, owner, group });
            }
            for (level, words) in &read.bandwidth {
                builder = builder.bandwidth(Level::of_node(level)?, *words);
            }
            let movements: Result<Vec<Movement>, _> =
                read.movements.into_iter().map(MovementToml::read).collect();
            let builder = builder.movements(movements?);
            let builder = builder.assembly(read.assembly.read()?);
            builder.word_bits(read.word_bits.unwrap_or(WORD_BITS)).build()
        }
    }
}
