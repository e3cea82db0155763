//! Sorting pairs of numbers, of which there are few: without the code that a sort of the standard
//! library is for each type.

/// Sorts in place, by heapsort.
pub fn pairs(list: &mut [(u32, u32)]) {
    for root in (0..list.len() / 2).rev() {
        sink(list, root);
    }
    for end in (1..list.len()).rev() {
        list.swap(0, end);
        sink(&mut list[..end], 0);
    }
}

/// Moves the pair at `root` down until it is not less than those below it.
fn sink(list: &mut [(u32, u32)], mut root: usize) {
    loop {
        let mut largest = root;
        for child in [2 * root + 1, 2 * root + 2] {
            if child < list.len() && list[largest] < list[child] {
                largest = child;
            }
        }
        if largest == root {
            return;
        }
        list.swap(root, largest);
        root = largest;
    }
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn pairs_are_sorted() {
        for length in 0..40_u32 {
            let pair = |index: u32| (index.wrapping_mul(0x9e37_79b9) >> 27, index % 3);
            let mut list: Vec<_> = (0..length).map(pair).collect();
            let mut expected = list.clone();
            expected.sort();
            pairs(&mut list);
            assert_eq!(list, expected);
        }
    }
}
