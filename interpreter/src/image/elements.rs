//! What bytecode shows of types, from what is done with a value: which elements of bigarrays are
//! floats, integers, boxed integers, and which numbers arms end with. It does not say so itself, as
//! `ocamlopt` knows it from types.
//!
//! * An element that is *read* is of a kind if each way on from there uses it as such, before a
//!   function is called or an exception raised: no program could find out in between of which type
//!   it is. Some instructions are looked at, then it counts as unknown.
//! * What an arm *ends* with is the box of a number under the same condition, wherever it comes
//!   from.
//! * One that is *written* is a float if the instructions before, back to the last that a jump
//!   leads to, made one.

use super::values::Values;
use crate::code::decode::{self, Instruction};
use crate::code::effect::{self, Flow};
use crate::code::load::{self, Load};
use crate::code::opcode::Opcode;
use crate::registry::arguments::Kind;
use rustc_hash::FxHashSet;

/// What is known of primitives, by their indices. Code that nothing leads to may ask about any
/// number.
pub trait Primitives {
    /// Whether it reads an element.
    fn reads(&self, index: usize) -> bool;
    /// Whether it writes one, its last argument.
    fn writes(&self, index: usize) -> bool;
    /// Whether it gives floats only.
    fn gives_float(&self, index: usize) -> bool;
    /// What an argument, counted from 0, always is.
    fn takes(&self, index: usize, argument: u32) -> Option<Kind>;
}

/// The calls in verified `code` that read or write an element whose kind is known. `constants` are
/// the instructions that give a float constant.
pub fn find(code: &[i32], primitives: &impl Primitives, constants: &[usize]) -> Vec<(usize, Kind)> {
    let accesses = |instruction: Instruction| {
        let index = effect::primitive(&instruction).map(|(index, _)| index);
        index.is_some_and(|index| primitives.reads(index) || primitives.writes(index))
    };
    if !decode::instructions(code).any(accesses) {
        return Vec::new();
    }
    let mut found = read(code, primitives);
    let floats = found.iter().filter(|(_, kind)| *kind == Kind::Float);
    let floats = floats.map(|&(position, _)| position);
    let known = floats.chain(constants.iter().copied()).collect();
    found.extend(written(code, primitives, &known).map(|position| (position, Kind::Float)));
    found
}

/// The calls that read an element of a known kind.
fn read(code: &[i32], primitives: &impl Primitives) -> Vec<(usize, Kind)> {
    let reads = |instruction: &Instruction| {
        effect::primitive(instruction).is_some_and(|(index, _)| primitives.reads(index))
    };
    let used = |instruction: Instruction| {
        let kind = use_behind(code, primitives, instruction.next())?;
        Some((instruction.position, kind))
    };
    decode::instructions(code)
        .filter(reads)
        .filter_map(used)
        .collect()
}

/// The instructions at the ends of arms that leave the box of a number in the accumulator, and of
/// which kind: a BRANCH, or what goes on at a label, a POP or a load. So where arms meet, a number
/// that one of them has computed needs no box.
pub fn ends<'a>(
    code: &'a [i32],
    primitives: &'a impl Primitives,
) -> impl Iterator<Item = (usize, Kind)> {
    let labels = effect::labels(code);
    decode::instructions(code).filter_map(move |instruction| {
        let (position, is_end) = match instruction.opcode {
            Opcode::Branch => (instruction.position, true),
            opcode => {
                let loads = load::of(&instruction)
                    .is_some_and(|load| matches!(load, Load::Slot(_) | Load::Field(_)));
                let next = instruction.next();
                let is_label = labels.get(next) == Some(&true);
                (next, is_label && (loads || opcode == Opcode::Pop))
            }
        };
        let kind = is_end.then(|| use_behind(code, primitives, position))??;
        Some((instruction.position, kind))
    })
}

/// The calls that write a float; `known` are instructions that give one.
fn written(
    code: &[i32],
    primitives: &impl Primitives,
    known: &FxHashSet<usize>,
) -> impl Iterator<Item = usize> {
    let labels = effect::labels(code);
    let mut floats = Values::NONE;
    decode::instructions(code).filter_map(move |instruction| {
        if labels[instruction.position] {
            floats = Values::NONE;
        }
        let call = effect::primitive(&instruction);
        let is_float = call.is_some_and(|(index, arity)| {
            primitives.writes(index) && floats.is_argument(arity.saturating_sub(1))
        });
        let gives_float = known.contains(&instruction.position)
            || instruction.opcode == Opcode::GetFloatField
            || call.is_some_and(|(index, _)| primitives.gives_float(index));
        floats = floats.at_next(&instruction);
        floats.accu |= gives_float;
        is_float.then_some(instruction.position)
    })
}

/// As what each way on from `position` uses what is in the accumulator.
fn use_behind(code: &[i32], primitives: &impl Primitives, position: usize) -> Option<Kind> {
    let mut walk = Walk {
        code,
        primitives,
        steps: MOST_STEPS,
    };
    walk.use_of(position, Values::ACCU)
}

