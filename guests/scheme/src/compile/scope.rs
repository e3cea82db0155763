//! Which variable a name is.
//!
//! Names of the prelude and of the program are kept apart: what the program defines anew, the
//! prelude still has.

use super::tree::{Global, GlobalVariable, Known, Variable};
use crate::datum::Name;
use crate::runtime::table;
use std::collections::{HashMap, HashSet};

/// What a name means where it is used.
pub enum Meaning {
    Local(Variable),
    Global(Global),
    Primitive(u32),
    /// Nothing that is known: a form, or an error.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    Prelude,
    Program,
}

pub struct Scope {
    pub part: Part,
    locals: Vec<(Name, Variable)>,
    pub variables: Vec<Known>,
    pub globals: Vec<GlobalVariable>,
    numbers: HashMap<(Part, Name), Global>,
    /// Globals that are assigned, or defined twice.
    pub assigned: HashSet<Global>,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            part: Part::Prelude,
            locals: Vec::new(),
            variables: Vec::new(),
            globals: Vec::new(),
            numbers: HashMap::new(),
            assigned: HashSet::new(),
        }
    }
}

impl Scope {
    /// A new variable that no name means.
    pub fn fresh(&mut self) -> Variable {
        self.variables.push(Known::default());
        Variable(self.variables.len() as u32 - 1)
    }

    pub fn known(&mut self, variable: Variable) -> &mut Known {
        &mut self.variables[variable.0 as usize]
    }

    /// A new variable of this name, until the scope is [left](Self::leave).
    pub fn bind(&mut self, name: &Name) -> Variable {
        let variable = self.fresh();
        self.bind_to(name, variable);
        variable
    }

    pub fn bind_to(&mut self, name: &Name, variable: Variable) {
        self.locals.push((name.clone(), variable));
    }

    /// Where one is.
    pub fn here(&self) -> usize {
        self.locals.len()
    }

    /// Forgets the names since `here`.
    pub fn leave(&mut self, here: usize) {
        self.locals.truncate(here);
    }

    /// A global variable that is defined; a second definition is an assignment.
    pub fn define(&mut self, name: &Name) {
        let key = (self.part, name.clone());
        if let Some(global) = self.numbers.get(&key) {
            self.assigned.insert(*global);
            return;
        }
        self.numbers.insert(key, Global(self.globals.len() as u32));
        self.globals.push(GlobalVariable {
            name: name.clone(),
            function: None,
        });
    }

    /// The local variable of a name.
    pub fn local(&self, name: &Name) -> Option<Variable> {
        let mut inward = self.locals.iter().rev();
        let (_, variable) = inward.find(|(known, _)| known == name)?;
        Some(*variable)
    }

    /// The global variable that this part defines.
    pub fn own_global(&self, name: &Name) -> Option<Global> {
        self.numbers.get(&(self.part, name.clone())).copied()
    }

    pub fn prelude(&self, name: &str) -> Option<Global> {
        self.numbers.get(&(Part::Prelude, name.into())).copied()
    }

    /// What a name means. Names of primitives and the prelude are the program's to define.
    pub fn meaning(&self, name: &Name) -> Meaning {
        if let Some(variable) = self.local(name) {
            Meaning::Local(variable)
        } else if let Some(global) = self.own_global(name) {
            Meaning::Global(global)
        } else if let Some(primitive) = table::find(name) {
            Meaning::Primitive(primitive)
        } else if let Some(global) = self.prelude(name) {
            Meaning::Global(global)
        } else {
            Meaning::Unknown
        }
    }
}
