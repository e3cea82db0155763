//! What the guest calls: for each function that programs may call a *primitive*, with as many
//! arguments as a call has, and a table of them ([`annotations::StubPrimitive`]).
//!
//! A primitive of a function that may raise puts back the stack of locals and the list of local
//! roots where it did. A function that cannot, takes values and never returns zero is its own
//! primitive.

use std::borrow::Cow;
use std::collections::HashSet;
use std::mem::offset_of;

use annotations::{InterfaceEffects, STUB_ARGUMENTS_IN_MEMORY, STUB_RETURNED_ZERO, Stubs};
use anyhow::Result;
use wasm_encoder::{BlockType, Encode, Instruction, MemArg};
use wasmparser::{FuncType, ValType};

use super::code::{self, Function};
use super::effects::Effects;
use super::guest::Guest;
use super::module::{Joined, Reference};
use super::object::Object;
use super::place::{self, Placed};
use super::zero;

/// Most arguments that are passed as such.
const MOST_ARGUMENTS: usize = 5;

/// Unit, for a function that returns nothing.
const UNIT: i64 = 1;

/// Bytes of a row of the table.
const ROW: usize = size_of::<annotations::StubPrimitive>();

/// A function that programs may call.
struct Primitive {
    name: String,
    function: u32,
    /// How it is called.
    arity: u8,
    effects: InterfaceEffects,
}

/// All that is added to the guest.
pub fn make(
    guest: &Guest,
    objects: &[Object],
    placed: &mut Placed,
    functions: Vec<Function>,
    effects: &Effects,
) -> Result<Joined> {
    let mut primitives = Vec::new();
    for (file, object) in objects.iter().enumerate() {
        for name in place::exported(objects, file) {
            let Some((function, number)) = placed.exported(file, object, name) else {
                continue;
            };
            let ty = &object.types[object.bodies[number as usize].ty as usize];
            if let Some(arity) = arity(ty) {
                primitives.push(Primitive {
                    name: name.clone(),
                    function,
                    arity,
                    effects: effects.of(function),
                });
            }
        }
    }
    let never_zero = zero::find(guest, &functions, effects)?;
    let mut maker = Maker {
        guest,
        never_zero,
        placed,
        functions: Vec::with_capacity(functions.len()),
        zero: guest.interface(STUB_RETURNED_ZERO)?,
    };
    for function in functions {
        let ty = &maker.placed.types.all[function.ty as usize];
        let body = code::with_tests(guest, &function, ty, effects)?;
        maker.functions.push(Function { body, ..function });
    }
    let table = maker.placed.add(vec![0; primitives.len() * ROW]);
    for (number, primitive) in primitives.iter().enumerate() {
        maker.primitive(primitive, table + (number * ROW) as u32)?;
    }
    let initialise = maker.all_of("(constructors)", maker.placed.constructors.clone());
    let finish = maker.all_of("(finishers)", maker.placed.finishers.clone());
    let functions = maker.functions;
    let shared = Stubs {
        primitives: table.into(),
        primitives_len: (primitives.len() as u32).into(),
        initialise: initialise.into(),
        finish: finish.into(),
        functions: guest.functions.into(),
        ..Stubs::new()
    };
    let (data, referred_by_others) = code::data(guest, objects, placed)?;
    Ok(Joined {
        types: placed.types.all.clone(),
        functions,
        elements: placed.elements.clone(),
        data,
        referred_by_others,
        end: placed.end,
        shared,
    })
}

/// How a function of this type is called, if programs can call it. Of an argument that C takes for
/// an `int` or a pointer, it gets the lower half, as elsewhere.
fn arity(ty: &FuncType) -> Option<u8> {
    let returns = match ty.results() {
        [] | [ValType::I64] => true,
        [_] | [_, ..] => false,
    };
    let is_integer = |param: &ValType| matches!(param, ValType::I64 | ValType::I32);
    let are_integers = ty.params().iter().all(is_integer);
    match ty.params().len() {
        _ if !returns => None,
        2 if *ty.params() == [ValType::I32, ValType::I32] => Some(STUB_ARGUMENTS_IN_MEMORY),
        count if are_integers && count <= MOST_ARGUMENTS => Some(count.max(1) as u8),
        _ => None,
    }
}

struct Maker<'a> {
    guest: &'a Guest,
    placed: &'a mut Placed,
    functions: Vec<Function>,
    /// The function that is called where a stub returned zero.
    zero: u32,
    /// The functions that never return zero.
    never_zero: HashSet<u32>,
}

