//! Other programs: starting them, becoming one, waiting for them, sending them signals.
//!
//! A program gets the files that the guest gives it, by the guest's numbers, and no other of this
//! process's, all of which close when a program is executed. It finds signals as the guest says, as
//! this process always ignores `SIGPIPE`.
//!
//! Invariant: no descriptor is closed here because a program starts, or is not there to be
//! executed. That would end the locks on its file, even if others are open. So the child makes the
//! copies.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use libc::{c_char, c_int, c_short, pid_t};
use rustix::io::Errno;

use super::files::numbered;
use super::signals::{members, with_defaults};
use super::{Answer, Call, Function, Unconfined, checked, refused};

pub(super) const FUNCTIONS: [(&str, Function); 4] = [
    ("spawn", spawn),
    ("execute", execute),
    ("wait", wait),
    ("kill", kill),
];

/// Numbers below this one are standard streams.
const STREAMS: RawFd = 3;

/// What is to be executed.
struct Program {
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    /// The numbers that its files are to have, and those that they have here.
    files: Vec<(RawFd, RawFd)>,
    /// The signals that do what they do by default: signal 1 is the lowest bit.
    defaults: u64,
}

impl Program {
    /// How many files and arguments, and the signals; two words a file, its number and the guest's
    /// handle; the path, the arguments and the environment, each with a NUL behind it.
    fn read(state: &Unconfined, call: &Call) -> Result<Self, Errno> {
        const FILE: usize = 16;
        let [files, arguments, defaults] = call.numbers;
        let size = usize::try_from(files)
            .ok()
            .and_then(|files| files.checked_mul(FILE));
        let parts = size.and_then(|size| call.input.split_at_checked(size));
        let (files, strings) = parts.ok_or(Errno::INVAL)?;
        let mut strings = strings.split_inclusive(|&byte| byte == 0).map(|string| {
            let string = CStr::from_bytes_with_nul(string).map_err(|_| Errno::INVAL)?;
            Ok(string.to_owned())
        });
        Ok(Self {
            path: strings.next().ok_or(Errno::INVAL)??,
            arguments: strings
                .by_ref()
                .take(arguments as usize)
                .collect::<Result<_, Errno>>()?,
            environment: strings.collect::<Result<_, Errno>>()?,
            files: given(state, files)?,
            defaults: defaults as u64,
        })
    }

    fn has(&self, number: RawFd) -> bool {
        self.files.iter().any(|(file, _)| *file == number)
    }

    /// The standard streams that it does not get.
    fn closed(&self) -> impl Iterator<Item = RawFd> {
        (0..STREAMS).filter(|&number| !self.has(number))
    }
}

fn given(state: &Unconfined, files: &[u8]) -> Result<Vec<(RawFd, RawFd)>, Errno> {
    let words = numbered(files);
    let pairs = words.chunks_exact(2).map(|file| {
        let number = RawFd::try_from(file[0]).map_err(|_| Errno::BADF)?;
        Ok((number, state.files.file(file[1])?.as_raw_fd()))
    });
    pairs.collect()
}

/// The lowest number above these, and above those of standard streams.
fn beyond(numbers: impl Iterator<Item = RawFd>) -> RawFd {
    numbers
        .max()
        .map_or(STREAMS, |last| (last + 1).max(STREAMS))
}

/// Answers the process's number.
fn spawn(state: &mut Unconfined, call: &mut Call) -> Answer {
    let program = Program::read(state, call)?;
    let mut actions = Actions::new()?;
    actions.give(&program)?;
    let attributes = Attributes::new(program.defaults)?;
    let mut process = 0;
    let (arguments, environment) = (pointers(&program.arguments), pointers(&program.environment));
    // SAFETY: all that it reads are C strings and lists of them, ended by null pointers, which live
    // as long as the call.
    check(unsafe {
        libc::posix_spawn(
            &mut process,
            program.path.as_ptr(),
            &actions.0,
            &attributes.0,
            arguments.as_ptr(),
            environment.as_ptr(),
        )
    })?;
    Ok(process.into())
}

/// The strings as C has a list of them.
fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
    pointers.chain([ptr::null_mut()]).collect()
}

/// The result of a function that returns an error number.
fn check(result: c_int) -> Result<(), Errno> {
    match result {
        0 => Ok(()),
        number => Err(Errno::from_raw_os_error(number)),
    }
}

