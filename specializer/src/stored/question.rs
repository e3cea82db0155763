//! What is to be found out about an image, before one knows which stored function fits it.
//!
//! Many functions share a key, as their code is the same but for what it leads to: all code that
//! waits for more arguments, for one. What was read is at the same places, and differs. So where a
//! key has more than a few functions, the store has *questions* for the others: the links to
//! follow, and the places to look at. The answers give the key under which the stored function is.
//! So finding one takes as many look-ups as there are questions, most often one, not as many as
//! there are functions of that key.

use postcard::{from_bytes, to_allocvec};

use super::{Stored, opened, sealed};
use crate::image::{Bases, Image, Location, Seen};
use crate::ir::Symbol;
use crate::request::Request;

/// The key of the questions for requests with this key.
pub fn key(request: &[u8; 32]) -> [u8; 32] {
    *blake3::keyed_hash(request, b"questions").as_bytes()
}

/// Links, and locations with their widths as in a [`crate::image::ReadLog`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    links: Vec<Symbol>,
    locations: Vec<(Location, u32)>,
}

impl Question {
    /// The one to which a stored function is an answer.
    pub fn of(stored: &Stored) -> Self {
        Self {
            links: stored.links.clone(),
            locations: stored.log.keys().copied().collect(),
        }
    }

    /// The blob that is to be stored under `key`.
    pub fn encode(&self, key: &[u8; 32]) -> Vec<u8> {
        sealed(key, &self.bytes())
    }

    /// Reads what [`Question::encode`] wrote for the same key.
    pub fn decode(key: &[u8; 32], blob: &[u8]) -> Option<Self> {
        let (links, locations) = from_bytes(opened(key, blob)?).ok()?;
        Some(Self { links, locations })
    }

    /// The key of the function that fits an image, under which it would be stored for a request
    /// with this key. Absent where there is none.
    pub fn ask(&self, key: &[u8; 32], request: &Request, image: &Image) -> Option<[u8; 32]> {
        let bases = Bases::found(request, &self.links, image)?;
        let seen = self.locations.iter().map(|&(location, width)| {
            if let Location::Relative(symbol) = location {
                bases.get(symbol)?;
            }
            image.look(&bases, location, width)
        });
        let seen = seen.collect::<Option<Vec<_>>>()?;
        Some(self.key(key, &seen))
    }

    /// The key under which `stored` is to be, for a request with this key.
    pub fn key_of(&self, key: &[u8; 32], stored: &Stored) -> [u8; 32] {
        let seen: Vec<Seen> = stored.log.values().copied().collect();
        self.key(key, &seen)
    }

    fn key(&self, key: &[u8; 32], seen: &[Seen]) -> [u8; 32] {
        let seen = to_allocvec(seen).expect("memory takes what is written to it");
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(&self.bytes());
        hasher.update(&seen);
        *hasher.finalize().as_bytes()
    }

    fn bytes(&self) -> Vec<u8> {
        let parts = (&self.links, &self.locations);
        to_allocvec(&parts).expect("memory takes what is written to it")
    }
}
