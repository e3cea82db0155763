//! What is printed of a divergence: where it is, both states, and the events before it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Side;
use super::event::{Event, Said};
use crate::guest::{Code, Direction, Guest};
use crate::run::Exit;

/// Two runs that are not the same.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Events that agreed before.
    pub events: u64,
    pub cause: Cause,
    /// What the sides that trapped said.
    pub traps: Vec<(Side, String)>,
    /// The last events that agreed.
    pub history: Vec<Event>,
    /// Whose words and events these are.
    pub guest: Arc<Guest>,
    /// Address and length of the program's functions.
    pub functions: Vec<(u32, u32)>,
}

/// In what they differ.
#[derive(Clone, Debug)]
pub enum Cause {
    /// The next event; none where a side has ended.
    Events {
        generic: Option<Event>,
        residual: Option<Event>,
    },
    /// Events agree; the status does not.
    Exits { generic: Exit, residual: Exit },
    /// One side reports nothing any more, and does not end.
    Silence { side: Side, patience: Duration },
}

impl Divergence {
    /// Adds how a side ended, if it could not say so itself.
    pub fn note_end(&mut self, side: Side, exit: &Exit) {
        self.traps
            .extend(exit.message().map(|message| (side, message)));
    }

    /// A position for people: in the guest's units, from the start of the code and from that of its
    /// function.
    fn place(&self, position: u32) -> String {
        let code = self
            .functions
            .iter()
            .map(|&(start, _)| start)
            .min()
            .unwrap_or(0);
        let Code { unit, size } = &self.guest.manifest.code;
        let size = size.get();
        let offset = |from: u32| (i64::from(position) - i64::from(from)) / i64::from(size);
        let within = |&&(start, length): &&(u32, u32)| (start..start + length).contains(&position);
        match self
            .functions
            .iter()
            .filter(within)
            .max_by_key(|(start, _)| *start)
        {
            Some(&(start, _)) => format!(
                "{unit} {}, function {} + {}",
                offset(code),
                (start - code) / size,
                offset(start)
            ),
            None => format!("position {position:#x}"),
        }
    }

    fn what(&self, said: Said) -> String {
        let (about, value) = (self.guest.event(said.kind), self.guest.word(said.value));
        format!("{about} {value}")
    }

    fn at(&self, said: Said) -> String {
        format!("at {}, sp {:#x}", self.place(said.position), said.sp)
    }

    fn state(&self, f: &mut fmt::Formatter<'_>, side: Side, event: Option<&Event>) -> fmt::Result {
        match event {
            None => writeln!(f, "  {side}: has ended"),
            Some(&Event { said, .. }) => {
                writeln!(f, "  {side}: {}", self.what(said))?;
                writeln!(f, "    {}", self.at(said))
            }
        }
    }

    /// The stack words that differ.
    fn stacks(&self, f: &mut fmt::Formatter<'_>, generic: &Event, residual: &Event) -> fmt::Result {
        let words = generic.stack.len().max(residual.stack.len());
        for at in 0..words {
            let (left, right) = (generic.stack.get(at), residual.stack.get(at));
            if left != right {
                let show = |word: Option<&i64>| {
                    word.map_or("nothing".into(), |&word| self.guest.word(word))
                };
                let place = match self.guest.manifest.stack.grows {
                    Direction::Down => at.to_string(),
                    Direction::Up => format!("-{}", at + 1),
                };
                writeln!(
                    f,
                    "    sp[{place}]: {} in generic, {} in residual",
                    show(left),
                    show(right)
                )?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "generic and residual execution differ after {} events",
            self.events
        )?;
        match &self.cause {
            Cause::Events { generic, residual } => {
                self.state(f, Side::Generic, generic.as_ref())?;
                self.state(f, Side::Residual, residual.as_ref())?;
                if let (Some(generic), Some(residual)) = (generic, residual) {
                    self.stacks(f, generic, residual)?;
                }
            }
            Cause::Exits { generic, residual } => {
                writeln!(f, "  generic: {generic:?}\n  residual: {residual:?}")?;
            }
            Cause::Silence { side, patience } => {
                writeln!(
                    f,
                    "  {side}: no further event and no end within {} s",
                    patience.as_secs()
                )?;
            }
        }
        for (side, message) in &self.traps {
            writeln!(f, "  {side}: {message}")?;
        }
        writeln!(f, "  before, in both:")?;
        for &Event { said, .. } in &self.history {
            writeln!(f, "    {} {}", self.what(said), self.at(said))?;
        }
        Ok(())
    }
}
