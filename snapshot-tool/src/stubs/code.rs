//! Bodies of stubs with their final indices and addresses, and how they are left when something
//! that they called raised.
//!
//! A function of the guest's interface that raises sets a word ([`annotations::Stubs`]) and
//! returns. Behind each call that may have led there this puts a test of that word and a return,
//! of zero where something is to be returned. So no frame of C outlives what raised, and no engine
//! has to know of it. What the frames had on the stack of locals is given back where the guest
//! called ([`super::primitives`]).

use std::collections::BTreeSet;

use annotations::InterfaceEffects;
use anyhow::{Context, Result};
use wasm_encoder::{Encode, Instruction};
use wasmparser::{
    BinaryReader, FuncType, FunctionBody, Operator, RelocationEntry, RelocationType, ValType,
};

use super::effects::Effects;
use super::guest::Guest;
use super::module::Reference;
use super::object::{Object, Symbol};
use super::place::{Piece, Placed, Target};

/// A function that is added to the guest.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub ty: u32,
    /// As in the code section, without its length.
    pub body: Vec<u8>,
    /// Functions that it calls by name, in tail position too.
    pub calls: Vec<u32>,
    /// Types of functions that it calls by the table, likewise.
    pub indirect: Vec<u32>,
    /// What it refers to otherwise.
    pub references: Vec<Reference>,
}

/// The pieces with their final indices and addresses, without tests.
pub fn relocated(guest: &Guest, objects: &[Object], placed: &mut Placed) -> Result<Vec<Function>> {
    let pieces = placed.pieces.clone();
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Body(file, number) => body(guest, objects, placed, *file, *number),
            Piece::Missing { name, ty } => missing(guest, placed, name, *ty),
            Piece::Absent { ty } => Ok(Function {
                name: "(absent)".into(),
                ty: *ty,
                body: plain(&[Instruction::Unreachable]),
                calls: Vec::new(),
                indirect: Vec::new(),
                references: Vec::new(),
            }),
        })
        .collect()
}

/// A body without locals.
pub fn plain(instructions: &[Instruction]) -> Vec<u8> {
    let mut body = vec![0];
    instructions
        .iter()
        .for_each(|instruction| instruction.encode(&mut body));
    Instruction::End.encode(&mut body);
    body
}

/// Raises because of a function that nothing defines.
fn missing(guest: &Guest, placed: &mut Placed, name: &str, ty: u32) -> Result<Function> {
    let text = placed.string(name);
    let raise = guest.interface(annotations::STUB_IS_MISSING)?;
    let mut instructions = vec![Instruction::I32Const(text as i32), Instruction::Call(raise)];
    instructions.extend(zeros(&placed.types.all[ty as usize]));
    Ok(Function {
        name: format!("(missing {name})"),
        ty,
        body: plain(&instructions),
        calls: vec![raise],
        indirect: Vec::new(),
        references: vec![Reference::Object(text)],
    })
}

fn body(
    guest: &Guest,
    objects: &[Object],
    placed: &Placed,
    file: usize,
    number: u32,
) -> Result<Function> {
    let object = &objects[file];
    let source = &object.bodies[number as usize];
    let mut function = Function {
        name: super::resolve::function_name(object, number),
        ty: placed.types.known_index(&object.types[source.ty as usize]),
        body: object.bytes[source.bytes.clone()].to_vec(),
        calls: Vec::new(),
        indirect: Vec::new(),
        references: Vec::new(),
    };
    for relocation in &source.relocations {
        let at = relocation.offset as usize;
        let value = value(guest, objects, placed, file, relocation);
        match relocation.ty {
            RelocationType::MemoryAddrLeb
            | RelocationType::MemoryAddrSleb
            | RelocationType::MemoryAddrTlsSleb => {
                let target = placed.target(guest, objects, file, relocation.index);
                if let Target::Address(address) = target {
                    function.references.push(Reference::Object(address));
                }
            }
            RelocationType::TableIndexSleb if value != 0 => {
                function.references.push(Reference::Element(value));
            }
            _ => {}
        }
        let is_base = relocation.ty == RelocationType::GlobalIndexLeb
            && matches!(
                object.symbols[relocation.index as usize],
                Symbol::ThreadBase
            );
        if is_base {
            base_is_zero(&mut function.body, at)
                .with_context(|| format!("{}: it changes a thread's data", object.name))?;
            continue;
        }
        write(&mut function.body, at, relocation.ty, value)
            .with_context(|| format!("{}: a relocation is out of place", object.name))?;
    }
    let reader = FunctionBody::new(BinaryReader::new(&function.body, 0));
    for operator in reader.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                function.calls.push(function_index);
            }
            Operator::CallIndirect { type_index, .. }
            | Operator::ReturnCallIndirect { type_index, .. } => {
                function.indirect.push(type_index);
            }
            _ => {}
        }
    }
    Ok(function)
}

/// Puts a 0 in the place of the `global.get` whose operand is at `at`.
fn base_is_zero(body: &mut [u8], at: usize) -> Option<()> {
    const GLOBAL_GET: u8 = 0x23;
    const I32_CONST: u8 = 0x41;
    let opcode = body.get_mut(at.checked_sub(1)?)?;
    if *opcode != GLOBAL_GET {
        return None;
    }
    *opcode = I32_CONST;
    write(body, at, RelocationType::GlobalIndexLeb, 0)
}

/// Data: address and contents.
pub type Data = Vec<(u32, Vec<u8>)>;

