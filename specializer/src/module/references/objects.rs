//! Which parts of memory are objects: those that symbols name, as long as nothing refers to one by
//! an address outside of it.

use std::ops::Range;

/// Parts of memory, and whether each is an object.
pub(super) struct Objects {
    /// Address and length; disjoint, in ascending order.
    parts: Vec<(u32, u32)>,
    are_objects: Vec<bool>,
}

impl Objects {
    /// Of data with these addresses and lengths. Those that overlap are one.
    pub fn new(mut data: Vec<(u32, u32)>) -> Self {
        data.retain(|&(_, len)| len > 0);
        data.sort_unstable();
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for (start, len) in data {
            match parts.last_mut() {
                Some((first, last)) if start - *first < *last => {
                    *last = (*last).max((start - *first).saturating_add(len));
                }
                Some(_) | None => parts.push((start, len)),
            }
        }
        Self {
            are_objects: vec![true; parts.len()],
            parts,
        }
    }

    /// Takes note that memory refers to the data at `address` by what is so far from there.
    pub fn refer(&mut self, address: u32, distance: i64) {
        let after = self.parts.partition_point(|&(start, _)| start <= address);
        let Some(number) = after.checked_sub(1) else {
            return;
        };
        let (start, len) = self.parts[number];
        let at = i64::from(address - start) + distance;
        if !(0..i64::from(len)).contains(&at) {
            self.are_objects[number] = false;
        }
    }

    /// Takes note that what lies here is referred to as a whole.
    pub fn remove(&mut self, place: Range<u32>) {
        for (&(start, _), is_object) in self.parts.iter().zip(&mut self.are_objects) {
            *is_object &= !place.contains(&start);
        }
    }

    /// What is left of them.
    pub fn left(self) -> Vec<(u32, u32)> {
        let parts = self.parts.into_iter().zip(self.are_objects);
        let objects = parts.filter_map(|(part, is_object)| is_object.then_some(part));
        objects.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_overlap_are_one() {
        let objects = Objects::new(vec![(20, 4), (8, 0), (10, 6), (12, 8), (30, 1)]);
        assert_eq!(objects.left(), [(10, 10), (20, 4), (30, 1)]);
    }

    #[test]
    fn what_is_referred_to_from_outside_is_no_object() {
        let mut objects = Objects::new(vec![(10, 10), (20, 4), (30, 4), (40, 4), (50, 4)]);
        // Two ends, a place before, and two within.
        objects.refer(10, 10);
        objects.refer(30, 4);
        objects.refer(40, -4);
        objects.refer(20, 3);
        objects.refer(50, 0);
        assert_eq!(objects.left(), [(20, 4), (50, 4)]);
    }

    #[test]
    fn what_is_enclosed_is_no_object() {
        let mut objects = Objects::new(vec![(10, 10), (20, 4), (30, 4), (40, 4)]);
        objects.remove(20..34);
        assert_eq!(objects.left(), [(10, 10), (40, 4)]);
    }
}
