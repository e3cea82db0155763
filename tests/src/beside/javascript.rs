//! StarlingMonkey: what `scripts/javascript.sh` prints.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::shown;
use crate::{process, workspace};
use bactrian::bench::means::geometric_mean;

/// What a command took in the build of a component.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Taken {
    pub cpu: f64,
    pub megabytes: f64,
}

/// What was measured.
#[derive(Debug, Default)]
pub struct JavaScript {
    pub weval: Taken,
    pub first: Taken,
    pub later: Taken,
    /// By program: interpreted, after weval, after ours, in milliseconds.
    pub programs: Vec<(String, [f64; 3])>,
}

/// Runs the script, with this weval; absent where there is no Node.js.
pub fn measured(weval: &std::path::Path) -> Result<Option<JavaScript>> {
    if Command::new("npm").arg("--version").output().is_err() {
        return Ok(None);
    }
    let script = workspace().join("scripts/javascript.sh");
    let outcome = process::run(Command::new(script).env("WEVAL", weval), b"")?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    ensure!(outcome.status == Some(0), "scripts/javascript.sh: {said}");
    parse(&String::from_utf8(outcome.stdout)?).map(Some)
}

/// Reads lines such as `weval: 10.2+1.8 s of CPU, 6.6 s, 374000 KB` and, behind a line of names,
/// `rays 67 36 36`, with tabs between.
fn parse(text: &str) -> Result<JavaScript> {
    let mut found = JavaScript::default();
    for line in text.lines() {
        if let Some((label, rest)) = line.split_once(": ")
            && rest.contains(" s of CPU")
        {
            let taken = taken(rest).with_context(|| format!("not understood: {line}"))?;
            match label {
                "weval" => found.weval = taken,
                "first" => found.first = taken,
                "later" => found.later = taken,
                _ => {}
            }
        }
        let cells: Vec<&str> = line.split('\t').collect();
        if let [name, interpreted, weval, ours] = cells[..]
            && name != "program"
        {
            let times = [interpreted.parse()?, weval.parse()?, ours.parse()?];
            found.programs.push((name.into(), times));
        }
    }
    ensure!(!found.programs.is_empty(), "nothing was measured:\n{text}");
    Ok(found)
}

fn taken(text: &str) -> Option<Taken> {
    let (cpu, rest) = text.split_once(" s of CPU, ")?;
    let (user, system) = cpu.split_once('+')?;
    let kilobytes = rest.split_once(" s, ")?.1.strip_suffix(" KB")?;
    Some(Taken {
        cpu: user.parse::<f64>().ok()? + system.parse::<f64>().ok()?,
        megabytes: kilobytes.parse::<f64>().ok()? / 1024.0,
    })
}

impl JavaScript {
    /// How much faster its programs are after ours than `than`: 0 interpreted, 1 after weval.
    pub fn gain(&self, than: usize) -> Option<f64> {
        geometric_mean(
            self.programs
                .iter()
                .map(|(_, times)| times[than] / times[2]),
        )
    }

    /// The programs, a row each.
    pub fn table(&self) -> String {
        let mut text = String::from(
            "| JavaScript, ms under Node.js | interpreted | weval | ours |\n\
             | --- | ---: | ---: | ---: |\n",
        );
        for (name, [interpreted, weval, ours]) in &self.programs {
            text += &format!("| {name} | {interpreted:.0} | {weval:.0} | {ours:.0} |\n");
        }
        let gains = [self.gain(0), self.gain(1)].map(|gain| shown(gain, 2));
        text + &format!(
            "| geometric mean, × ours | {} | {} | 1.00 |\n",
            gains[0], gains[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_prints_is_read() {
        let text = "added 3 packages\nweval: 10.20+1.80 s of CPU, 6.60 s, 374784 KB\n\
                    first: 8.00+1.00 s of CPU, 5.00 s, 487424 KB\n\
                    later: 1.00+0.10 s of CPU, 1.10 s, 171008 KB\n\
                    program\tinterpreted\tweval\tlater\nrays\t64\t32\t16\nsplay\t16\t16\t16\n";
        let found = parse(text).expect("it is well-formed");
        assert_eq!(found.weval.cpu, 12.0);
        assert_eq!(found.weval.megabytes, 366.0);
        assert_eq!(found.later.megabytes, 167.0);
        assert_eq!(shown(found.gain(0), 2), "2.00");
        assert_eq!(shown(found.gain(1), 2), "1.41");
        assert!(found.table().contains("| rays | 64 | 32 | 16 |"));
        assert!(parse("weval: soon\n").is_err());
    }
}
