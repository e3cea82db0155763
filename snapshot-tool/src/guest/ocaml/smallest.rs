//! The smallest bytecode executable: it stops at once.

/// The opcode that ends a program.
const STOP: u32 = 143;

/// Globals: the predefined exceptions, here integers, as nothing raises them.
const GLOBALS: u32 = 16;

/// The executable.
pub fn executable() -> Vec<u8> {
    let sections = [
        ("CODE", STOP.to_le_bytes().to_vec()),
        ("PRIM", Vec::new()),
        ("DATA", globals()),
    ];
    let mut file: Vec<u8> = sections
        .iter()
        .flat_map(|(_, bytes)| bytes)
        .copied()
        .collect();
    for (name, bytes) in &sections {
        file.extend(name.as_bytes());
        file.extend((bytes.len() as u32).to_be_bytes());
    }
    file.extend((sections.len() as u32).to_be_bytes());
    file.extend(b"Caml1999X030");
    file
}

/// A marshalled block of small integers.
fn globals() -> Vec<u8> {
    const MAGIC: u32 = 0x8495_a6be;
    const BLOCK: u8 = 0x08;
    const SMALL_INTEGER: u8 = 0x40;
    let mut body = vec![BLOCK];
    body.extend((GLOBALS << 10).to_be_bytes());
    body.extend([SMALL_INTEGER; GLOBALS as usize]);
    let (objects, words) = (1, GLOBALS + 1);
    let header = [MAGIC, body.len() as u32, objects, words, words];
    let header = header.into_iter().flat_map(u32::to_be_bytes);
    header.chain(body).collect()
}
