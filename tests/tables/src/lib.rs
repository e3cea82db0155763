//! Annotated modules in text. What an interpreter exports for the specializer is written by what it
//! says, and laid out as the annotations crate has it:
//!
//! ```text
//! (@requests 0x100                      the address of the table; regions and requests follow it
//!   (region 0x1000 0x40)                an address and a length
//!   (request 1 (slot 0x80)              the generic function, by its index in the table
//!     (code 0x1000 0x40)                its first parameter: a pointer to so many bytes of code
//!     (pass 1) (const 7)                the others; or (frame 1), (pointer 0x1800)
//!     recursive loops)                  what else is said of the code
//!   (names 0x2000 12)                   where names lie, and their length; may be left out
//!   (links 0x2010 2)                    where links are listed, and how many; may be left out
//!   (cells 0x2020 4))                   where cells are, and how many; may be left out
//! (@boxes 0x60 (box 2 8) (box 3 8))     functions that make boxes, and offsets of payloads
//! (@allocator 0x98 5 0xa8 0xac 0xb0)    the function, and the addresses of its three words
//! (@dispatchers 0x88 (function 4))      functions
//! (@stubs 0x40 6)                       the first function of stubs, by its index in the module
//! ```
//!
//! Each becomes an exported global and data.
//!
//! Invariant: names of exports, magic numbers, kinds and offsets come from the annotations crate,
//! so that no text of a module repeats them.

mod form;
mod layout;

use form::List;
pub use form::Malformed;
pub use layout::Places;

/// Why a text is no module.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Table(#[from] Malformed),
    #[error(transparent)]
    Module(#[from] wat::Error),
}

/// The module of a text.
pub fn module(text: &str) -> Result<Vec<u8>, TextError> {
    Ok(wat::parse_str(expand(text)?)?)
}

/// The text with globals and data in place of its tables.
pub fn expand(text: &str) -> Result<String, Malformed> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("(@") {
        let (before, table) = rest.split_at(start);
        let (table, after) = List::read(table)?;
        expanded.push_str(before);
        expanded.push_str(&layout::table(&table)?);
        rest = after;
    }
    Ok(expanded + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_a_global_and_data() {
        let text = "(module (memory 1) (@dispatchers 0x88 (function 4)))";
        let expected = "(module (memory 1) \
            (global (export \"BACTRIAN_DISPATCHERS\") i32 (i32.const 136))\n  \
            (data (i32.const 136) \"\\01\\00\\00\\00\\04\"))";
        assert_eq!(expand(text).expect("it is well-formed"), expected);
        assert!(module(text).is_ok());
    }

    #[test]
    fn what_is_no_table_is_an_error() {
        let params = "(pass 1)".repeat(17);
        let crowded = format!("(@requests 1 (request 1 (slot 2) {params}))");
        for (text, message) in [
            ("(@requests 0x100", "it does not end"),
            ("(@tables)", "there is no such table"),
            ("(@requests)", "a number is missing"),
            ("(@requests x)", "`x` is no number of 32 bits"),
            (
                "(@requests 0x100000000)",
                "`0x100000000` is no number of 32 bits",
            ),
            ("(@requests 1 2)", "`2` does not belong here"),
            ("(@requests 1 (area 2 3))", "`area` does not belong here"),
            ("(@requests 1 (request 1))", "it has one `slot`"),
            (&crowded, "there are too many parameters"),
            (
                "(@requests 1 (request 1 (slot 2) huge))",
                "`huge` does not belong here",
            ),
        ] {
            let error = module(text).expect_err(message);
            assert!(matches!(error, TextError::Table(_)), "{text}: {error}");
            assert!(error.to_string().contains(message), "{text}: {error}");
        }
        assert!(matches!(module("(module"), Err(TextError::Module(_))));
    }
}
