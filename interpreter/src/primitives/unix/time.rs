//! Clocks, and times as dates.

use super::arguments::plain;
use super::calendar::{self, Date};
use super::error;
use super::zone::{self, Local};
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
    /// The offset from UTC of the last local time that was turned into a time. The search for the
    /// next one begins with it. At the end of summer time, when a local time stands for two times,
    /// it decides between them, as in glibc.
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
    let Local { offset, summer } = zone::current().at(time);
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
    let [second, minute, hour, day, month, year] = fields;
    let days = calendar::days(year.into(), month.into(), day.into());
    let wanted =
        days * calendar::DAY + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    let zone = zone::current();
    let time = search(&zone, wanted);
    let Local { offset, summer } = zone.at(time);
    OFFSET.set(offset);
    let date = calendar::date((time + offset).into()).filter(|_| time != -1);
    let date = date.ok_or(Errno::RANGE)?;
    let local = LocalDate {
        date,
        summer,
        offset,
    };
    Ok((time, local))
}

/// The time whose local time is `wanted`. Where clocks jumped over `wanted`, a time near it.
fn search(zone: &zone::Zone, wanted: i64) -> i64 {
    const ROUNDS: u32 = 6;
    let mut time = wanted - OFFSET.get();
    let mut before = [time; 2];
    for _ in 0..ROUNDS {
        let miss = wanted - (time + zone.at(time).offset);
        if miss == 0 || time == before[0] && time != before[1] {
            break;
        }
        before = [before[1], time];
        time += miss;
    }
    time
}
