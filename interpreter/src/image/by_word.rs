//! Something by the word of the code at which it is.
//!
//! A pass goes through the code in ascending order, or nearly. What it looks up lies in the order
//! in which it was put there, so it is where the last look was: a hash table of all calls of a
//! large program misses the processor's caches each time.
//!
//! Invariant: takes four bytes for each word of the code, whether there is something or not.

pub struct ByWord<T> {
    /// By word, the item's place and one; 0 where there never was one.
    places: Vec<u32>,
    items: Vec<(usize, Option<T>)>,
}

impl<T> ByWord<T> {
    /// For code of so many words.
    pub fn new(words: usize) -> Self {
        Self {
            places: vec![0; words],
            items: Vec::new(),
        }
    }

    /// What is at `word`; nothing beyond the code's end.
    pub fn get(&self, word: usize) -> Option<&T> {
        self.items[self.place(word)?].1.as_ref()
    }

    pub fn get_mut(&mut self, word: usize) -> Option<&mut T> {
        let place = self.place(word)?;
        self.items[place].1.as_mut()
    }

    /// Puts an item at `word`, which is within the code, in the place of one that may be there.
    pub fn insert(&mut self, word: usize, item: T) {
        match self.place(word) {
            Some(place) => self.items[place].1 = Some(item),
            None => {
                self.items.push((word, Some(item)));
                self.places[word] = self.items.len() as u32;
            }
        }
    }

    /// Takes the item away from `word`.
    pub fn take(&mut self, word: usize) -> Option<T> {
        let place = self.place(word)?;
        self.items[place].1.take()
    }

    /// Takes all items away. Costs what they are, not what the code is.
    pub fn clear(&mut self) {
        for (word, _) in self.items.drain(..) {
            self.places[word] = 0;
        }
    }

    /// In the order of the words.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let places = self.places.iter().filter(|&&place| place > 0);
        places.filter_map(|&place| {
            let (word, item) = &self.items[place as usize - 1];
            Some((*word, item.as_ref()?))
        })
    }

    fn place(&self, word: usize) -> Option<usize> {
        (*self.places.get(word)? as usize).checked_sub(1)
    }
}

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_and_go_and_are_in_order() {
        let mut items = ByWord::new(10);
        items.insert(7, "seven");
        items.insert(2, "two");
        items.insert(7, "seven again");
        assert_eq!(items.get(7), Some(&"seven again"));
        assert_eq!((items.get(3), items.get(10)), (None, None));
        items.insert(4, "four");
        assert_eq!(items.take(2), Some("two"));
        assert_eq!(items.get(2), None);
        assert_eq!(items.get_mut(10), None);
        assert_eq!((items.take(2), items.take(9)), (None, None));
        let all: Vec<_> = items.iter().collect();
        assert_eq!(all, [(4, &"four"), (7, &"seven again")]);
        items.insert(2, "two");
        assert_eq!(items.iter().next(), Some((2, &"two")));
        items.clear();
        assert_eq!(items.iter().next(), None);
        assert_eq!(items.get(4), None);
    }
}
