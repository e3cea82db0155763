//! What functions of stubs may do ([`InterfaceEffects`]): all that the functions do that they may
//! call. Who calls by the table may call each function there of the type.
//!
//! Leaves out: functions that the C code is given as numbers. There are none: nobody but stubs puts
//! functions into the table that stubs know of.

use std::collections::HashMap;

use annotations::InterfaceEffects;

use super::code::Function;
use super::guest::Guest;
use super::place::Placed;

/// What functions do.
pub struct Effects {
    /// By index less the number of the guest's functions.
    added: Vec<InterfaceEffects>,
    /// By index of the guest's.
    interface: HashMap<u32, InterfaceEffects>,
    /// What calls by the table may do, by type.
    by_type: HashMap<u32, InterfaceEffects>,
    first: u32,
}

impl Effects {
    /// What a call of this function may do.
    pub fn of(&self, function: u32) -> InterfaceEffects {
        match function.checked_sub(self.first) {
            Some(number) => self.added.get(number as usize).copied().unwrap_or_default(),
            None => self.interface.get(&function).copied().unwrap_or_default(),
        }
    }

    /// What a call of a function of this type may do that the table has.
    pub fn of_type(&self, ty: u32) -> InterfaceEffects {
        self.by_type.get(&ty).copied().unwrap_or_default()
    }
}

/// Finds them for the functions that are added to the guest.
pub fn find(guest: &Guest, functions: &[Function], placed: &Placed) -> Effects {
    let mut effects = Effects {
        added: vec![InterfaceEffects::default(); functions.len()],
        interface: guest.effects(),
        by_type: HashMap::new(),
        first: guest.functions,
    };
    loop {
        let mut is_done = true;
        for &function in &placed.elements {
            let ty = match function.checked_sub(guest.functions) {
                Some(number) => functions[number as usize].ty,
                None => guest.type_of(function),
            };
            let all = effects.of_type(ty).or(effects.of(function));
            is_done &= effects.by_type.insert(ty, all) == Some(all);
        }
        for (number, function) in functions.iter().enumerate() {
            let calls = function.calls.iter().map(|&callee| effects.of(callee));
            let types = function.indirect.iter().map(|&ty| effects.of_type(ty));
            let all = calls
                .chain(types)
                .fold(effects.added[number], InterfaceEffects::or);
            is_done &= std::mem::replace(&mut effects.added[number], all) == all;
        }
        if is_done {
            return effects;
        }
    }
}
