//! Functions in C: compiled by one command, joined to the guest for all others.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::output::{require_others, require_place, write};
use super::read;
use crate::cli::{BuildOptions, StubsArgs};
use crate::guest::{self, Guest};
use crate::input;
use crate::stubs::compile::{self, Sources};
use crate::stubs::search::{self, Found};
use crate::stubs::{self, Object};

/// The guest of programs, with their functions in C, and what was looked for to find these.
pub struct Joined {
    pub guest: Arc<Guest>,
    pub libraries: Found,
}

impl Joined {
    /// The files that were read for it.
    pub fn files<'a>(&'a self, options: &'a BuildOptions) -> impl Iterator<Item = &'a Path> {
        let named = options.guest.iter().chain(&self.guest.file);
        let stubs = options.stubs.iter().chain(&self.libraries.files);
        named.chain(stubs).map(PathBuf::as_path)
    }
}

/// The guest that the command line names, read once for all programs of a command.
pub struct Joiner<'a> {
    options: &'a BuildOptions,
    named: Arc<Guest>,
    /// By files of stubs, the guest with what is in them.
    joined: HashMap<Vec<PathBuf>, Arc<Guest>>,
}

impl<'a> Joiner<'a> {
    pub fn new(options: &'a BuildOptions) -> Result<Self> {
        let named = named(options.guest.as_deref())?;
        Ok(Self {
            options,
            joined: HashMap::from([(Vec::new(), Arc::clone(&named))]),
            named,
        })
    }

    /// The guest for this program. What is compiled already is not looked at, and of others no more
    /// is read than the names of libraries. A file that cannot be read names none: who reads it
    /// next says what is wrong.
    pub fn join(&mut self, program: &Path) -> Result<Joined> {
        let Self { options, named, .. } = self;
        let file = input::is_program(program, named).then(|| File::open(program).ok());
        let mut file = file.flatten();
        let names: BTreeSet<_> = (file.iter_mut())
            .flat_map(|file| (named.libraries)(file))
            .collect();
        let libraries = match names.is_empty() {
            true => Found::default(),
            false => search::find(&names, search::directories(&options.stubs_path)),
        };
        let files = [&options.stubs[..], &libraries.files].concat();
        let guest = match self.joined.entry(files) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => {
                let module = stubs::join(&named.module, &objects(new.key())?)?;
                let guest = Guest {
                    module: Cow::Owned(module),
                    ..Guest::clone(named)
                };
                Arc::clone(new.insert(Arc::new(guest)))
            }
        };
        Ok(Joined { guest, libraries })
    }
}

/// The guest for the only program of a command.
pub fn joined(options: &BuildOptions, program: &Path) -> Result<Joined> {
    Joiner::new(options)?.join(program)
}

fn named(manifest: Option<&Path>) -> Result<Arc<Guest>> {
    match manifest {
        Some(manifest) => Ok(Arc::new(Guest::load(manifest)?)),
        None => Ok(guest::default()),
    }
}

fn objects(files: &[PathBuf]) -> Result<Vec<Object>> {
    let object = |file: &PathBuf| Object::read(&file.display().to_string(), read(file)?);
    files.iter().map(object).collect()
}

/// Makes a file of stubs.
pub fn compile(args: &StubsArgs) -> Result<()> {
    let guest = named(args.guest.as_deref())?;
    let sources = Sources {
        files: args.sources.clone(),
        include: args.include.clone(),
        define: args.define.clone(),
        flags: args.flags.clone(),
        missing: args.without.clone(),
        others: objects(&args.others)?,
    };
    let output = output(args)?;
    require_place(&output)?;
    let read = args.sources.iter().chain(&args.others);
    let read = read.chain(&args.guest).chain(&guest.file);
    require_others(&output, read.map(PathBuf::as_path))?;
    write(&output, &compile::compile(&guest, &sources)?)
}

/// The file to write.
fn output(args: &StubsArgs) -> Result<PathBuf> {
    if let Some(output) = &args.output {
        return Ok(output.clone());
    }
    let library = args.library.as_deref().unwrap_or_default();
    ensure!(
        search::is_plain(library) && !library.ends_with(".so"),
        "`{library}` is no library's name: `--for` takes one as the program has it, as in \
         `dllcamel`, without directories or `.so`"
    );
    let directory = search::default_directory()
        .context("there is no place for stubs: set XDG_DATA_HOME, or give -o FILE")?;
    fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    Ok(directory.join(search::file_name(library)))
}
