//! OCaml's compilers, to bytecode and to machine code, called alike.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Bytecode,
    Native,
}

impl Compiler {
    pub fn command(self) -> &'static str {
        match self {
            Self::Bytecode => "ocamlc",
            Self::Native => "ocamlopt",
        }
    }

    /// Compiles `source`; the executable lies beside it. Both compilers get the same flags, of
    /// which libraries have the names that they have in bytecode.
    pub fn compile(self, flags: &[&str], source: &Path) -> Result<PathBuf> {
        let command = self.command();
        let executable = source.with_extension(self.extension());
        // Compilers recurse over long sequences: they get all the stack that there is.
        let compiled = Command::new("sh")
            .args(["-c", "ulimit -s $(ulimit -H -s); exec \"$@\"", "sh"])
            .args([command, "-w", "-a"])
            .args(flags.iter().map(|flag| self.flag(flag)))
            .arg("-o")
            .args([&executable, source])
            .output()
            .with_context(|| format!("cannot start {command}: run `make setup`"))?;
        if !compiled.status.success() {
            bail!(
                "{command} refuses {}:\n{}",
                source.display(),
                String::from_utf8_lossy(&compiled.stderr)
            );
        }
        Ok(executable)
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Bytecode => "byte",
            Self::Native => "native",
        }
    }

    /// What this compiler calls a flag of `ocamlc`.
    fn flag(self, flag: &str) -> String {
        match (self, flag.strip_suffix(".cma")) {
            (Self::Native, Some(library)) => format!("{library}.cmxa"),
            (Self::Native, None) | (Self::Bytecode, _) => flag.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_those_of_the_compiler() {
        assert_eq!(Compiler::Native.flag("str.cma"), "str.cmxa");
        assert_eq!(Compiler::Native.flag("-g"), "-g");
        assert_eq!(Compiler::Bytecode.flag("str.cma"), "str.cma");
    }
}
