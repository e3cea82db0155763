//! The values of options, as the command line has them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::builder::RangedU64ValueParser;

use crate::host::Directory;
use crate::specialize;

/// Any number whose bytes can be counted.
pub fn mebibytes() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64 >> 20)
}

pub fn switch(text: &str) -> Result<(String, bool), String> {
    let (name, on) = text.split_once('=').ok_or("expected NAME=on or NAME=off")?;
    specialize::require_optimisation(name)?;
    match on {
        "on" => Ok((name.into(), true)),
        "off" => Ok((name.into(), false)),
        other => Err(format!("`{other}` is neither `on` nor `off`")),
    }
}

pub fn budget(text: &str) -> Result<(String, u32), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=N")?;
    specialize::require_budget(name)?;
    let most = u32::MAX;
    let number = number
        .parse()
        .map_err(|_| format!("`{number}` is no number from 0 to {most}"))?;
    Ok((name.into(), number))
}

pub fn directory(text: OsString) -> Result<Directory, String> {
    let (host, guest) = split_once(&text, "::").unwrap_or((&text, &text));
    if host.is_empty() || guest.is_empty() {
        return Err("expected HOST or HOST::GUEST".into());
    }
    let guest = guest.to_str().ok_or(
        "programs see directories under names in UTF-8, as WASI has it: give one with HOST::GUEST",
    )?;
    Ok(Directory {
        host: host.into(),
        guest: guest.into(),
    })
}

pub fn variable(text: OsString) -> Result<(OsString, OsString), String> {
    const NO_NAME: &str = "expected NAME or NAME=VALUE";
    if let Some((name, value)) = split_once(&text, "=") {
        if name.is_empty() {
            return Err(NO_NAME.into());
        }
        return Ok((name.into(), value.into()));
    }
    if text.is_empty() {
        return Err(NO_NAME.into());
    }
    let said = text.display();
    match std::env::var_os(&text) {
        Some(value) => Ok((text, value)),
        None => Err(format!(
            "this process has no such variable; give a value with {said}=VALUE"
        )),
    }
}

/// What is before and behind the first `separator`.
fn split_once<'a>(text: &'a OsStr, separator: &str) -> Option<(&'a OsStr, &'a OsStr)> {
    let bytes = text.as_bytes();
    let separator = separator.as_bytes();
    let at = bytes
        .windows(separator.len())
        .position(|part| part == separator)?;
    let behind = &bytes[at + separator.len()..];
    Some((OsStr::from_bytes(&bytes[..at]), OsStr::from_bytes(behind)))
}
