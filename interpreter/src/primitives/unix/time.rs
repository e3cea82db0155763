//! Clocks, and times as dates.

use super::arguments::plain;
use super::calendar::{self, Date};
use super::error;
use super::zone::{self, Local, Zone};
use crate::heap;
use crate::os::{self, Errno};
use crate::registry::Outcome;
use crate::value::Value;
use std::cell::Cell;

crate::primitives! {
    Allocates "unix_time" time, 1;
    Allocates "unix_gettimeofday" time_of_day, 1;
    Allocates "unix_gmtime" gmtime, 1;
    Allocates "unix_localtime" localtime, 1;
    Allocates "unix_mktime" mktime, 1;
}

thread_local! {
    /// How far the last local time that was turned into a time, read as UTC, lies after that time:
    /// the offset from UTC, unless clocks jumped over the local time. The search for the next one
    /// begins with it. At the end of summer time, when a local time stands for two times, it
    /// decides between them, as in glibc.
    static OFFSET: Cell<i64> = const { Cell::new(0) };
}

fn time(_: Value) -> Value {
    heap::alloc_float((os::real_nanoseconds() / 1_000_000_000) as f64)
}

fn time_of_day(_: Value) -> Value {
    let microseconds = os::real_nanoseconds() / 1000;
    let (seconds, rest) = (microseconds / 1_000_000, microseconds % 1_000_000);
    heap::alloc_float(seconds as f64 + rest as f64 / 1e6)
}

/// A float as C on amd64 converts it.
fn seconds(time: Value) -> i64 {
    let time = time.as_float();
    if time.abs() < 9.2e18 {
        time as i64
    } else {
        i64::MIN
    }
}

fn gmtime(time: Value) -> Outcome {
    let date = calendar::date(seconds(time).into()).ok_or(Errno::INVAL);
    let date = LocalDate {
        date: plain(date, "gmtime")?,
        summer: false,
        offset: 0,
    };
    Ok(date.record())
}

fn localtime(time: Value) -> Outcome {
    Ok(plain(local(seconds(time)), "localtime")?.record())
}

/// The time that a local date stands for, and the date with all fields in their ranges.
fn mktime(date: Value) -> Outcome {
    let fields = std::array::from_fn(|index| date.field(index).as_int() as i32);
    let (time, date) = of_local(fields).map_err(|error| error::error(error, "mktime"))?;
    Ok(heap::alloc_fields(
        0,
        &[heap::alloc_float(time as f64), date.record()],
    ))
}

/// A date with what the zone makes of it.
pub struct LocalDate {
    date: Date,
    summer: bool,
    /// From UTC, in seconds.
    pub offset: i64,
}

impl LocalDate {
    /// In the order of `Unix.tm`, which is that of C's.
    pub fn fields(&self) -> [i64; 9] {
        let date = &self.date;
        [
            date.second,
            date.minute,
            date.hour,
            date.day,
            date.month,
            date.year,
            date.weekday,
            date.yearday,
            self.summer.into(),
        ]
    }

    /// A value of type `Unix.tm`.
    fn record(&self) -> Value {
        heap::alloc_fields(0, &self.fields().map(Value::int))
    }
}

/// The local date of a time.
pub fn local(time: i64) -> Result<LocalDate, Errno> {
    local_in(&zone::current(), time)
}

fn local_in(zone: &Zone, time: i64) -> Result<LocalDate, Errno> {
    let Local { offset, summer } = zone.at(time);
    let date = calendar::date(i128::from(time) + i128::from(offset)).ok_or(Errno::INVAL)?;
    Ok(LocalDate {
        date,
        summer,
        offset,
    })
}

/// The time that a local date stands for: second, minute, hour, day, month, year. And the date with
/// all fields in their ranges.
pub fn of_local(fields: [i32; 6]) -> Result<(i64, LocalDate), Errno> {
    of_local_in(&zone::current(), fields)
}

fn of_local_in(zone: &Zone, fields: [i32; 6]) -> Result<(i64, LocalDate), Errno> {
    let [second, minute, hour, day, month, year] = fields;
    let days = calendar::days(year.into(), month.into(), day.into());
    // As in glibc, seconds beyond a minute are those after the time that is found without them.
    let within = second.clamp(0, 59);
    let wanted =
        days * calendar::DAY + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(within);
    let found = search(zone, wanted).filter(|&found| local_in(zone, found).is_ok());
    let found = found.ok_or(Errno::RANGE)?;
    OFFSET.set(wanted - found);
    let time = found + i64::from(second) - i64::from(within);
    let local = local_in(zone, time).map_err(|_| Errno::RANGE)?;
    match time {
        -1 => Err(Errno::RANGE),
        _ => Ok((time, local)),
    }
}

