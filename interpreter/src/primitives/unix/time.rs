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
    Ok(record(&plain(date, "gmtime")?, false))
}

fn localtime(time: Value) -> Outcome {
    let time = seconds(time);
    let Local { offset, summer } = zone::current().at(time);
    let date = calendar::date(i128::from(time) + i128::from(offset)).ok_or(Errno::INVAL);
    Ok(record(&plain(date, "localtime")?, summer))
}

/// A value of type `Unix.tm`.
fn record(date: &Date, summer: bool) -> Value {
    let fields = [
        date.second,
        date.minute,
        date.hour,
        date.day,
        date.month,
        date.year,
        date.weekday,
        date.yearday,
        summer.into(),
    ];
    heap::alloc_fields(0, &fields.map(Value::int))
}

/// The time that a local date stands for, and the date with all fields in their ranges.
fn mktime(date: Value) -> Outcome {
    let field = |index: usize| date.field(index).as_int() as i32;
    let [second, minute, hour, day, month, year] = std::array::from_fn(field);
    let days = calendar::days(year.into(), month.into(), day.into());
    let wanted =
        days * calendar::DAY + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    let zone = zone::current();
    let time = search(&zone, wanted);
    let Local { offset, summer } = zone.at(time);
    OFFSET.set(offset);
    let Some(date) = calendar::date((time + offset).into()).filter(|_| time != -1) else {
        return Err(error::error(Errno::RANGE, "mktime"));
    };
    let date = record(&date, summer);
    Ok(heap::alloc_fields(
        0,
        &[heap::alloc_float(time as f64), date],
    ))
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
