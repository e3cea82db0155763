//! Reads requests from a table of ours ([`abi::RequestTable`]).

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::ops::Range;

use annotations as abi;

use super::{Boxed, Heat, Param, REQUEST_SIZE, Reader, Request, RequestError, Requests};
use crate::index::Map;
use crate::ir::{Base, Func, Numbers, Parameter, Signature, Type};
use crate::op::Const;

/// Bytes of the table and of a region.
const TABLE_SIZE: u32 = size_of::<abi::RequestTable>() as u32;
const REGION_SIZE: u32 = size_of::<abi::Region>() as u32;

/// The bits that a request's flags may have.
const FLAGS: u32 = abi::REQUEST_RECURSIVE | abi::REQUEST_LOOPS | abi::REQUEST_RETURNS_EARLY;

/// Regions a table may list: more are taken for a count that was overwritten.
const MAX_REGIONS: u32 = 1 << 20;

impl Requests {
    /// Gives the requests their names, which lie at `address`.
    fn name(&mut self, address: u32, bytes: &[u8]) -> Result<(), RequestError> {
        let mut names = bytes.split_inclusive(|&byte| byte == 0);
        let count = self.requests.len();
        for (number, request) in self.requests.iter_mut().enumerate() {
            let malformed = |what| RequestError::Malformed { address, what };
            let name = names.next().ok_or_else(|| {
                malformed(format!("there are {number} names for {count} requests"))
            })?;
            let name = name
                .strip_suffix(&[0])
                .ok_or_else(|| malformed(format!("the name of request {number} does not end")))?;
            if name.len() > abi::MAX_NAME {
                let what = format!("the name of request {number} is too long");
                return Err(malformed(what));
            }
            // It is for people: an interpreter may have it from a file in another encoding.
            let name = String::from_utf8_lossy(name);
            request.name = (!name.is_empty()).then(|| super::plain(&name).into());
        }
        Ok(())
    }
}

impl Reader<'_, '_> {
    /// The request table at `table`.
    pub(super) fn table(&self, table: u32) -> Result<Requests, RequestError> {
        let magic = self.word(table, offset_of!(abi::RequestTable, magic));
        let version = self.word(table, offset_of!(abi::RequestTable, version));
        let expected = (abi::REQUEST_MAGIC, abi::REQUEST_VERSION);
        if (magic, version) != expected {
            let (magic_of_ours, ours) = expected;
            let what = match magic == magic_of_ours {
                true => format!(
                    "it is of version {version}, and this Bactrian reads version {ours}: build \
                     the interpreter with the annotations of this version"
                ),
                _ if magic == 0 => "it is empty: the module was specialized already, or was not \
                            initialised"
                    .into(),
                false => format!(
                    "there is none: it would begin with {magic_of_ours:#x}, and here is {magic:#x}"
                ),
            };
            return Err(RequestError::Malformed {
                address: table,
                what,
            });
        }
        let regions = self.word(table, offset_of!(abi::RequestTable, regions));
        let region_count = self.word(table, offset_of!(abi::RequestTable, region_count));
        let requests = self.word(table, offset_of!(abi::RequestTable, requests));
        let request_count = self.word(table, offset_of!(abi::RequestTable, request_count));
        let malformed = |what: &str| RequestError::Malformed {
            address: table,
            what: what.to_owned(),
        };
        if region_count > MAX_REGIONS {
            let what = format!("there are {region_count} regions, more than {MAX_REGIONS}");
            return Err(malformed(&what));
        }
        if !self.fits(regions, region_count, REGION_SIZE) {
            return Err(malformed("the list of regions does not fit the memory"));
        }
        if !self.fits(requests, request_count, REQUEST_SIZE) {
            return Err(malformed("the list of requests does not fit the memory"));
        }
        let names = self.word(table, offset_of!(abi::RequestTable, names));
        let names_len = self.word(table, offset_of!(abi::RequestTable, names_len));
        if !self.fits(names, 1, names_len) {
            return Err(malformed("the names do not fit the memory"));
        }
        let most = u64::from(request_count) * (abi::MAX_NAME as u64 + 1);
        if u64::from(names_len) > most {
            let what = format!("the names of {request_count} requests have {names_len} bytes");
            return Err(malformed(&what));
        }
        let links = self.word(table, offset_of!(abi::RequestTable, links));
        let link_count = self.word(table, offset_of!(abi::RequestTable, link_count));
        if !self.fits(links, link_count, 4) {
            return Err(malformed("the list of links does not fit the memory"));
        }
        let mut result = Requests {
            regions: self.regions(regions, region_count)?,
            requests: Vec::new(),
            cells: self.cells(table)?,
            lists: vec![
                list(table, 1, TABLE_SIZE),
                list(requests, request_count, REQUEST_SIZE),
                list(names, 1, names_len),
                list(links, link_count, 4),
            ],
            ..Requests::default()
        };
        for index in 0..request_count {
            let request = self.request(index, requests + index * REQUEST_SIZE)?;
            result.requests.push(request);
        }
        if names_len > 0 {
            result.name(names, &self.bytes(names, names_len))?;
        }
        result.check(self.module, requests)?;
        result.links = self.links(links, link_count, &result)?;
        Ok(result)
    }

