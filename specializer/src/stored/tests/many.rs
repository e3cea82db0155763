//! More functions of one key than the store has under it.

use super::*;
use crate::stored::question::{self, Question};

/// Programs whose functions share their keys: what they read at a fixed address differs.
fn modules() -> [Vec<u8>; 9] {
    let bytes = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"];
    bytes.map(|byte| changed(&[("\\05", &format!("\\{byte}"))]))
}

/// A store with all of them.
fn full() -> Memory {
    let store = Memory::default();
    for module in modules() {
        assert_eq!(specialize(&module, &options(), &store).1, [false; 2]);
    }
    store
}

/// The key of their first requests, of which the last has not found room under it.
fn key() -> [u8; 32] {
    let keys = modules().map(|module| entry(&module).0);
    assert!(keys.iter().all(|key| *key == keys[0]), "they share a key");
    keys[0]
}

#[test]
fn each_is_told_from_the_others_by_what_was_read() {
    let store = full();
    for module in modules() {
        let (linked, cached) = specialize(&module, &options(), &store);
        assert_eq!(cached, [true; 2]);
        assert!(linked == specialize(&module, &options(), &Memory::default()).0);
    }
    let other = changed(&[("\\05", "\\b1")]);
    assert_eq!(specialize(&other, &options(), &store).1, [false; 2]);
}

#[test]
fn they_share_a_question() {
    let (store, key) = (full(), question::key(&key()));
    let asked = store.candidates(&key);
    assert_eq!(asked.len(), 1);
    assert!(Question::decode(&key, &asked[0]).is_some());
    assert!(store.candidates(&self::key()).len() < 9);
}

/// Whatever byte of a question is changed, with or without its digest, the module is the same.
#[test]
fn damaged_and_forged_questions_do_no_harm() {
    let [.., module] = modules();
    let expected = specialize(&module, &options(), &Memory::default()).0;
    let key = question::key(&key());
    let sound = full().candidates(&key)[0].clone();
    for at in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[at] ^= 0x11;
        assert_eq!(Question::decode(&key, &damaged), None);
        if at < 32 {
            continue;
        }
        let store = full();
        let forged = forged(&key, &sound, at, 0x11);
        let mut blobs = store.0.lock().expect("no test panics with it");
        blobs.insert(key, vec![forged]);
        drop(blobs);
        assert!(specialize(&module, &options(), &store).0 == expected);
    }
}