/// So many instructions are looked at for one element, on all ways together.
const MOST_STEPS: u32 = 100;

/// Follows an element from where it was read.
struct Walk<'a, P> {
    code: &'a [i32],
    primitives: &'a P,
    /// What is left of [`MOST_STEPS`].
    steps: u32,
}

impl<P: Primitives> Walk<'_, P> {
    /// As what each way on from `position` uses the element.
    fn use_of(&mut self, mut position: usize, mut element: Values) -> Option<Kind> {
        let mut other_ways = None;
        while self.steps > 0 && element != Values::NONE {
            self.steps -= 1;
            let instruction = decode::instruction(self.code, position).ok()?;
            if let Some(kind) = self.kind_of_use(&instruction, element) {
                return (other_ways.unwrap_or(kind) == kind).then_some(kind);
            }
            if effect::call_arity(instruction.opcode, instruction.operands).is_some() {
                return None;
            }
            element = element.after(&instruction);
            let jump = |operand| usize::try_from(instruction.target(operand)).ok();
            position = match effect::of(&instruction).flow {
                Flow::Next | Flow::Closures => instruction.next(),
                Flow::Jump { operand } => jump(operand)?,
                Flow::Branch { operand } => {
                    let kind = self.use_of(jump(operand)?, element)?;
                    if *other_ways.get_or_insert(kind) != kind {
                        return None;
                    }
                    instruction.next()
                }
                Flow::Switch | Flow::PushTrap | Flow::PopTrap | Flow::Leave { .. } | Flow::Stop => {
                    return None;
                }
            };
        }
        None
    }

    /// As what an instruction uses the element, if it does.
    fn kind_of_use(&self, instruction: &Instruction, element: Values) -> Option<Kind> {
        use Opcode::*;
        let (accu, top) = (element.accu, element.at(0));
        let (is_used, kind) = match instruction.opcode {
            SetFloatField => (top, Kind::Float),
            MakeFloatBlock => {
                let mut fields = 0..instruction.operands[0] as u32;
                (fields.any(|field| element.is_argument(field)), Kind::Float)
            }
            AddInt | SubInt | MulInt | DivInt | ModInt | AndInt | OrInt | XorInt | LslInt
            | LsrInt | AsrInt | LtInt | LeInt | GtInt | GeInt | UltInt | UgeInt => {
                (accu || top, Kind::Integer)
            }
            NegInt | OffsetInt | BltInt | BleInt | BgtInt | BgeInt | BultInt | BugeInt => {
                (accu, Kind::Integer)
            }
            GetVectItem | GetBytesChar | GetStringChar | SetVectItem => (top, Kind::Integer),
            SetBytesChar => (top || element.at(1), Kind::Integer),
            _ => return self.kind_of_argument(instruction, element),
        };
        is_used.then_some(kind)
    }

    fn kind_of_argument(&self, instruction: &Instruction, element: Values) -> Option<Kind> {
        let (index, arity) = effect::primitive(instruction)?;
        let arguments = match instruction.opcode {
            Opcode::CCallN => instruction.operands[0] as u32,
            _ => arity,
        };
        let mut arguments = (0..arguments).filter(|&argument| element.is_argument(argument));
        arguments.find_map(|argument| self.primitives.takes(index, argument))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::assemble::assemble;

    /// 7 reads an element of an array of one dimension and 6 writes one, 8 adds two floats; 9 is
    /// any other.
    struct Known;

    impl Primitives for Known {
        fn reads(&self, index: usize) -> bool {
            index == 7
        }

        fn writes(&self, index: usize) -> bool {
            index == 6
        }

        fn gives_float(&self, index: usize) -> bool {
            index == 8
        }

        fn takes(&self, index: usize, argument: u32) -> Option<Kind> {
            match index {
                8 => Some(Kind::Float),
                6 | 7 if argument == 1 => Some(Kind::Integer),
                _ => None,
            }
        }
    }

    /// The kind of the access by the first instruction with this opcode.
    fn kind_at(opcode: Opcode, code: &str) -> Option<Kind> {
        let code = assemble(code);
        let call = decode::instructions(&code).find(|call| call.opcode == opcode);
        let call = call.expect("the access").position;
        let access = find(&code, &Known, &[])
            .into_iter()
            .find(|&(at, _)| at == call);
        access.map(|(_, kind)| kind)
    }

    /// That of an element which is read before `code`.
    fn read_before(code: &str) -> Option<Kind> {
        kind_at(Opcode::CCall2, &format!("Acc0; CCall2 7; {code}; Stop"))
    }

    /// That of the element which is written after `code`.
    fn written_after(code: &str) -> Option<Kind> {
        kind_at(Opcode::CCall3, &format!("{code}; CCall3 6; Stop"))
    }

    fn is_float(code: &str) -> bool {
        read_before(code) == Some(Kind::Float)
    }

    #[test]
    fn what_is_read_is_followed_to_its_use() {
        assert!(is_float("CCall2 8"));
        assert!(is_float("Push; Const0; Push; Acc5; CCall2 7; CCall2 8"));
        assert!(is_float("Push; Const1; PushAcc1; Pop 2; CCall2 8"));
        assert!(is_float("Assign 2; Const0; PushAcc3; CCall2 8"));
        assert!(is_float("PushConst2; SetFloatField 1"));
        assert!(is_float("MakeFloatBlock 3"));
        assert_eq!(read_before("OffsetInt 1"), Some(Kind::Integer));
        assert_eq!(read_before("Push; Const1; AddInt"), Some(Kind::Integer));
        assert_eq!(read_before("Push; Acc3; CCall2 7"), Some(Kind::Integer));
        assert_eq!(read_before("Push; Const0; Push; Const0; CCall2 9"), None);
        assert_eq!(read_before("Push; Const0; Push; Const0; CCall2 8"), None);
        assert_eq!(read_before("Push; Const0; Assign 0; Acc0; CCall2 8"), None);
        assert_eq!(read_before("Push; Const0; Push; Acc3; CCall3 6"), None);
        assert_eq!(read_before("Const0; CCall2 8"), None);
    }

    #[test]
    fn all_ways_have_to_use_it_alike() {
        let ways = |one: &str, other: &str| {
            read_before(&format!(
                "Push; Acc1; BranchIf @else; {one}; Branch @end; else: {other}; end: Pop 1"
            ))
        };
        let (float, integer) = ("Acc0; CCall2 8", "Acc0; OffsetInt 1");
        assert_eq!(ways(float, float), Some(Kind::Float));
        assert_eq!(ways(integer, integer), Some(Kind::Integer));
        assert_eq!(ways(float, integer), None);
        assert_eq!(ways("Const0", float), None);
        assert_eq!(ways(float, "Const0"), None);
        assert!(is_float("Branch @end; end: CCall2 8"));
        assert_eq!(read_before("begin: CheckSignals; Branch @begin"), None);
    }

    #[test]
    fn calls_and_exceptions_end_the_way() {
        assert_eq!(read_before("Push; Push; Acc3; Apply1; CCall2 8"), None);
        let handled = "Push; PushTrap @handler; Acc4; CCall2 8; handler: Const0";
        assert_eq!(read_before(handled), None);
        let raised = "Push; Acc1; BranchIf @use; Raise; use: Acc0; CCall2 8";
        assert_eq!(read_before(raised), None);
    }

    #[test]
    fn arms_that_meet_before_a_use_end_with_it() {
        let ends = |code: &str| {
            let code = assemble(&format!("{code}; Stop"));
            let found: Vec<_> = super::ends(&code, &Known).collect();
            let opcode = |at| decode::instruction(&code, at).expect("it is there").opcode;
            assert!(found.iter().all(|&(_, kind)| kind == Kind::Float));
            found.iter().map(|&(at, _)| opcode(at)).collect::<Vec<_>>()
        };
        use Opcode::{Acc2, Branch, GetField0, Pop};
        let arms = |one: &str, other: &str| {
            ends(&format!(
                "Acc0; BranchIf @else; {one}; Branch @end; else: {other}; end: CCall2 8"
            ))
        };
        assert_eq!(arms("Acc1", "Acc2"), [Branch, Acc2]);
        assert_eq!(arms("Const0", "Acc1; GetField0"), [Branch, GetField0]);
        assert_eq!(arms("Acc1", "PushAcc2; Pop 1"), [Branch, Pop]);
        assert_eq!(
            arms("Acc1; CCall2 8; Push; Acc1", "Acc0; CCall2 8"),
            [Branch]
        );
        let unused = "Acc0; BranchIf @else; Acc1; Branch @end; else: Acc2; end: Const0; CCall2 9";
        assert_eq!(ends(unused), []);
    }

    #[test]
    fn what_is_written_was_made_before() {
        let float = Some(Kind::Float);
        assert_eq!(written_after("Acc0; CCall2 8; PushConst1; PushAcc3"), float);
        let copied = "GetFloatField 0; Assign 1; Acc1; PushConst1; PushAcc3";
        assert_eq!(written_after(copied), float);
        let read =
            "Acc0; CCall2 7; PushAcc0; Push; Push; Acc4; CCall2 8; Acc1; PushConst1; PushAcc4";
        assert_eq!(written_after(read), float);
        assert_eq!(written_after("Acc0; CCall2 9; PushConst1; PushAcc3"), None);
        assert_eq!(
            written_after("Const0; Push; Acc0; CCall2 8; PushAcc3"),
            None
        );
    }

    #[test]
    fn a_jump_may_lead_to_what_is_written() {
        let joined = "Acc0; BranchIf @else; Acc0; CCall2 8; Branch @end; else: Const0; \
                      end: PushConst1; PushAcc3";
        assert_eq!(written_after(joined), None);
        let branch = "past: Acc0; CCall2 8; Push; Acc1; BranchIf @past; Const0; PushAcc4";
        assert_eq!(written_after(branch), Some(Kind::Float));
    }
}
