//! Marshalled data as a tree of Rust's own: for who wants little of it, and none of it in the heap.
//!
//! Invariant: it takes none of the heap, and memory in proportion to the data. Leaves out tags, and
//! what no compiler writes into its debug information: custom blocks, and pointers into code and
//! closures.

use super::input;
use super::item::Item;
use super::reader::{Error, Reader, ill_formed};

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

/// A value and all that it leads to. Large data makes many of these, so a field is four bytes, and
/// what is not a block is read again where it is wanted.
pub struct Tree<'a> {
    data: &'a [u8],
    root: Link,
    blocks: Vec<Block>,
    /// Those of one block lie side by side.
    fields: Vec<Link>,
}

/// Where a value is: with [`BLOCK`] a block's place among the blocks, without it where its bytes
/// begin in the data.
type Link = u32;

const BLOCK: Link = 1 << 31;

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
        // No block is larger than the data, nor are there more of them.
        let Some(data) = header
            .data(bytes)
            .filter(|data| data.len() < BLOCK as usize)
        else {
            return ill_formed();
        };
        let mut builder = Builder {
            reader: Reader::new(data),
            objects: Vec::new(),
            open: Vec::new(),
            tree: Tree {
                data,
                root: 0,
                blocks: Vec::new(),
                fields: Vec::new(),
            },
        };
        builder.tree.root = builder.link()?;
        while let Some(place) = builder.next_field() {
            builder.tree.fields[place] = builder.link()?;
        }
        Ok(builder.tree)
    }

    pub fn root(&self) -> Node<'a> {
        self.node(self.root)
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
        has_it.then(|| self.node(self.fields[block.first as usize + index]))
    }

    fn node(&self, link: Link) -> Node<'a> {
        if link & BLOCK != 0 {
            return Node::Block(link & !BLOCK);
        }
        let mut reader = Reader::new(&self.data[link as usize..]);
        match Item::read(&mut reader).expect("it was read before") {
            Item::Integer(n) => Node::Integer(n),
            Item::String(bytes) => Node::String(bytes),
            Item::Floats(_) => Node::Other,
            Item::Shared(_) | Item::Block(_) | Item::Custom => unreachable!("no link leads there"),
        }
    }
}

/// Reads value by value, in the order of the bytes: a block before its fields, and depth first.
struct Builder<'a> {
    reader: Reader<'a>,
    /// What was met so far and can be met again.
    objects: Vec<Link>,
    /// Blocks whose last fields are still to come, and how many were there.
    open: Vec<(Block, u32)>,
    tree: Tree<'a>,
}

impl Builder<'_> {
    /// Where the next value belongs among the fields; `None` if all are there.
    fn next_field(&mut self) -> Option<usize> {
        let (block, there) = self.open.last_mut()?;
        let place = block.first + *there;
        *there += 1;
        if *there == block.count {
            self.open.pop();
        }
        Some(place as usize)
    }

    fn link(&mut self) -> Result<Link, Error> {
        let place = self.tree.data.len() - self.reader.left();
        match Item::read(&mut self.reader)? {
            Item::Integer(_) | Item::Floats(0) => {}
            Item::Shared(back) => return self.shared(back),
            Item::Block(size) => return Ok(self.block(size as u32)),
            Item::Floats(_) | Item::String(_) => self.objects.push(place as Link),
            Item::Custom => return ill_formed(),
        }
        Ok(place as Link)
    }

    fn block(&mut self, count: u32) -> Link {
        let first = self.tree.fields.len() as u32;
        let block = Block { first, count };
        let link = self.tree.blocks.len() as Link | BLOCK;
        self.tree.blocks.push(block);
        if count > 0 {
            let all = self.tree.fields.len() + count as usize;
            self.tree.fields.resize(all, 0);
            self.open.push((block, 0));
            self.objects.push(link);
        }
        link
    }

    fn shared(&self, back: u64) -> Result<Link, Error> {
        let index = (self.objects.len() as u64).wrapping_sub(back);
        match self.objects.get(index as usize) {
            Some(&object) if back != 0 => Ok(object),
            Some(_) | None => ill_formed(),
        }
    }
}
