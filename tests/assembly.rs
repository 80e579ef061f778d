//! Places in assembly syntax, by the forms of the table.

use tensor_layout::machine::{Assembly, Memory};
use tensor_layout::{Level, Location, Machine};

fn read(text: &str) -> Result<(String, String), String> {
    let machine = Machine::mn_core_2();
    let read =
        machine.read_assembly(text).map(|(memory, place)| (memory.into(), place.to_string()));
    read.map_err(|error| error.to_string())
}

/// `l2bmd $lc0 $lb0` moves words from L2BM into L1BM, `l1bmd $lb0 $lm0v` from there into LM0.
#[test]
fn published_programs_name_the_memories_that_their_instructions_move_between() {
    let machine = Machine::mn_core_2();
    let memory = |text: &str| machine.read_assembly(text).unwrap().0.to_owned();
    assert_eq!(["$lc0", "$lb0", "$lm0"].map(memory), ["L2BM", "L1BM", "LM0"]);
}

/// Form, memory, and the coordinates from the root down.
const FORMS: [(&str, &str, &str); 6] = [
    ("$lm66n0c1b4m1p1", "LM0", "L2B=1,L1B=4,MAB=1,PE=1,Addr=33"),
    ("$ln234n3c1b6m15p1", "LM1", "L2B=7,L1B=6,MAB=15,PE=1,Addr=117"),
    ("$lb8191n2c0b7", "L1BM", "L2B=4,L1B=7,Addr=8191"),
    ("$lc32767n1c1", "L2BM", "L2B=3,Addr=32767"),
    ("$p524287n3", "PDM", "L2B=6,Addr=524287"),
    ("$d29821n3", "DRAM", "L2B=6,Addr=29821"),
];

#[test]
fn every_form_is_read_and_written() {
    for (text, memory, place) in FORMS {
        assert_eq!(read(text), Ok((memory.into(), place.into())), "{text}");
        let place: Location = place.parse().unwrap();
        assert_eq!(Machine::mn_core_2().to_assembly(memory, &place).as_deref(), Ok(text));
    }
}

#[test]
fn what_is_written_is_read_back_from_every_memory() {
    let machine = Machine::mn_core_2();
    for (memory, facts) in machine.memories() {
        let above = machine.levels().filter(|(level, _)| {
            let order = |level: Level| machine.levels().position(|(of, _)| of == level);
            order(*level) <= order(facts.owner)
        });
        for seed in 0..200_u64 {
            let at = |size: u64, salt: u64| (seed * 7919 + salt * 104_729) % size;
            let unit = |(level, size): (Level, u64)| {
                let at = at(size, size);
                (level, if level == facts.owner { at - at % facts.group } else { at })
            };
            let mut place: Location = above.clone().map(unit).collect();
            place.set(Level::ADDR, at(facts.capacity.unwrap(), 3));
            let text = machine.to_assembly(memory, &place).unwrap();
            assert_eq!(machine.read_assembly(&text), Ok((memory, place)), "{text}");
        }
    }
}

#[test]
fn letters_left_out_leave_out_levels() {
    assert_eq!(read("$lm4").unwrap().1, "Addr=2");
    assert_eq!(read("$lm4n0c0b0m0").unwrap().1, "L2B=0,L1B=0,MAB=0,Addr=2");
    assert_eq!(read("$lm4p3").unwrap().1, "PE=3,Addr=2");
}

