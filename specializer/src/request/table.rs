//! Reads requests from a table of ours ([`abi::RequestTable`]).

use std::collections::BTreeMap;
use std::mem::offset_of;

use annotations as abi;

use super::{Boxed, Heat, Param, REQUEST_SIZE, Reader, Request, RequestError, Requests};
use crate::index::Map;
use crate::ir::{Base, Numbers, Parameter, Signature, Type};
use crate::op::Const;

/// Bytes of the table and of a region.
const TABLE_SIZE: u32 = size_of::<abi::RequestTable>() as u32;
const REGION_SIZE: u32 = size_of::<abi::Region>() as u32;

/// Regions a table may list: more are taken for a count that was overwritten.
const MAX_REGIONS: u32 = 1 << 16;

impl Reader<'_, '_> {
    /// The request table at `table`.
    pub(super) fn table(&self, table: u32) -> Result<Requests, RequestError> {
        let magic = self.word(table, offset_of!(abi::RequestTable, magic));
        let version = self.word(table, offset_of!(abi::RequestTable, version));
        if magic != abi::REQUEST_MAGIC || version != abi::REQUEST_VERSION {
            let (expected, ours) = (abi::REQUEST_MAGIC, abi::REQUEST_VERSION);
            let what = format!(
                "magic {magic:#x}, version {version}; expected {expected:#x}, version {ours}"
            );
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
        if region_count > MAX_REGIONS || !self.fits(regions, region_count, REGION_SIZE) {
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
        let links = self.word(table, offset_of!(abi::RequestTable, links));
        let link_count = self.word(table, offset_of!(abi::RequestTable, link_count));
        if !self.fits(links, link_count, 4) {
            return Err(malformed("the list of links does not fit the memory"));
        }
        let mut result = Requests {
            regions: self.regions(regions, region_count)?,
            requests: Vec::new(),
            links: self.words(links, link_count),
            cells: self.cells(table)?,
            lists: vec![
                table..table.saturating_add(TABLE_SIZE),
                requests..requests + request_count * REQUEST_SIZE,
                names..names + names_len,
                links..links + link_count * 4,
            ],
            ..Requests::default()
        };
        for index in 0..request_count {
            let request = self.request(requests + index * REQUEST_SIZE);
            let request = request.map_err(|error| error.of(&format!("request {index}")))?;
            result.requests.push(request);
        }
        if names_len > 0 {
            result.name(names, &self.bytes(names, names_len))?;
        }
        result.check(requests)?;
        result.check_links(self.module, links)?;
        result
            .links
            .retain(|&link| self.module.image_u32(link) != 0);
        Ok(result)
    }

    /// The regions listed at `list`: inside the memory, and disjoint.
    fn regions(&self, list: u32, count: u32) -> Result<BTreeMap<u32, u32>, RequestError> {
        let mut regions = BTreeMap::default();
        for index in 0..count {
            let address = list + index * REGION_SIZE;
            let base = self.word(address, offset_of!(abi::Region, base));
            let len = self.word(address, offset_of!(abi::Region, len));
            let malformed = |what: String| Err(RequestError::Malformed { address, what });
            if !self.fits(base, 1, len) {
                return malformed(format!("region {base:#x}+{len:#x} does not fit the memory"));
            }
            let reaches = |(start, size): (&u32, &u32), other: u32| {
                u64::from(*start) + u64::from(*size) > u64::from(other)
            };
            let before = regions.range(..=base).next_back();
            let after = regions.range(base..).next();
            let overlaps = before.is_some_and(|before| reaches(before, base))
                || after.is_some_and(|(&start, _)| reaches((&base, &len), start));
            if len > 0 && overlaps {
                return malformed(format!("region {base:#x}+{len:#x} overlaps another"));
            }
            if len > 0 {
                regions.insert(base, len);
            }
        }
        Ok(regions)
    }

    fn request(&self, address: u32) -> Result<Request, RequestError> {
        let malformed = |what: String| RequestError::Malformed { address, what };
        let function = self.word(address, offset_of!(abi::Request, function));
        let slot = self.word(address, offset_of!(abi::Request, slot));
        let anchor = self.word(address, offset_of!(abi::Request, anchor));
        let code_len = self.word(address, offset_of!(abi::Request, code_len));
        let param_count = self.word(address, offset_of!(abi::Request, param_count));
        let flags = self.word(address, offset_of!(abi::Request, flags));
        let function = self.table_entry(function).map_err(malformed)?;
        let generic = self.module.image_u32(slot);
        let generic = self.table_entry(generic).map_err(malformed)?;
        let signature = self.signature(function).map_err(malformed)?;
        let residual = self.signature(generic).map_err(malformed)?;
        if !slot.is_multiple_of(4) || !self.fits(slot, 1, 4) {
            return Err(malformed(format!(
                "slot {slot:#x} is not an aligned word of the memory"
            )));
        }
        if param_count > abi::MAX_PARAMS as u32 || signature.params.len() != param_count as usize {
            return Err(malformed(format!(
                "{param_count} parameters for {}, which has {}",
                self.called(function),
                signature.params.len()
            )));
        }
        if signature.results != residual.results {
            return Err(malformed(format!(
                "{} and {} differ in their results",
                self.called(function),
                self.called(generic)
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
            let param = param.ok_or_else(|| {
                let function = self.called(function);
                let why = unfit(kind, value, ty, residual);
                malformed(format!("parameter {index} of {function}: {why}"))
            })?;
            request.params.push(param);
            let boxed = self.word(at, offset_of!(abi::Param, boxed));
            let kind = kind_of_box(boxed, Some(&ty));
            let kind = kind.ok_or_else(|| malformed(format!("box {boxed} of {function}")))?;
            if let (Param::Pass(param), Some(kind)) = (param, kind) {
                request.boxed.params.push((param, kind));
            }
        }
        let boxed = self.word(address, offset_of!(abi::Request, result));
        let kind = kind_of_box(boxed, residual.results.first());
        request.boxed.result =
            kind.ok_or_else(|| malformed(format!("result {boxed} of {function}")))?;
        let Some(&Param::Pointer(base)) = request.params.get(anchor as usize) else {
            return Err(malformed(format!(
                "anchor {anchor} is no pointer parameter"
            )));
        };
        request.anchor = base;
        request.code = request.bases[base];
        Ok(request)
    }
}

/// Why a description makes no sense for a parameter of this type.
fn unfit(kind: u32, value: u64, ty: Type, residual: &Signature) -> String {
    match (kind, residual.params.get(value as usize)) {
        (abi::PARAM_PASS | abi::PARAM_FRAME, None) => format!(
            "it is to be parameter {value} of the function in the slot, which has {}",
            residual.params.len()
        ),
        (abi::PARAM_PASS, Some(other)) => format!(
            "it has type {ty}, and parameter {value} of the function in the slot has type {other}"
        ),
        (abi::PARAM_FRAME | abi::PARAM_POINTER, _) => {
            format!("it has type {ty}, which is no address")
        }
        _ => format!("there is no kind {kind} of descriptions"),
    }
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

/// The parameter described by `kind` and `value`, if that makes sense for its type.
fn param(
    kind: u32,
    value: u64,
    ty: Type,
    residual: &Signature,
    bases: &mut Map<Base, u32>,
) -> Option<Param> {
    match kind {
        abi::PARAM_PASS => (residual.params.get(value as usize) == Some(&ty))
            .then_some(Param::Pass(Parameter(value as u32))),
        abi::PARAM_CONST => Some(Param::Const(match ty {
            Type::I32 => Const::I32(value as i32),
            Type::I64 => Const::I64(value as i64),
            Type::F32 => Const::F32(value as u32),
            Type::F64 => Const::F64(value),
        })),
        abi::PARAM_FRAME => (ty == Type::I32 && residual.params.get(value as usize) == Some(&ty))
            .then_some(Param::Frame(Parameter(value as u32))),
        abi::PARAM_POINTER if ty == Type::I32 => Some(Param::Pointer(bases.push(value as u32))),
        _ => None,
    }
}
