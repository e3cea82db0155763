//! Reads requests as interpreters for weval make them: a list of records
//! ([`abi::weval::Request`]), each with a sequence of arguments.
//!
//! What is read is taken out of the list, as weval does, and the flag is set by which the program
//! knows that it was specialized.

use std::collections::{HashMap, HashSet};
use std::iter::repeat_with;
use std::mem::offset_of;

use annotations::weval as abi;
use wasmparser::{ExternalKind, Operator};

use super::{Boxed, Heat, Numbered, Param, Reader, Request, RequestError, Requests};
use crate::index::Map;
use crate::ir::{Base, Func, Global, Numbers, Parameter, Type};
use crate::module::Module;
use crate::op::Const;

const REQUEST_SIZE: u32 = size_of::<abi::Request>() as u32;
const ARGUMENT_SIZE: u32 = size_of::<abi::Argument>() as u32;

/// Whether `module` is annotated for weval.
pub fn is_for_weval(module: &Module) -> bool {
    let mut imports = module.imports.iter();
    module.exports.contains_key(abi::PENDING_EXPORT)
        || imports.any(|import| import.module == abi::MODULE)
}

/// What is known of an argument.
enum Known {
    Nothing,
    Constant(Const),
    /// Address and length of the bytes that it points to.
    Buffer(u32, u32),
}

impl Reader<'_, '_> {
    /// All requests that wait.
    pub(super) fn weval(&self) -> Result<Requests, RequestError> {
        let mut requests = Requests::default();
        if !self.module.exports.contains_key(abi::PENDING_EXPORT) {
            return Ok(requests);
        }
        let head = self.returned_address(abi::PENDING_EXPORT)?;
        requests.writes.push((head, vec![0; 4]));
        let (mut seen, mut slots) = (HashSet::new(), HashSet::new());
        let mut names = HashMap::new();
        let mut address = self.module.image_u32(head);
        while address != 0 {
            let malformed = |what: &str| malformed(address, what.into());
            if !seen.insert(address) || !self.fits(address, 1, REQUEST_SIZE) {
                return Err(malformed("the list of requests is damaged"));
            }
            let field = |offset: usize| self.word(address, offset);
            let links = [
                offset_of!(abi::Request, next),
                offset_of!(abi::Request, previous),
            ];
            for link in links {
                let link = address + link as u32;
                requests.writes.push((link, vec![0; 4]));
            }
            // Of two requests with one slot the last one counts: the list begins with it.
            let slot = field(offset_of!(abi::Request, specialized));
            if slot != 0 && slots.insert(slot) {
                let mut request = self.weval_request(address, &mut requests)?;
                let name = names.entry(request.function);
                let name = name.or_insert_with_key(|&function| self.module.name(function));
                request.name = name.as_deref().map(|name| {
                    let id = field(offset_of!(abi::Request, user_id));
                    let arguments = field(offset_of!(abi::Request, arguments));
                    super::plain(&format!("{name} (specialized) {id}@{arguments:#x}")).into()
                });
                requests.requests.push(request);
            }
            address = field(offset_of!(abi::Request, next));
        }
        // The list has the last one first.
        requests.requests.reverse();
        if self.module.exports.contains_key(abi::IS_SPECIALIZED_EXPORT) {
            let flag = self.returned_address(abi::IS_SPECIALIZED_EXPORT)?;
            requests.writes.push((flag, vec![1]));
        }
        Ok(requests)
    }

