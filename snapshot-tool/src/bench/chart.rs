//! The chart: each program's speed over `ocamlrun`'s, generic, residual and under `ocamlopt`.
//!
//! Invariant: the scale is logarithmic and the bars begin at 1, so equal factors have equal lengths
//! to either side. What was not measured has no bar.

use svg::Document;
use svg::node::element::{Line, Rectangle, Text};

use super::means::geometric_mean;
use super::program::Entry;
use super::programs::{Group, Shelf};

/// Bars of a program from the top: what they show, and their colour.
const SERIES: [(&str, &str); 3] = [
    ("generic", "#b8b8b8"),
    ("residual", "#d1495b"),
    ("ocamlopt", "#2e6f95"),
];

/// In pixels. There are two columns.
const COLUMN: f64 = 470.0;
const LABEL: f64 = 130.0;
const PLOT: f64 = 320.0;
const ROW: f64 = 16.0;
const BAR: f64 = 4.0;
const HEADING: f64 = 26.0;
const TOP: f64 = 50.0;

/// The picture, as SVG.
pub fn draw(entries: &[Entry]) -> String {
    let rows: Vec<Row> = entries.iter().map(Row::new).collect();
    render(&rows).to_string()
}

/// One program: its speeds over `ocamlrun`'s in the order of [`SERIES`].
struct Row {
    name: String,
    group: Group,
    shelf: Shelf,
    speeds: [Option<f64>; 3],
}

impl Row {
    fn new(entry: &Entry) -> Self {
        let generic = entry.measurement.generic_over_ocamlrun();
        Self {
            name: entry.source.name.clone(),
            group: entry.source.group,
            shelf: entry.source.shelf,
            speeds: [
                generic.map(|time| 1.0 / time),
                entry.measurement.over_ocamlrun(),
                entry.ocamlopt_over_ocamlrun(),
            ],
        }
    }
}

fn render(rows: &[Row]) -> Document {
    let groups = Group::ALL.map(|group| {
        let members = rows.iter().filter(|row| row.group == group);
        members.collect::<Vec<_>>()
    });
    let groups: Vec<_> = groups.iter().filter(|rows| !rows.is_empty()).collect();
    let height = |rows: &Vec<&Row>| HEADING + rows.len() as f64 * ROW;
    let half = groups.iter().map(|rows| height(rows)).sum::<f64>() / 2.0;
    // The second column begins with the group that comes nearest to the middle.
    let (mut columns, mut y) = ([Vec::new(), Vec::new()], 0.0);
    for rows in groups {
        let column = usize::from(y + height(rows) / 2.0 > half);
        columns[column].push(rows);
        y += height(rows);
    }
    let scale = Scale::of(rows);
    let heights = columns
        .each_ref()
        .map(|groups| groups.iter().map(|rows| height(rows)).sum::<f64>());
    let bottom = TOP + heights[0].max(heights[1]);
    let size = (2.0 * COLUMN, bottom + 20.0);
    let mut picture = Document::new()
        .set("viewBox", (0, 0, size.0, size.1))
        .set("font-family", "sans-serif")
        .set("font-size", 11)
        .add(rectangle(0.0, 0.0, size, "white"));
    picture = legend(picture);
    for (at, (groups, height)) in columns.iter().zip(heights).enumerate() {
        let left = at as f64 * COLUMN + LABEL;
        picture = scale.grid(picture, left, TOP + height);
        let mut y = TOP;
        for rows in groups {
            picture = picture
                .add(rectangle(left - LABEL, y, (COLUMN, HEADING), "white"))
                .add(text(left, y + 17.0, &heading(rows)).set("font-weight", "bold"));
            y += HEADING;
            for row in rows.iter() {
                picture = program(picture, row, &scale, left, y);
                y += ROW;
            }
        }
    }
    picture
}

fn legend(mut picture: Document) -> Document {
    let title = "Times ocamlrun's speed; in italics: held back";
    picture = picture.add(text(10.0, 20.0, title));
    for (at, (name, colour)) in SERIES.iter().enumerate() {
        let left = COLUMN + LABEL + 100.0 * at as f64;
        picture = picture
            .add(rectangle(left, 12.0, (10.0, 10.0), colour))
            .add(text(left + 15.0, 21.0, name));
    }
    picture
}

/// A group's name and means.
fn heading(rows: &[&Row]) -> String {
    let mean = |series: usize| geometric_mean(rows.iter().filter_map(|row| row.speeds[series]));
    let means = SERIES
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(at, (name, _))| {
            let mean = mean(at)?;
            Some(format!("{name} {mean:.1}×"))
        });
    let means: Vec<String> = means.collect();
    format!("{}: {}", rows[0].group, means.join(", "))
}

