//! Marshalled data as a tree of Rust's own: for who wants little of it, and none of it in the heap.
//!
//! Invariant: it takes none of the heap, and memory in proportion to the data. Leaves out tags, and
//! what no compiler writes into its debug information: custom blocks, and pointers into code and
//! closures.

use super::format::*;
use super::input::{self, Error, Reader, ill_formed};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node<'a> {
    Integer(i64),
    String(&'a [u8]),
    /// A block, by its place among the tree's blocks.
    Block(u32),
    /// A float, or an array of these.
    Other,
}

/// A value and all that it leads to.
pub struct Tree<'a> {
    pub root: Node<'a>,
    blocks: Vec<Block>,
    /// Those of one block lie side by side.
    fields: Vec<Node<'a>>,
}

/// Where a block has its fields.
#[derive(Clone, Copy)]
struct Block {
    first: u32,
    count: u32,
}

impl<'a> Tree<'a> {
    /// Reads the value whose header is at the start of `bytes`.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let header = input::header(bytes, "")?;
        let data = bytes[header.header_len..].get(..header.data_len);
        let Some(data) = data else {
            return ill_formed();
        };
        let mut builder = Builder {
            reader: Reader::new(data),
            objects: Vec::new(),
            open: Vec::new(),
            tree: Tree {
                root: Node::Other,
                blocks: Vec::new(),
                fields: Vec::new(),
            },
        };
        builder.tree.root = builder.node()?;
        while let Some(place) = builder.next_field() {
            builder.tree.fields[place] = builder.node()?;
        }
        Ok(builder.tree)
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// A field of a block; `None` if there is no such field, or it is no block.
    pub fn field(&self, node: Node<'a>, index: usize) -> Option<Node<'a>> {
        let Node::Block(number) = node else {
            return None;
        };
        let block = self.blocks[number as usize];
        let has_it = index < block.count as usize;
        has_it.then(|| self.fields[block.first as usize + index])
    }
}

/// Reads node by node, in the order of the bytes: a block before its fields, and depth first.
struct Builder<'a> {
    reader: Reader<'a>,
    /// What was met so far and can be met again.
    objects: Vec<Node<'a>>,
    /// Blocks whose last fields are still to come, and how many were there.
    open: Vec<(Block, u32)>,
    tree: Tree<'a>,
}

impl<'a> Builder<'a> {
    /// Where the next node belongs among the fields; `None` if the value is complete.
    fn next_field(&mut self) -> Option<usize> {
        let (block, there) = self.open.last_mut()?;
        let place = block.first + *there;
        *there += 1;
        if *there == block.count {
            self.open.pop();
        }
        Some(place as usize)
    }

    fn node(&mut self) -> Result<Node<'a>, Error> {
        let code = self.reader.u8()?;
        if code >= PREFIX_SMALL_BLOCK {
            return self.block(u64::from(code >> 4 & 7));
        }
        if code >= PREFIX_SMALL_INT {
            return Ok(Node::Integer(i64::from(code & 0x3F)));
        }
        if code >= PREFIX_SMALL_STRING {
            return self.string(u64::from(code & 0x1F));
        }
        match Code::from_byte(code) {
            Some(code) => self.coded(code),
            None => ill_formed(),
        }
    }

    fn coded(&mut self, code: Code) -> Result<Node<'a>, Error> {
        let reader = &mut self.reader;
        match code {
            Code::Int8 => Ok(Node::Integer((reader.u8()? as i8).into())),
            Code::Int16 => Ok(Node::Integer((reader.u16()? as i16).into())),
            Code::Int32 => Ok(Node::Integer((reader.u32()? as i32).into())),
            Code::Int64 => Ok(Node::Integer(reader.u64()? as i64)),
            Code::Shared8 => reader.u8().and_then(|back| self.shared(back.into())),
            Code::Shared16 => reader.u16().and_then(|back| self.shared(back.into())),
            Code::Shared32 => reader.u32().and_then(|back| self.shared(back.into())),
            Code::Shared64 => reader.u64().and_then(|back| self.shared(back)),
            Code::Block32 => reader
                .u32()
                .and_then(|head| self.block((head >> 10).into())),
            Code::Block64 => reader.u64().and_then(|head| self.block(head >> 10)),
            Code::String8 => reader.u8().and_then(|len| self.string(len.into())),
            Code::String32 => reader.u32().and_then(|len| self.string(len.into())),
            Code::String64 => reader.u64().and_then(|len| self.string(len)),
            Code::DoubleBig | Code::DoubleLittle => self.floats(1),
            Code::DoubleArray8Big | Code::DoubleArray8Little => {
                reader.u8().and_then(|len| self.floats(len.into()))
            }
            Code::DoubleArray32Big | Code::DoubleArray32Little => {
                reader.u32().and_then(|len| self.floats(len.into()))
            }
            Code::DoubleArray64Big | Code::DoubleArray64Little => {
                reader.u64().and_then(|len| self.floats(len))
            }
            Code::FunctionPointer
            | Code::InfixPointer
            | Code::Custom
            | Code::CustomLen
            | Code::CustomFixed => ill_formed(),
        }
    }

    fn block(&mut self, size: u64) -> Result<Node<'a>, Error> {
        let count = self.reader.expect(size, 1)? as u32;
        let first = self.tree.fields.len() as u32;
        let block = Block { first, count };
        let node = Node::Block(self.tree.blocks.len() as u32);
        self.tree.blocks.push(block);
        if count > 0 {
            let all = self.tree.fields.len() + count as usize;
            self.tree.fields.resize(all, Node::Other);
            self.open.push((block, 0));
            self.objects.push(node);
        }
        Ok(node)
    }

    fn string(&mut self, len: u64) -> Result<Node<'a>, Error> {
        let len = self.reader.expect(len, 1)?;
        let node = Node::String(self.reader.take(len)?);
        self.objects.push(node);
        Ok(node)
    }

    fn floats(&mut self, len: u64) -> Result<Node<'a>, Error> {
        let len = self.reader.expect(len, 8)?;
        self.reader.take(len * 8)?;
        if len > 0 {
            self.objects.push(Node::Other);
        }
        Ok(Node::Other)
    }

    fn shared(&self, back: u64) -> Result<Node<'a>, Error> {
        let index = (self.objects.len() as u64).wrapping_sub(back);
        match self.objects.get(index as usize) {
            Some(&object) if back != 0 => Ok(object),
            Some(_) | None => ill_formed(),
        }
    }
}
