//! Who this process is: its numbers, users' entries in the system's database (by the C library, so
//! also those that no file holds), its processor time, its machine's name. Groups are left out: the
//! guest reads `/etc/group`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use rustix::io::Errno;
use rustix::process;
use uzers::User;
use uzers::os::unix::UserExt;

use super::{Answer, Call, Function, Unconfined, refused};

pub(super) const FUNCTIONS: [(&str, Function); 13] = [
    ("getuid", |_, _| Ok(process::getuid().as_raw().into())),
    ("geteuid", |_, _| Ok(process::geteuid().as_raw().into())),
    ("getgid", |_, _| Ok(process::getgid().as_raw().into())),
    ("getegid", |_, _| Ok(process::getegid().as_raw().into())),
    ("getpid", |_, _| Ok(std::process::id().into())),
    ("getppid", parent),
    ("getgroups", groups),
    ("getlogin", login),
    ("getpwnam", user_by_name),
    ("getpwuid", user_by_number),
    ("nice", nice),
    ("times", times),
    ("gethostname", host_name),
];

/// 0, as the system says it, where the parent cannot be seen.
fn parent(_: &mut Unconfined, _: &mut Call) -> Answer {
    let parent = process::getppid();
    Ok(parent.map_or(0, |parent| parent.as_raw_nonzero().get().into()))
}

fn groups(_: &mut Unconfined, call: &mut Call) -> Answer {
    let groups = process::getgroups()?;
    let groups: Vec<i64> = groups.iter().map(|group| group.as_raw().into()).collect();
    call.put_words(&groups)
}

/// As the C library does it where the kernel knows who logged in.
fn login(_: &mut Unconfined, call: &mut Call) -> Answer {
    let number = std::fs::read_to_string("/proc/self/loginuid").map_err(|_| Errno::NOENT)?;
    let number = number.trim().parse().map_err(|_| Errno::NOENT)?;
    let user = uzers::get_user_by_uid(number).ok_or(Errno::NOENT)?;
    call.put(user.name().as_bytes())
}

/// The name that comes in.
fn name<'a>(call: &Call<'a>) -> &'a OsStr {
    OsStr::from_bytes(call.input)
}

/// The call's first number as that of a user or group; absent if none can have it.
fn number(call: &Call) -> Option<u32> {
    u32::try_from(call.numbers[0]).ok()
}

fn user_by_name(_: &mut Unconfined, call: &mut Call) -> Answer {
    put_user(call, uzers::get_user_by_name(name(call)))
}

fn user_by_number(_: &mut Unconfined, call: &mut Call) -> Answer {
    put_user(call, number(call).and_then(uzers::get_user_by_uid))
}

/// The fields of `/etc/passwd`, with a NUL between them.
fn put_user(call: &mut Call, user: Option<User>) -> Answer {
    let user = user.ok_or(Errno::NOENT)?;
    let (number, group) = (user.uid().to_string(), user.primary_group_id().to_string());
    let fields = [
        user.name().as_bytes(),
        user.password().as_bytes(),
        number.as_bytes(),
        group.as_bytes(),
        user.gecos().as_bytes(),
        user.home_dir().as_os_str().as_bytes(),
        user.shell().as_os_str().as_bytes(),
    ];
    call.put(&fields.join(&0))
}

/// Adds to the niceness; answers what it then is, and 20, which is not negative.
fn nice(_: &mut Unconfined, call: &mut Call) -> Answer {
    const LOWEST: i32 = -20;
    let increment = call.numbers[0].clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    Ok((process::nice(increment)? - LOWEST).into())
}

/// Processor time in nanoseconds: of this process and of the system for it, and both for its
/// children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times([i64; 4]);

impl Times {
    /// As `/proc/self/stat` has it, in ticks, after the command's name in parentheses.
    pub(super) fn now() -> Result<Self, Errno> {
        const FIRST: usize = 11;
        let status = std::fs::read_to_string("/proc/self/stat").map_err(refused)?;
        let (_, fields) = status.rsplit_once(')').ok_or(Errno::IO)?;
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second() as i64;
        let mut fields = fields.split_ascii_whitespace().skip(FIRST);
        let mut times = [0; 4];
        for time in &mut times {
            let ticks: Option<i64> = fields.next().and_then(|field| field.parse().ok());
            *time = ticks.ok_or(Errno::IO)? * tick;
        }
        Ok(Self(times))
    }
}

/// The four times since the program began.
fn times(state: &mut Unconfined, call: &mut Call) -> Answer {
    let Times(now) = Times::now()?;
    let Times(started) = state.started;
    let spent = now.iter().zip(started).map(|(now, then)| now - then);
    call.put_words(&spent.collect::<Vec<_>>())
}

fn host_name(_: &mut Unconfined, call: &mut Call) -> Answer {
    let name = std::fs::read("/proc/sys/kernel/hostname").map_err(refused)?;
    call.put(name.trim_ascii_end())
}