    /// The regions listed at `list`: inside the memory, and disjoint.
    fn regions(&self, list: u32, count: u32) -> Result<BTreeMap<u32, u32>, RequestError> {
        let mut regions = BTreeMap::default();
        for index in 0..count {
            let address = list + index * REGION_SIZE;
            let base = self.word(address, offset_of!(abi::Region, base));
            let len = self.word(address, offset_of!(abi::Region, len));
            let malformed = |what: &str| {
                let what = format!(
                    "region {index} of constant memory, {len:#x} bytes at {base:#x}, {what}"
                );
                Err(RequestError::Malformed { address, what })
            };
            if !self.fits(base, 1, len) {
                return malformed("does not fit the memory");
            }
            let reaches = |(start, size): (&u32, &u32), other: u32| {
                u64::from(*start) + u64::from(*size) > u64::from(other)
            };
            let before = regions.range(..=base).next_back();
            let after = regions.range(base..).next();
            let overlaps = before.is_some_and(|before| reaches(before, base))
                || after.is_some_and(|(&start, _)| reaches((&base, &len), start));
            if len > 0 && overlaps {
                return malformed("overlaps another");
            }
            if len > 0 {
                regions.insert(base, len);
            }
        }
        Ok(regions)
    }

    /// The function that a request has at an index of the table.
    pub(super) fn requested(
        &self,
        number: Option<u32>,
        address: u32,
        index: u32,
    ) -> Result<Func, RequestError> {
        self.table_entry(index).map_err(|what| {
            let what = format!("it names no function of the interpreter: {what}");
            self.which(number, address, None).is(what)
        })
    }