    fn weval_request(
        &self,
        address: u32,
        requests: &mut Requests,
    ) -> Result<Request, RequestError> {
        let field = |offset: usize| self.word(address, offset);
        let index = field(offset_of!(abi::Request, function));
        let function = self.requested(None, address, index)?;
        let malformed = |what| self.which(None, address, Some(function)).is(what);
        let signature = self.signature(function).map_err(malformed)?;
        let slot = field(offset_of!(abi::Request, specialized));
        let first = field(offset_of!(abi::Request, arguments));
        let len = field(offset_of!(abi::Request, arguments_len));
        if !self.fits(slot, 1, 4) || !self.fits(first, 1, len) {
            return Err(malformed(format!(
                "its slot, the word at {slot:#x}, or its arguments, {len} bytes at {first:#x}, do \
                 not fit the memory"
            )));
        }
        let mut arguments = self.arguments(first, len).map_err(malformed)?;
        let globals = field(offset_of!(abi::Request, global_count)) as usize;
        let most = globals.saturating_add(signature.params.len());
        if !(globals..=most).contains(&arguments.len()) {
            return Err(malformed(format!(
                "it has {} arguments for {globals} constants and {} parameters",
                arguments.len(),
                signature.params.len()
            )));
        }
        let buffers = arguments.iter().filter_map(|known| match *known {
            Known::Buffer(bytes, len) => Some((bytes, len)),
            Known::Constant(_) | Known::Nothing => None,
        });
        requests.buffers.extend(buffers);
        let own = arguments.split_off(globals).into_iter();
        // Of the last ones nothing need be said.
        let own = own.chain(repeat_with(|| Known::Nothing));
        let mut request = Request {
            function,
            slot,
            generic: function,
            sig: self.module.functions[function],
            params: Vec::new(),
            globals: Vec::new(),
            bases: Map::default(),
            anchor: Base(0),
            code: first,
            code_len: 0,
            is_recursive: false,
            loops: true,
            returns_early: false,
            boxed: Boxed::default(),
            numbers: Numbers::Boxed,
            name: None,
            heat: Heat::Usual,
            callees: Default::default(),
        };
        for known in &arguments {
            let numbered = request.numbered(known);
            request.globals.push(numbered);
        }
        for ((number, known), &ty) in (0..).zip(own).zip(&signature.params) {
            let param = match known {
                Known::Nothing => Param::Pass(Parameter(number)),
                Known::Constant(constant) if constant.ty() == ty => Param::Const(constant),
                Known::Buffer(bytes, len) if ty == Type::I32 => {
                    Param::Buffer(Parameter(number), request.knows(bytes, len))
                }
                Known::Constant(_) | Known::Buffer(..) => {
                    let what =
                        format!("its argument {number} is no {ty}, as the function wants it");
                    return Err(malformed(what));
                }
            };
            request.params.push(param);
        }
        if request.code_len == 0 {
            request.anchor = request.bases.push(first);
        }
        Ok(request)
    }

    /// What a request's arguments are, its constants included, or what is wrong with one.
    fn arguments(&self, first: u32, len: u32) -> Result<Vec<Known>, String> {
        let end = first.saturating_add(len);
        let (mut at, mut arguments) = (first, Vec::new());
        while at < end {
            let value = at + offset_of!(abi::Argument, value) as u32;
            let wrong = |what: String| {
                let number = arguments.len();
                format!("number {number} of its arguments, {len} bytes at {first:#x}, {what}")
            };
            let within = |from: u32, len: u32| from.checked_add(len).filter(|&next| next <= end);
            let Some(mut next) = within(at, ARGUMENT_SIZE) else {
                let rest = end - at;
                return Err(wrong(format!(
                    "has {rest} of the {ARGUMENT_SIZE} bytes that it takes"
                )));
            };
            let [low, high] = [self.word(value, 0), self.word(value, 4)];
            let bits = u64::from(low) | u64::from(high) << 32;
            let is_known = self.word(at, offset_of!(abi::Argument, is_known)) != 0;
            let known = match self.word(at, offset_of!(abi::Argument, kind)) {
                _ if !is_known => Known::Nothing,
                abi::ARGUMENT_I32 => Known::Constant(Const::I32(low as i32)),
                abi::ARGUMENT_I64 => Known::Constant(Const::I64(bits as i64)),
                abi::ARGUMENT_F32 => Known::Constant(Const::F32(low)),
                abi::ARGUMENT_F64 => Known::Constant(Const::F64(bits)),
                abi::ARGUMENT_BUFFER => {
                    let bytes = next;
                    let Some(behind) = within(bytes, high) else {
                        let rest = end - bytes;
                        let what = format!(
                            "is a buffer of {high} bytes with padding, of which {rest} are there"
                        );
                        return Err(wrong(what));
                    };
                    if low > high {
                        let what =
                            format!("is a buffer of {low} bytes, and of {high} with padding");
                        return Err(wrong(what));
                    }
                    next = behind;
                    Known::Buffer(bytes, low)
                }
                kind => return Err(wrong(format!("is of type {kind}, which there is not"))),
            };
            arguments.push(known);
            at = next;
        }
        Ok(arguments)
    }