/// What is done about descriptors before a program begins.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> Result<Self, Errno> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: it fills in what it is given.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: it did.
        Ok(Self(unsafe { actions.assume_init() }))
    }

    /// The program's files get their numbers. One that lies where another is to be is copied to a
    /// number that nobody has, first.
    fn give(&mut self, program: &Program) -> Result<(), Errno> {
        let mut free = beyond(program.files.iter().flat_map(|&(to, from)| [to, from]));
        let mut moved = BTreeMap::new();
        for &(to, from) in &program.files {
            let is_in_the_way = from != to && (from < STREAMS || program.has(from));
            if is_in_the_way && !moved.contains_key(&from) {
                self.copy(from, free)?;
                moved.insert(from, free);
                free += 1;
            }
        }
        for number in program.closed() {
            self.close(number)?;
        }
        for (to, from) in &program.files {
            self.copy(*moved.get(from).unwrap_or(from), *to)?;
        }
        moved.values().try_for_each(|&copy| self.close(copy))
    }

    fn close(&mut self, number: RawFd) -> Result<(), Errno> {
        // SAFETY: the actions are initialised.
        check(unsafe { libc::posix_spawn_file_actions_addclose(&mut self.0, number) })
    }

    fn copy(&mut self, file: RawFd, number: RawFd) -> Result<(), Errno> {
        // SAFETY: the actions are initialised.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&mut self.0, file, number) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the actions are initialised, and used no more.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

/// How else a program begins.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// With these signals as they are by default.
    fn new(signals: u64) -> Result<Self, Errno> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: it fills in what it is given.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: it did.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let flags = libc::POSIX_SPAWN_SETSIGDEF as c_short;
        let mut set = MaybeUninit::uninit();
        // SAFETY: the set is made before it is read.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in members(signals) {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            check(libc::posix_spawnattr_setflags(&mut attributes.0, flags))?;
            let set = set.as_ptr();
            check(libc::posix_spawnattr_setsigdefault(&mut attributes.0, set))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are initialised, and used no more.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

/// Answers only if it fails; then everything is as it was.
fn execute(state: &mut Unconfined, call: &mut Call) -> Answer {
    let program = Program::read(state, call)?;
    may_be_executed(&program.path)?;
    let beyond = beyond(program.files.iter().map(|(number, _)| *number));
    let mut files: BTreeMap<RawFd, Option<OwnedFd>> =
        program.closed().map(|number| (number, None)).collect();
    for &(number, file) in &program.files {
        let copy = copy_of(file, beyond).ok_or(Errno::MFILE)?;
        files.insert(number, Some(copy));
    }
    let saved: Vec<_> = files
        .keys()
        .map(|&number| (number, copy_of(number, beyond)))
        .collect();
    for (number, file) in &files {
        place(*number, file.as_ref(), 0);
    }
    let (arguments, environment) = (pointers(&program.arguments), pointers(&program.environment));
    let (arguments, environment) = (arguments.as_ptr().cast(), environment.as_ptr().cast());
    let failure = with_defaults(program.defaults, || {
        // SAFETY: all that it reads are C strings and lists of them, ended by null pointers.
        unsafe { libc::execve(program.path.as_ptr(), arguments, environment) };
        io::Error::last_os_error()
    });
    for (number, file) in &saved {
        let flags = if *number < STREAMS {
            0
        } else {
            libc::O_CLOEXEC
        };
        place(*number, file.as_ref(), flags);
    }
    Err(refused(failure))
}

/// Fails where executing it would, so that nothing has to be undone: what is undone closes
/// descriptors. What is no program by its contents is found out later.
fn may_be_executed(path: &CStr) -> Result<(), Errno> {
    // SAFETY: it reads a C string.
    checked(unsafe {
        let (path, how) = (path.as_ptr(), libc::X_OK);
        libc::faccessat(libc::AT_FDCWD, path, how, libc::AT_EACCESS)
    })?;
    let mode = rustix::fs::stat(path)?.st_mode;
    match rustix::fs::FileType::from_raw_mode(mode) {
        rustix::fs::FileType::RegularFile => Ok(()),
        _ => Err(Errno::ACCESS),
    }
}

/// A copy of an open file at a number not below `beyond`; nothing if `number` is not open.
fn copy_of(number: RawFd, beyond: RawFd) -> Option<OwnedFd> {
    // SAFETY: this command takes a number and makes a new descriptor, which is nobody else's.
    unsafe {
        let copy = libc::fcntl(number, libc::F_DUPFD_CLOEXEC, beyond);
        (copy >= 0).then(|| OwnedFd::from_raw_fd(copy))
    }
}

/// Makes `number` a descriptor of `file`, or closes it.
fn place(number: RawFd, file: Option<&OwnedFd>, flags: c_int) {
    // SAFETY: whose descriptor `number` is uses it no more: this process becomes another, or, if
    // that fails, gets its descriptor back.
    unsafe {
        match file {
            Some(file) => libc::dup3(file.as_raw_fd(), number, flags),
            None => libc::close(number),
        }
    };
}

/// A process, as `waitpid` takes it, and flags. Puts out a process, 0 for none, how it ended (0: by
/// itself, 1: by a signal, 2: it only stopped), and its status or the signal.
fn wait(_: &mut Unconfined, call: &mut Call) -> Answer {
    let [process, flags, _] = call.numbers;
    let process = pid_t::try_from(process).map_err(|_| Errno::CHILD)?;
    let flags = c_int::try_from(flags).map_err(|_| Errno::INVAL)?;
    let mut status = 0;
    // SAFETY: it writes the status and nothing else.
    let found = unsafe { libc::waitpid(process, &mut status, flags) };
    if found < 0 {
        return Err(refused(io::Error::last_os_error()));
    }
    let (how, number) = if libc::WIFEXITED(status) {
        (0, libc::WEXITSTATUS(status))
    } else if libc::WIFSIGNALED(status) {
        (1, libc::WTERMSIG(status))
    } else {
        (2, libc::WSTOPSIG(status))
    };
    call.put_words(&[found, how, number].map(i64::from))
}

/// A process, as `kill` takes it, and a signal, 0 for none.
fn kill(_: &mut Unconfined, call: &mut Call) -> Answer {
    let [process, signal, _] = call.numbers;
    let process = pid_t::try_from(process).map_err(|_| Errno::SRCH)?;
    let signal = c_int::try_from(signal).map_err(|_| Errno::INVAL)?;
    // SAFETY: it takes two numbers.
    checked(unsafe { libc::kill(process, signal) })
}
