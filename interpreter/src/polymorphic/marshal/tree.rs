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
        let Some(data) = header.data(bytes) else {
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
        let node = match Item::read(&mut self.reader)? {
            Item::Integer(n) => return Ok(Node::Integer(n)),
            Item::Shared(back) => return self.shared(back),
            Item::Block(size) => return Ok(self.block(size as u32)),
            Item::Floats(0) => return Ok(Node::Other),
            Item::Floats(_) => Node::Other,
            Item::String(bytes) => Node::String(bytes),
            Item::Custom => return ill_formed(),
        };
        self.objects.push(node);
        Ok(node)
    }

    fn block(&mut self, count: u32) -> Node<'a> {
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
        node
    }

    fn shared(&self, back: u64) -> Result<Node<'a>, Error> {
        let index = (self.objects.len() as u64).wrapping_sub(back);
        match self.objects.get(index as usize) {
            Some(&object) if back != 0 => Ok(object),
            Some(_) | None => ill_formed(),
        }
    }
}
