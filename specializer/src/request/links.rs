//! Links: words that hold an address in a region, of which specialization knows no more than that.
//! And cells: words from which residual code loads such addresses.

use std::collections::{BTreeSet, HashMap};
use std::mem::offset_of;

use annotations as abi;

use super::{Reader, RequestError, Requests};
use crate::module::Module;

impl Requests {
    /// What must hold of links, which are listed at `list`. One that is 0 leads nowhere.
    pub(super) fn check_links(&self, module: &Module, list: u32) -> Result<(), RequestError> {
        let slots: BTreeSet<u32> = self.requests.iter().map(|request| request.slot).collect();
        for (address, &link) in (list..).step_by(4).zip(&self.links) {
            let malformed = |what: &str| {
                let what = format!("the link {link:#x} {what}");
                Err(RequestError::Malformed { address, what })
            };
            if !link.is_multiple_of(4) {
                return malformed("is not aligned");
            }
            if !self.is_constant(link, 4) || slots.contains(&link) {
                return malformed("is not in a region, or a slot");
            }
            let target = module.image_u32(link);
            if target != 0 && !self.is_constant(target, 0) {
                return malformed("does not lead into a region");
            }
        }
        Ok(())
    }

    /// The links in `len` bytes at `address`.
    pub fn links_in(&self, address: u32, len: u32) -> &[u32] {
        let end = address.saturating_add(len);
        let first = self.links.partition_point(|&link| link < address);
        let count = self.links[first..].partition_point(|&link| link < end);
        &self.links[first..first + count]
    }
}

impl Reader<'_, '_> {
    /// The cells of the table at `table`.
    pub(super) fn cells(&self, table: u32) -> Result<HashMap<u32, u32>, RequestError> {
        let cells = self.word(table, offset_of!(abi::RequestTable, cells));
        let count = self.word(table, offset_of!(abi::RequestTable, cell_count));
        if !cells.is_multiple_of(4) || !self.fits(cells, count, 4) {
            return Err(RequestError::Malformed {
                address: table,
                what: "the cells do not fit the memory".into(),
            });
        }
        let places = (cells..).step_by(4);
        let cells = self.words(cells, count).into_iter().zip(places);
        Ok(cells.filter(|(address, _)| *address != 0).collect())
    }
}
