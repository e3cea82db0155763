//! Links: words that hold an address in a region, of which specialization knows no more than that.
//! And cells: words from which residual code loads such addresses.

use std::collections::{BTreeSet, HashMap};
use std::mem::offset_of;

use annotations as abi;

use super::{Reader, RequestError, Requests};

impl Requests {
    /// The links in `len` bytes at `address`.
    pub fn links_in(&self, address: u32, len: u32) -> &[u32] {
        let end = address.saturating_add(len);
        let first = self.links.partition_point(|&link| link < address);
        let count = self.links[first..].partition_point(|&link| link < end);
        &self.links[first..first + count]
    }
}

impl Reader<'_, '_> {
    /// The links listed at `list`, in ascending order, of a table with these requests and regions.
    /// One that is 0 leads nowhere.
    pub(super) fn links(
        &self,
        list: u32,
        count: u32,
        table: &Requests,
    ) -> Result<Vec<u32>, RequestError> {
        let slots: BTreeSet<u32> = table.requests.iter().map(|request| request.slot).collect();
        let mut links = Vec::new();
        for (address, link) in self.words(list, count) {
            let malformed = |what: &str| {
                let what = format!("the link {link:#x} {what}");
                Err(RequestError::Malformed { address, what })
            };
            if !link.is_multiple_of(4) {
                return malformed("is not aligned");
            }
            if !table.is_constant(link, 4) || slots.contains(&link) {
                return malformed("is not in a region, or a slot");
            }
            let target = self.module.image_u32(link);
            if target != 0 && !table.is_constant(target, 0) {
                return malformed("does not lead into a region");
            }
            if target != 0 {
                links.push(link);
            }
        }
        links.sort_unstable();
        links.dedup();
        Ok(links)
    }

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
        let cells = self.words(cells, count);
        let cells = cells.map(|(place, address)| (address, place));
        Ok(cells.filter(|(address, _)| *address != 0).collect())
    }
}