fn program(mut picture: Document, row: &Row, scale: &Scale, left: f64, y: f64) -> Document {
    let label = text(left - 6.0, y + 11.0, &row.name).set("text-anchor", "end");
    picture = picture.add(match row.shelf {
        Shelf::Visible => label,
        Shelf::HeldBack => label.set("font-style", "italic"),
    });
    for (at, (speed, (_, colour))) in row.speeds.iter().zip(SERIES).enumerate() {
        if let Some(speed) = speed {
            let (one, end) = (scale.x(1.0), scale.x(*speed));
            let size = ((end - one).abs(), BAR);
            let top = y + 2.0 + at as f64 * BAR;
            picture = picture.add(rectangle(left + one.min(end), top, size, colour));
        }
    }
    picture
}

/// The scale's ends, as powers of two.
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    fn of(rows: &[Row]) -> Self {
        let speeds = || rows.iter().flat_map(|row| row.speeds).flatten();
        let power = |speed: f64| speed.max(1e-6).log2();
        Self {
            low: speeds().fold(-1, |low, speed| low.min(power(speed).floor() as i32)),
            high: speeds().fold(1, |high, speed| high.max(power(speed).ceil() as i32)),
        }
    }

    fn x(&self, speed: f64) -> f64 {
        let share = (speed.log2() - f64::from(self.low)) / f64::from(self.high - self.low);
        share.clamp(0.0, 1.0) * PLOT
    }

    fn grid(&self, mut picture: Document, left: f64, bottom: f64) -> Document {
        for power in self.low..=self.high {
            let x = left + self.x(f64::from(power).exp2());
            let colour = if power == 0 { "#444444" } else { "#dddddd" };
            let line = Line::new().set("x1", x).set("x2", x);
            let number = text(x, bottom + 13.0, &f64::from(power).exp2().to_string());
            picture = picture
                .add(
                    line.set("y1", TOP + HEADING)
                        .set("y2", bottom)
                        .set("stroke", colour),
                )
                .add(number.set("text-anchor", "middle").set("font-size", 9));
        }
        picture
    }
}

fn rectangle(x: f64, y: f64, (width, height): (f64, f64), colour: &str) -> Rectangle {
    let rectangle = Rectangle::new().set("x", x).set("y", y).set("fill", colour);
    rectangle.set("width", width).set("height", height)
}

fn text(x: f64, y: f64, content: &str) -> Text {
    Text::new(content).set("x", x).set("y", y)
}

#[cfg(test)]
mod tests {
    use svg::parser::Event;

    use super::*;

    /// The rectangles of this colour: left edge and width.
    fn bars(picture: &str, colour: &str) -> Vec<(f64, f64)> {
        let events = svg::read(picture).expect("it is SVG");
        let bars = events.filter_map(|event| {
            let Event::Tag("rect", _, attributes) = event else {
                return None;
            };
            let number = |name: &str| attributes[name].parse::<f64>().expect("a number");
            let is_bar = &*attributes["fill"] == colour && number("height") == BAR;
            is_bar.then(|| (number("x"), number("width")))
        });
        bars.collect()
    }

    #[test]
    fn equal_factors_have_equal_bars() {
        let row = |name: &str, group, speeds| Row {
            name: name.into(),
            group,
            shelf: Shelf::HeldBack,
            speeds,
        };
        let rows = [
            row("a", Group::Calls, [Some(0.25), Some(4.0), None]),
            row("b", Group::Integers, [Some(1.0), Some(16.0), Some(2.0)]),
        ];
        let picture = render(&rows).to_string();
        let [generic, residual, ocamlopt] = SERIES.map(|(_, colour)| bars(&picture, colour));
        assert_eq!([generic.len(), residual.len(), ocamlopt.len()], [2, 2, 1]);
        let (slow, fast) = (generic[0], residual[0]);
        assert_eq!(slow.0 + slow.1, fast.0, "both begin at 1");
        assert!((slow.1 - fast.1).abs() < 1e-9);
        assert!((residual[1].1 - 2.0 * fast.1).abs() < 1e-9);
        assert!(
            residual[1].0 > COLUMN,
            "the second group is in the second column"
        );
        assert!(picture.contains("calls: residual 4.0×"));
    }

    #[test]
    fn a_chart_of_nothing_is_a_chart() {
        assert!(svg::read(&render(&[]).to_string()).is_ok());
    }
}