/// All data that is needed, and where those begin to which data refers by an address outside of
/// them, as to an array by its end.
pub fn data(guest: &Guest, objects: &[Object], placed: &Placed) -> Result<(Data, BTreeSet<u32>)> {
    let (mut data, mut referred_by_others) = (Vec::new(), BTreeSet::new());
    for &(file, number) in &placed.order {
        let object = &objects[file];
        let segment = &object.segments[number as usize];
        let mut bytes = object.bytes[segment.bytes.clone()].to_vec();
        for relocation in &segment.relocations {
            let value = value(guest, objects, placed, file, relocation);
            write(&mut bytes, relocation.offset as usize, relocation.ty, value)
                .with_context(|| format!("{}: a relocation is out of place", object.name))?;
            let target = placed.target(guest, objects, file, relocation.index);
            if let (RelocationType::MemoryAddrI32, Target::Address(address)) =
                (relocation.ty, target)
            {
                let place = placed.segment_at(objects, address);
                let place = place.filter(|place| !place.contains(&value));
                referred_by_others.extend(place.map(|place| place.start));
            }
        }
        let address = placed.segments[file][number as usize];
        data.push((address.expect("it is needed"), bytes));
    }
    data.extend(placed.more.iter().cloned());
    Ok((data, referred_by_others))
}

/// What is to stand where a relocation is.
pub fn value(
    guest: &Guest,
    objects: &[Object],
    placed: &Placed,
    file: usize,
    relocation: &RelocationEntry,
) -> u32 {
    use RelocationType as R;
    let target = || placed.target(guest, objects, file, relocation.index);
    match relocation.ty {
        R::FunctionIndexLeb => match target() {
            Target::Function(index) => index,
            Target::Null | Target::Address(_) => placed
                .absent_for(objects, file, relocation.index)
                .expect("it was placed"),
        },
        R::TableIndexSleb | R::TableIndexI32 => match target() {
            Target::Function(index) => placed.known_element(index),
            Target::Null | Target::Address(_) => 0,
        },
        R::MemoryAddrLeb | R::MemoryAddrSleb | R::MemoryAddrI32 | R::MemoryAddrTlsSleb => {
            match target() {
                Target::Address(address) => address.wrapping_add(relocation.addend as u32),
                Target::Null | Target::Function(_) => 0,
            }
        }
        R::TypeIndexLeb => placed
            .types
            .known_index(&objects[file].types[relocation.index as usize]),
        R::GlobalIndexLeb => guest.stack_pointer,
        R::TableNumberLeb => 0,
        other => unreachable!("{other:?} was refused when it was looked at"),
    }
}

/// Writes a value over the one that is there, in as many bytes.
pub fn write(bytes: &mut [u8], at: usize, ty: RelocationType, value: u32) -> Option<()> {
    use RelocationType as R;
    let place = bytes.get_mut(at..at + ty.extent())?;
    match ty {
        R::MemoryAddrI32 | R::TableIndexI32 => place.copy_from_slice(&value.to_le_bytes()),
        R::MemoryAddrSleb | R::MemoryAddrTlsSleb | R::TableIndexSleb => {
            let value = i64::from(value as i32);
            for (index, byte) in place.iter_mut().enumerate() {
                *byte = (value >> (7 * index)) as u8 & 0x7f | 0x80;
            }
            place[4] &= 0x7f;
        }
        _ => {
            let value = u64::from(value);
            for (index, byte) in place.iter_mut().enumerate() {
                *byte = (value >> (7 * index)) as u8 & 0x7f | 0x80;
            }
            place[4] &= 0x7f;
        }
    }
    Some(())
}

/// The body of a function with a test behind each call that may have raised.
pub fn with_tests(
    guest: &Guest,
    function: &Function,
    ty: &FuncType,
    effects: &Effects,
) -> Result<Vec<u8>> {
    let mut leave = Vec::new();
    for instruction in leave_if_raised(guest, ty) {
        instruction.encode(&mut leave);
    }
    let bytes = &function.body;
    let (mut tested, mut copied) = (Vec::with_capacity(bytes.len()), 0);
    let reader = FunctionBody::new(BinaryReader::new(bytes, 0));
    let mut operators = reader.get_operators_reader()?;
    while !operators.eof() {
        let effects = match operators.read()? {
            Operator::Call { function_index } => effects.of(function_index),
            Operator::CallIndirect { type_index, .. } => effects.of_type(type_index),
            _ => continue,
        };
        if effects.has(InterfaceEffects::RAISES) {
            let end = operators.original_position();
            tested.extend_from_slice(&bytes[copied..end]);
            tested.extend_from_slice(&leave);
            copied = end;
        }
    }
    tested.extend_from_slice(&bytes[copied..]);
    Ok(tested)
}

fn leave_if_raised(guest: &Guest, ty: &FuncType) -> Vec<Instruction<'static>> {
    let word = wasm_encoder::MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    let mut instructions = vec![
        Instruction::I32Const(guest.unwinding() as i32),
        Instruction::I32Load(word),
        Instruction::If(wasm_encoder::BlockType::Empty),
    ];
    instructions.extend(zeros(ty));
    instructions.extend([Instruction::Return, Instruction::End]);
    instructions
}

/// What a function of this type returns that is left.
fn zeros(ty: &FuncType) -> impl Iterator<Item = Instruction<'static>> {
    ty.results().iter().map(|result| match result {
        ValType::I32 => Instruction::I32Const(0),
        ValType::I64 => Instruction::I64Const(0),
        ValType::F32 => Instruction::F32Const(0.0.into()),
        ValType::F64 => Instruction::F64Const(0.0.into()),
        ValType::V128 => Instruction::V128Const(0),
        ValType::Ref(_) => unreachable!("C has no references"),
    })
}
