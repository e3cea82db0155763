//! What a module exports, for what is asked before anything is made of it.

use anyhow::{Context, Result, bail};
use wasmparser::{Export, ExternalKind, Parser, Payload};

/// The exports of a module, read as they are asked for; what follows an error is of no use.
fn all(module: &[u8]) -> impl Iterator<Item = Result<Export<'_>>> {
    let payloads = Parser::new(0).parse_all(module);
    payloads.flat_map(
        |payload| match payload.context("not a WebAssembly module") {
            Ok(Payload::ExportSection(section)) => {
                section.into_iter().map(|export| Ok(export?)).collect()
            }
            Ok(_) => Vec::new(),
            Err(error) => vec![Err(error)],
        },
    )
}

/// Whether `module` exports something of this name.
pub fn has(module: &[u8], name: &str) -> Result<bool> {
    for export in all(module) {
        if export?.name == name {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All that a well-formed module exports.
pub struct Exports<'a>(Vec<Export<'a>>);

impl<'a> Exports<'a> {
    pub fn of(module: &'a [u8]) -> Result<Self> {
        all(module).collect::<Result<_>>().map(Self)
    }

    /// Fails where there is none of this kind and name.
    pub fn require(&self, kind: ExternalKind, name: &str) -> Result<()> {
        let is_it = |export: &Export<'_>| export.name == name && export.kind == kind;
        if !self.0.iter().any(is_it) {
            let what = match kind {
                ExternalKind::Func => "function",
                _ => "global",
            };
            bail!("the module exports no {what} of the name `{name}`");
        }
        Ok(())
    }
}