    /// The address that an exported function returns, as C compilers write it: a constant, or its
    /// distance from a global. In a command of wasi-libc's, the export calls constructors and
    /// destructors around that function.
    fn returned_address(&self, export: &str) -> Result<u32, RequestError> {
        let function = match self.module.exports.get(export) {
            Some(&(ExternalKind::Func, index)) => {
                let exported = Func(index);
                self.constant_result(self.wrapped(exported).unwrap_or(exported))
            }
            _ => None,
        };
        let no_constant = || {
            malformed(
                0,
                format!("the function `{export}` does not just return an address"),
            )
        };
        function
            .filter(|&address| self.fits(address, 1, 4))
            .ok_or_else(no_constant)
    }

    /// The function whose result a function returns that does nothing but call some without
    /// arguments, of which no other has a result.
    fn wrapped(&self, function: Func) -> Option<Func> {
        let mut operators = self.module.body(function)?.get_operators_reader().ok()?;
        let mut wrapped = None;
        loop {
            match operators.read().ok()? {
                Operator::Call { function_index } => {
                    let callee = Func(function_index);
                    let signature = self.module.signature(callee)?;
                    if !signature.params.is_empty() {
                        return None;
                    }
                    if !signature.results.is_empty() && wrapped.replace(callee).is_some() {
                        return None;
                    }
                }
                Operator::End => return wrapped,
                _ => return None,
            }
        }
    }

    fn constant_result(&self, function: Func) -> Option<u32> {
        let mut operators = self.module.body(function)?.get_operators_reader().ok()?;
        let (mut stack, mut locals) = (Vec::new(), Vec::new());
        loop {
            match operators.read().ok()? {
                Operator::I32Const { value } => stack.push(value),
                Operator::GlobalGet { global_index } => {
                    match self.module.globals.get(Global(global_index))?.init {
                        Some(Const::I32(value)) => stack.push(value),
                        _ => return None,
                    }
                }
                Operator::I32Add => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    stack.push(i32::wrapping_add(a, b));
                }
                Operator::LocalSet { local_index } => locals.push((local_index, stack.pop()?)),
                Operator::LocalGet { local_index } => {
                    let mut set = locals.iter().rev();
                    stack.push(set.find(|(local, _)| *local == local_index)?.1);
                }
                Operator::Return | Operator::End => return Some(stack.pop()? as u32),
                _ => return None,
            }
        }
    }
}

impl Request {
    /// The base of bytes that are known. The longest ones are taken for the request's code.
    fn knows(&mut self, bytes: u32, len: u32) -> Base {
        let base = self.bases.push(bytes);
        if len > self.code_len {
            (self.anchor, self.code, self.code_len) = (base, bytes, len);
        }
        base
    }

    /// What `read.specialization.global` gives.
    fn numbered(&mut self, known: &Known) -> Option<Numbered> {
        match *known {
            Known::Constant(Const::I32(value)) => Some(Numbered::Constant(value as u32 as i64)),
            Known::Constant(Const::I64(value)) => Some(Numbered::Constant(value)),
            Known::Buffer(bytes, len) => Some(Numbered::Pointer(self.knows(bytes, len))),
            Known::Constant(Const::F32(_) | Const::F64(_)) | Known::Nothing => None,
        }
    }
}

fn malformed(address: u32, what: String) -> RequestError {
    RequestError::Malformed { address, what }
}