    fn request(&self, number: u32, address: u32) -> Result<Request, RequestError> {
        let function = self.word(address, offset_of!(abi::Request, function));
        let slot = self.word(address, offset_of!(abi::Request, slot));
        let anchor = self.word(address, offset_of!(abi::Request, anchor));
        let code_len = self.word(address, offset_of!(abi::Request, code_len));
        let param_count = self.word(address, offset_of!(abi::Request, param_count));
        let flags = self.word(address, offset_of!(abi::Request, flags));
        let function = self.requested(Some(number), address, function)?;
        let malformed = |what| self.which(Some(number), address, Some(function)).is(what);
        if !slot.is_multiple_of(4) || !self.fits(slot, 1, 4) {
            return Err(malformed(format!(
                "its slot, {slot:#x}, is not an aligned word of the memory"
            )));
        }
        let generic = self.module.image_u32(slot);
        let generic = self.table_entry(generic).map_err(|what| {
            malformed(format!(
                "its slot, the word at {slot:#x}, does not hold a function to begin with: {what}"
            ))
        })?;
        let signature = self.signature(function).map_err(malformed)?;
        let residual = self.signature(generic).map_err(malformed)?;
        if param_count > abi::MAX_PARAMS as u32 || signature.params.len() != param_count as usize {
            return Err(malformed(format!(
                "it describes {param_count} parameters, and the function has {}",
                signature.params.len()
            )));
        }
        if signature.results != residual.results {
            return Err(malformed(format!(
                "the function and the one in its slot, `{}`, differ in their results",
                super::title(self.module, generic)
            )));
        }
        if flags & !FLAGS != 0 {
            let unknown = flags & !FLAGS;
            return Err(malformed(format!(
                "its flags, {flags:#x}, have bits that mean nothing: {unknown:#x}"
            )));
        }
        let mut request = Request {
            function,
            slot,
            generic,
            sig: self.module.functions[generic],
            params: Vec::new(),
            globals: Vec::new(),
            bases: Map::default(),
            anchor: Base(0),
            code: 0,
            code_len,
            is_recursive: flags & abi::REQUEST_RECURSIVE != 0,
            loops: flags & abi::REQUEST_LOOPS != 0,
            returns_early: flags & abi::REQUEST_RETURNS_EARLY != 0,
            boxed: Boxed::default(),
            numbers: Numbers::Boxed,
            name: None,
            heat: Heat::Usual,
            callees: BTreeMap::new(),
        };
        for (index, &ty) in signature.params.iter().enumerate() {
            let list = address.wrapping_add(offset_of!(abi::Request, params) as u32);
            let at = list.wrapping_add((size_of::<abi::Param>() * index) as u32);
            let kind = self.word(at, offset_of!(abi::Param, kind));
            let low = self.word(at, offset_of!(abi::Param, value));
            let high = self.word(at, offset_of!(abi::Param, value) + 4);
            let value = u64::from(low) | u64::from(high) << 32;
            let param = param(kind, value, ty, residual, &mut request.bases);
            let param = param.map_err(|what| malformed(format!("parameter {index} {what}")))?;
            request.params.push(param);
            let boxed = self.word(at, offset_of!(abi::Param, boxed));
            let kind = kind_of_box(boxed, Some(&ty));
            let kind = kind.ok_or_else(|| {
                malformed(format!(
                    "parameter {index}, an {ty}, cannot be a box of kind {}",
                    boxed.wrapping_sub(1)
                ))
            })?;
            if let (Param::Pass(param), Some(kind)) = (param, kind) {
                request.boxed.params.push((param, kind));
            }
        }
        let boxed = self.word(address, offset_of!(abi::Request, result));
        let kind = kind_of_box(boxed, residual.results.first());
        request.boxed.result = kind.ok_or_else(|| {
            malformed(format!(
                "its result cannot be a box of kind {}",
                boxed.wrapping_sub(1)
            ))
        })?;
        let Some(&Param::Pointer(base)) = request.params.get(anchor as usize) else {
            return Err(malformed(format!(
                "its code should be what parameter {anchor} points to, which is no pointer that \
                 the request knows"
            )));
        };
        request.anchor = base;
        request.code = request.bases[base];
        Ok(request)
    }
}

/// Where a list lies. One that ends with the last address has no last byte here.
fn list(address: u32, count: u32, size: u32) -> Range<u32> {
    address..address.saturating_add(count.saturating_mul(size))
}

/// The kind of boxes that a value of this type is, if any; `None` if it cannot be one.
fn kind_of_box(boxed: u32, ty: Option<&Type>) -> Option<Option<u8>> {
    match boxed.checked_sub(1) {
        None => Some(None),
        Some(kind) => {
            (kind < abi::MAX_BOX_KINDS && ty == Some(&Type::I64)).then_some(Some(kind as u8))
        }
    }
}

/// The parameter described by `kind` and `value`, or why that makes no sense for its type.
fn param(
    kind: u32,
    value: u64,
    ty: Type,
    residual: &Signature,
    bases: &mut Map<Base, u32>,
) -> Result<Param, String> {
    let passed = || {
        let count = residual.params.len();
        let there = residual
            .params
            .get(usize::try_from(value).unwrap_or(usize::MAX));
        match there {
            None => Err(format!(
                "is to be parameter {value} of the specialized function, which has {count}"
            )),
            Some(&other) if other != ty => Err(format!(
                "is an {ty}, and parameter {value} of the specialized function, which it is to \
                 be, an {other}"
            )),
            Some(_) => Ok(Parameter(value as u32)),
        }
    };
    let address = |what: &str| match ty {
        Type::I32 => Ok(()),
        other => Err(format!("is {what}, and so no {other}")),
    };
    match kind {
        abi::PARAM_PASS => Ok(Param::Pass(passed()?)),
        abi::PARAM_CONST => Ok(Param::Const(match ty {
            Type::I32 => Const::I32(value as i32),
            Type::I64 => Const::I64(value as i64),
            Type::F32 => Const::F32(value as u32),
            Type::F64 => Const::F64(value),
        })),
        abi::PARAM_FRAME => {
            address("the address of a frame")?;
            Ok(Param::Frame(passed()?))
        }
        abi::PARAM_POINTER => {
            address("a pointer")?;
            Ok(Param::Pointer(bases.push(value as u32)))
        }
        other => Err(format!(
            "is described by {other}, which no description begins with"
        )),
    }
}
