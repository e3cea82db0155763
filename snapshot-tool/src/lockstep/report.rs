//! What is printed of a divergence: where it is, both states, and the events before it.

use std::fmt;
use std::time::Duration;

use super::event::Event;
use super::{End, Side};

/// Bytes of a cell of code (see ARCHITECTURE.md).
const CELL: u32 = 8;

/// How much of an output that differs is shown.
const EXCERPT: usize = 120;

/// Two runs that are not the same.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Events that agreed before.
    pub events: u64,
    pub cause: Cause,
    /// The last events that agreed.
    pub history: Vec<Event>,
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
    /// Events agree; status or output does not.
    Ends { generic: End, residual: End },
    /// One side reports nothing any more, and does not end.
    Silence { side: Side, patience: Duration },
}

impl Divergence {
    /// A position as people count: in bytecode words from the start of the code, and from its function's.
    fn place(&self, position: u32) -> String {
        let code = self
            .functions
            .iter()
            .map(|&(start, _)| start)
            .min()
            .unwrap_or(0);
        let offset = |from: u32| (i64::from(position) - i64::from(from)) / i64::from(CELL);
        let within = |&&(start, length): &&(u32, u32)| (start..start + length).contains(&position);
        match self
            .functions
            .iter()
            .filter(within)
            .max_by_key(|(start, _)| *start)
        {
            Some(&(start, _)) => format!(
                "bytecode {}, function {} + {}",
                offset(code),
                (start - code) / CELL,
                offset(start)
            ),
            None => format!("position {position:#x}"),
        }
    }

    fn state(&self, f: &mut fmt::Formatter<'_>, side: Side, event: Option<&Event>) -> fmt::Result {
        match event {
            None => writeln!(f, "  {side}: has ended"),
            Some(event) => {
                writeln!(f, "  {side}: {} {}", event.kind, Word(event.value))?;
                writeln!(
                    f,
                    "    at {}, sp {:#x}",
                    self.place(event.position),
                    event.sp
                )
            }
        }
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
                    stacks(f, generic, residual)?;
                }
            }
            Cause::Ends { generic, residual } => ends(f, generic, residual)?,
            Cause::Silence { side, patience } => {
                writeln!(
                    f,
                    "  {side}: no further event and no end within {} s",
                    patience.as_secs()
                )?;
            }
        }
        writeln!(f, "  before, in both:")?;
        for event in &self.history {
            writeln!(
                f,
                "    {} {} at {}, sp {:#x}",
                event.kind,
                Word(event.value),
                self.place(event.position),
                event.sp
            )?;
        }
        Ok(())
    }
}

/// A word as OCaml sees it.
struct Word(i64);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("(raised)"),
            odd if odd & 1 == 1 => write!(f, "{}", odd >> 1),
            address => write!(f, "block {address:#x}"),
        }
    }
}

/// The stack words that differ.
fn stacks(f: &mut fmt::Formatter<'_>, generic: &Event, residual: &Event) -> fmt::Result {
    let words = generic.stack.len().max(residual.stack.len());
    for at in 0..words {
        let (left, right) = (generic.stack.get(at), residual.stack.get(at));
        if left != right {
            let show =
                |word: Option<&i64>| word.map_or("nothing".into(), |&word| Word(word).to_string());
            writeln!(
                f,
                "    sp[{at}]: {} in generic, {} in residual",
                show(left),
                show(right)
            )?;
        }
    }
    Ok(())
}

fn ends(f: &mut fmt::Formatter<'_>, generic: &End, residual: &End) -> fmt::Result {
    if generic.exit != residual.exit {
        writeln!(
            f,
            "  generic: {:?}\n  residual: {:?}",
            generic.exit, residual.exit
        )?;
    }
    for (name, left, right) in [
        ("stdout", &generic.stdout, &residual.stdout),
        ("stderr", &generic.stderr, &residual.stderr),
    ] {
        if left != right {
            let at = left
                .iter()
                .zip(right)
                .take_while(|(left, right)| left == right)
                .count();
            let show = |bytes: &[u8]| {
                String::from_utf8_lossy(&bytes[at..bytes.len().min(at + EXCERPT)]).into_owned()
            };
            writeln!(
                f,
                "  {name} differs from byte {at} on:\n    generic: {:?}\n    residual: {:?}",
                show(left),
                show(right)
            )?;
        }
    }
    Ok(())
}