/// The time whose local time is `wanted`. Where clocks jumped over `wanted`, a time near it.
///
/// Source: `__mktime_internal` of glibc, for a date that does not say whether it is in summer. In a
/// gap the guesses go back and forth between two times. The one to keep is in summer if either is.
fn search(zone: &Zone, wanted: i64) -> Option<i64> {
    const ROUNDS: u32 = 6;
    let mut time = wanted - OFFSET.get();
    let mut before = [time; 2];
    let mut was_summer = false;
    for _ in 0..ROUNDS {
        let Local { offset, summer } = zone.at(time);
        let miss = wanted - (time + offset);
        let oscillates = time == before[0] && time != before[1];
        if miss == 0 || oscillates && was_summer <= summer {
            return Some(time);
        }
        before = [before[1], time];
        was_summer = summer;
        time += miss;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_YORK: &[u8] = b"EST5EDT,M3.2.0,M11.1.0";
    /// Its winter is what the rule calls summer.
    const DUBLIN: &[u8] = b"IST-1GMT0,M10.5.0,M3.5.0/1";

    const SUMMER: [i32; 6] = [0, 30, 12, 1, 6, 124];
    const WINTER: [i32; 6] = [0, 30, 12, 1, 0, 124];

    /// The times, and whether they are in summer, that one date after the other stands for.
    fn times<const N: usize>(rule: &[u8], dates: [[i32; 6]; N]) -> [(i64, bool); N] {
        OFFSET.set(0);
        let zone = Zone::of_rule(rule).expect("a rule");
        dates.map(|date| {
            let (time, local) = of_local_in(&zone, date).expect("in range");
            (time, local.summer)
        })
    }

    // What is expected comes from `Unix.mktime` under ocamlrun with glibc 2.36.

    #[test]
    fn gaps_and_hours_that_come_twice_in_new_york() {
        let dates = [
            SUMMER,
            [0, 30, 2, 10, 2, 124],
            [0, 30, 1, 3, 10, 124],
            WINTER,
            [0, 30, 2, 10, 2, 124],
            [0, 30, 1, 3, 10, 124],
        ];
        let expected = [
            (1719851400, true),
            (1710055800, true),
            (1730615400, false),
            (1704130200, false),
            (1710055800, true),
            (1730615400, false),
        ];
        assert_eq!(times(NEW_YORK, dates), expected);
    }

    #[test]
    fn a_gap_leaves_an_offset_of_its_own() {
        let dates = [
            [0, 30, 2, 10, 2, 124],
            [0, 30, 2, 10, 2, 124],
            [0, 30, 1, 3, 10, 124],
            SUMMER,
            [0, 30, 1, 3, 10, 124],
            [0, 30, 2, 10, 2, 124],
            [0, 30, 1, 3, 10, 124],
        ];
        let expected = [
            (1710055800, true),
            (1710055800, true),
            (1730615400, false),
            (1719851400, true),
            (1730611800, true),
            (1710055800, true),
            (1730615400, false),
        ];
        assert_eq!(times(NEW_YORK, dates), expected);
    }

    #[test]
    fn seconds_beyond_a_minute_come_last() {
        let dates = [
            WINTER,
            [7200, 30, 1, 10, 2, 124],
            [-60, 0, 3, 10, 2, 124],
            [75, 59, 1, 10, 2, 124],
            SUMMER,
            [7200, 30, 0, 3, 10, 124],
            [-3600, 30, 2, 3, 10, 124],
        ];
        let expected = [
            (1704130200, false),
            (1710059400, true),
            (1710053940, false),
            (1710054015, true),
            (1719851400, true),
            (1730615400, false),
            (1730615400, false),
        ];
        assert_eq!(times(NEW_YORK, dates), expected);
    }

    #[test]
    fn a_winter_that_is_called_summer() {
        let dates = [
            WINTER,
            [0, 30, 1, 31, 2, 124],
            [0, 30, 1, 27, 9, 124],
            SUMMER,
            [0, 30, 1, 31, 2, 124],
            [0, 30, 1, 27, 9, 124],
        ];
        let expected = [
            (1704112200, true),
            (1711845000, true),
            (1729989000, false),
            (1719833400, false),
            (1711845000, true),
            (1729989000, false),
        ];
        assert_eq!(times(DUBLIN, dates), expected);
    }

    #[test]
    fn dates_out_of_range() {
        let zone = Zone::of_rule(NEW_YORK).expect("a rule");
        for date in [[0, 0, 0, 1, 12, i32::MAX], [59, 59, 18, 31, 11, 69]] {
            let error = of_local_in(&zone, date).err();
            assert_eq!(error, Some(Errno::RANGE), "{date:?}");
        }
    }
}