impl Maker<'_> {
    /// Adds the function that the guest calls, and fills its row.
    fn primitive(&mut self, primitive: &Primitive, row: u32) -> Result<()> {
        let params = match primitive.arity {
            STUB_ARGUMENTS_IN_MEMORY => vec![ValType::I32, ValType::I32],
            count => vec![ValType::I64; count.into()],
        };
        let ty = FuncType::new(params, [ValType::I64]);
        let is_plain = self.never_zero.contains(&primitive.function);
        let index = match is_plain && *self.target(primitive.function) == ty {
            true => primitive.function,
            false => self.around(primitive, &ty, row),
        };
        let element = self.placed.element(self.guest, index);
        let name = self.placed.string(&primitive.name);
        let len = primitive.name.len() as u32;
        let bytes = [name, len, element].map(u32::to_le_bytes).concat();
        let properties = [primitive.arity, primitive.effects.0, 0, 0];
        self.placed.fill(row, &[&bytes[..], &properties].concat());
        Ok(())
    }

    /// A function of this type that calls the primitive's.
    fn around(&mut self, primitive: &Primitive, ty: &FuncType, row: u32) -> u32 {
        let body = self.body(primitive, ty, row);
        let ty = self.placed.types.index(ty);
        self.add(Function {
            name: format!("primitive {}", primitive.name),
            ty,
            body,
            calls: vec![primitive.function, self.zero],
            indirect: Vec::new(),
            references: vec![Reference::Object(row), Reference::Object(self.guest.stubs)],
        })
    }

    fn body(&self, primitive: &Primitive, ty: &FuncType, row: u32) -> Vec<u8> {
        use Instruction as I;
        let raises = primitive.effects.has(InterfaceEffects::RAISES);
        let params = ty.params().len() as u32;
        let (result, stack, roots) = (params, params + 1, params + 2);
        let local_roots = self.guest.stubs + offset_of!(Stubs, local_roots) as u32;
        let target = self.target(primitive.function);
        let mut body = Vec::new();
        // Locals: the result; where the function may raise, what is put back then.
        let locals: &[(u32, wasm_encoder::ValType)] = match raises {
            true => &[
                (1, wasm_encoder::ValType::I64),
                (2, wasm_encoder::ValType::I32),
            ],
            false => &[(1, wasm_encoder::ValType::I64)],
        };
        (locals.len() as u32).encode(&mut body);
        for (count, ty) in locals {
            count.encode(&mut body);
            ty.encode(&mut body);
        }
        let mut code = Vec::new();
        if raises {
            code.extend([
                I::GlobalGet(self.guest.stack_pointer),
                I::LocalSet(stack),
                I::I32Const(local_roots as i32),
                I::I32Load(WORD),
                I::LocalSet(roots),
            ]);
        }
        for (number, param) in (0..).zip(target.params()) {
            code.push(I::LocalGet(number));
            if *param == ValType::I32 && primitive.arity != STUB_ARGUMENTS_IN_MEMORY {
                code.push(I::I32WrapI64);
            }
        }
        code.push(I::Call(primitive.function));
        let returns = !target.results().is_empty();
        if !returns && !raises {
            code.push(I::I64Const(UNIT));
        } else if !self.never_zero.contains(&primitive.function) {
            if !returns {
                // Nothing tells whether it raised but the guest.
                code.push(I::I64Const(0));
            }
            code.extend([I::LocalTee(result), I::I64Eqz, I::If(BlockType::Empty)]);
            if raises {
                code.extend([
                    I::LocalGet(stack),
                    I::GlobalSet(self.guest.stack_pointer),
                    I::I32Const(local_roots as i32),
                    I::LocalGet(roots),
                    I::I32Store(WORD),
                ]);
            }
            if !returns {
                code.extend([
                    I::I32Const(self.guest.unwinding() as i32),
                    I::I32Load(WORD),
                    I::I32Eqz,
                    I::If(BlockType::Empty),
                    I::I64Const(UNIT),
                    I::Return,
                    I::End,
                ]);
            }
            code.extend([
                I::I32Const(row as i32),
                I::Call(self.zero),
                I::Return,
                I::End,
                I::LocalGet(result),
            ]);
        }
        code.push(I::End);
        code.iter()
            .for_each(|instruction| instruction.encode(&mut body));
        body
    }

    fn target(&self, function: u32) -> Cow<'_, FuncType> {
        let number = (function - self.guest.functions) as usize;
        Cow::Borrowed(&self.placed.types.all[self.functions[number].ty as usize])
    }

    /// The table index of a function that calls these, 0 if there are none.
    fn all_of(&mut self, name: &str, functions: Vec<u32>) -> u32 {
        if functions.is_empty() {
            return 0;
        }
        let mut instructions = Vec::new();
        for &function in &functions {
            instructions.push(Instruction::Call(function));
            if !self.target(function).results().is_empty() {
                instructions.push(Instruction::Drop);
            }
        }
        let ty = self.placed.types.index(&FuncType::new([], []));
        let index = self.add(Function {
            name: name.into(),
            ty,
            body: code::plain(&instructions),
            calls: functions,
            indirect: Vec::new(),
            references: Vec::new(),
        });
        self.placed.element(self.guest, index)
    }

    fn add(&mut self, function: Function) -> u32 {
        self.functions.push(function);
        self.guest.functions + self.functions.len() as u32 - 1
    }
}

/// How an aligned word of memory is accessed.
const WORD: MemArg = MemArg {
    offset: 0,
    align: 2,
    memory_index: 0,
};
