//! Symbols: permanent blocks, one for each name.

use crate::heap;
use crate::value::tag;
use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    static SYMBOLS: RefCell<BTreeMap<String, i64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Forgets all symbols, as a new program is loaded.
pub fn start() {
    SYMBOLS.take();
}

/// The symbol of this name.
pub fn intern(name: &str) -> i64 {
    if let Some(symbol) = SYMBOLS.with_borrow(|symbols| symbols.get(name).copied()) {
        return symbol;
    }
    let text = heap::permanent_string(name);
    let symbol = i64::from(heap::permanent(1, tag::SYMBOL));
    heap::init(symbol, 0, text);
    SYMBOLS.with_borrow_mut(|symbols| symbols.insert(name.into(), symbol));
    symbol
}