#[test]
fn slips_are_refused_in_words_that_name_the_range() {
    let refused = |text: &str| read(text).unwrap_err();
    for (text, words) in [
        ("$lm0n0c0b0m0p4", "`p4` is invalid: PE runs from 0 to 3"),
        ("$lm0n0c0b0m16p0", "`m16` is invalid: MAB runs from 0 to 15"),
        ("$lm0n4c0", "`n4` is invalid: group of 2 L2Bs runs from 0 to 3"),
        ("$d0n4", "`n4` is invalid: group of 2 L2Bs runs from 0 to 3"),
        ("$lc0n0c2", "`c2` is invalid: L2B of a group runs from 0 to 1"),
        ("$lm4096n0", "`$lm4096` is invalid: the address of LM0 runs from 0 to 4094"),
        ("$lb8192", "`$lb8192` is invalid: the address of L1BM runs from 0 to 8191"),
        (
            "$lm3n0",
            "`$lm3` is inside a long word: LM0 counts 2 addresses for each, so it begins at a multiple of 2, \
             from 0 to 4094",
        ),
        ("$lx3", "`$lx3` does not begin with a memory; expected $lm, $ln, $lb, $lc, $p, $d"),
        (
            "$d0n0c1",
            "`c1` is not the number of a unit of DRAM; its letters are n, each at most once, in this order and followed by a number",
        ),
        (
            "$lm0p1m1",
            "`m1` is not the number of a unit of LM0; its letters are n, c, b, m, p, each at most once, in this order and followed by a number",
        ),
        (
            "$lm0n",
            "`n` is not the number of a unit of LM0; its letters are n, c, b, m, p, each at most once, in this order and followed by a number",
        ),
        ("$lm0c1", "`c` counts within `n`, which is left out"),
        ("$lm", "`$lm` is invalid: the address of LM0 runs from 0 to 4094"),
        (
            "$lm99999999999999999999999",
            "`$lm99999999999999999999999` is invalid: the address of LM0 runs from 0 to 4094",
        ),
    ] {
        assert_eq!(refused(text), words, "{text}");
    }
    let plain: Machine = "PE=4".parse().unwrap();
    assert_eq!(
        plain.read_assembly("$lm0").unwrap_err().to_string(),
        "machine `PE=4` has no assembly: its memories have no tokens"
    );
}

#[test]
fn assembly_that_gives_two_places_one_text_is_refused() {
    let built = |memories: &[(&str, &str, u64)], units: &[(char, &str)]| {
        let hangs = |owner, group| Memory { capacity: Some(99), owner, group };
        let token =
            |(name, token, step): &(&str, &str, u64)| ((*name).into(), (*token).into(), *step);
        let unit = |(letter, level): &(char, &str)| (*letter, Level::of_node(level).unwrap());
        let machine = Machine::builder("m").level(Level::L2B, 4).level(Level::PE, 4);
        let machine = machine.memory("LM0", hangs(Level::PE, 1)).memory("D", hangs(Level::L2B, 2));
        let memories = memories.iter().map(token).collect();
        machine.assembly(Assembly { memories, units: units.iter().map(unit).collect() }).build()
    };
    let (lm0, both) = (("LM0", "$lm", 1), [('c', "L2B"), ('p', "PE")]);
    assert!(built(&[lm0], &both).is_ok());
    assert!(built(&[lm0, ("D", "$d", 1)], &[('n', "L2B/2"), ('c', "L2B"), ('p', "PE")]).is_ok());
    let far = built(&[("LM0", "$lm", u64::MAX / 2)], &both).unwrap();
    assert!(far.read_assembly("$lm0c0p0").is_ok());
    for (memories, units, why) in [
        (&[lm0][..], &[('p', "PE")][..], "no letter of assembly counts `L2B`"),
        (&[lm0], &[], "no letter of assembly counts `L2B`"),
        (&[lm0], &[('b', "BOGUS"), ('p', "PE")], "invalid assembly letter `b` for `BOGUS`"),
        (&[lm0], &[('b', "L2B/3"), ('p', "PE")], "invalid assembly letter `b` for `L2B/3`"),
        (&[lm0], &[('b', "L2B"), ('p', "L2B")], "invalid assembly letter `p` for `L2B`"),
        (&[lm0], &[('p', "PE"), ('c', "L2B")], "invalid assembly letter `c` for `L2B`"),
        (&[lm0], &[('1', "L2B"), ('p', "PE")], "invalid assembly letter `1` for `L2B`"),
        (&[("D", "$d", 1)], &both, "no letter of assembly counts `L2B`"),
        (&[("LM0", "$lm", 0)], &both, "takes 0 addresses of assembly"),
        (&[("LM9", "$lm", 1)], &both, "a token for `LM9`, which is not a memory"),
        (&[("LM0", "$lm1", 1)], &both, "the token `$lm1` of `LM0`"),
        (&[("LM0", "lm", 1)], &both, "the token `lm` of `LM0`"),
        (&[("LM0", "$lm,", 1)], &both, "the token `$lm,` of `LM0`"),
        (&[lm0, ("D", "$lm", 1)], &both, "the token `$lm` of `LM0`"),
    ] {
        let refusal = built(memories, units).unwrap_err().to_string();
        assert!(refusal.contains(why), "{memories:?} {units:?}: {refusal}");
    }
}
