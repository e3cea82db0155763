//! The Gregorian calendar: days and dates, for all years that C's `struct tm` holds.
//!
//! Source of the conversions: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// Days from the first of March of the year 0 to the first of January 1970.
const EPOCH: i64 = 719_468;
/// Days of 400 years.
const ERA: i64 = 146_097;

/// A date, as `struct tm` has it: months from 0, years from 1900.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    pub second: i64,
    pub minute: i64,
    pub hour: i64,
    pub day: i64,
    pub month: i64,
    pub year: i64,
    pub weekday: i64,
    pub yearday: i64,
}

/// The date of a time in seconds since 1970, unless its year is out of range.
pub fn date(time: i128) -> Option<Date> {
    let days = i64::try_from(time.div_euclid(DAY.into())).ok()?;
    let second = time.rem_euclid(DAY.into()) as i64;
    let (year, month, day) = civil(days);
    i32::try_from(year - 1900).ok()?;
    Some(Date {
        second: second % 60,
        minute: second / 60 % 60,
        hour: second / 3600,
        day,
        month,
        year: year - 1900,
        weekday: (days + 4).rem_euclid(7),
        yearday: days - self::days(year - 1900, 0, 1),
    })
}

/// Year, month from 0, and day of the month of a day since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let era = days.div_euclid(ERA);
    let day = days.rem_euclid(ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let yearday = day - (365 * year + year / 4 - year / 100);
    let month = (5 * yearday + 2) / 153;
    let day = yearday - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 2, 0)
    } else {
        (month - 10, 1)
    };
    (year + era * 400 + next, month, day)
}

/// Days since 1970 of a day of a month of a year since 1900; month and day may be out of their
/// ranges.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = 1900 + year + month.div_euclid(12);
    let month = month.rem_euclid(12);
    let (year, month) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let yearday = (153 * month + 2) / 5;
    era * ERA + 365 * year + year / 4 - year / 100 + yearday + day - 1 - EPOCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for number in (-800_000..800_000).step_by(97) {
            let date = date(i128::from(number * DAY + 3723)).expect("in range");
            assert_eq!(days(date.year, date.month, date.day), number);
            assert_eq!((date.hour, date.minute, date.second), (1, 2, 3));
        }
    }

    #[test]
    fn known_dates() {
        assert_eq!(days(70, 0, 1), 0);
        assert_eq!(days(100, 1, 29) + 1, days(100, 2, 1));
        assert_eq!(days(121, 13, 0), days(122, 0, 31));
        let date = date(1_636_000_000).expect("in range");
        assert_eq!((date.year, date.month, date.day), (121, 10, 4));
        assert_eq!((date.weekday, date.yearday), (4, 307));
        assert_eq!(super::date(i128::from(i64::MAX)), None);
    }
}
