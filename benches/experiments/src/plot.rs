//! A plot in SVG: a panel for each group of a table, on logarithmic scales.

use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, IntoFont, RGBColor, WHITE};

use crate::{Error, Plot, Table, Unit};

/// Colours that people with deficient colour vision can tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];
const FONT: &str = "sans-serif";
const PANEL_WIDTH: u32 = 460;
const LINES_HEIGHT: u32 = 360;
/// Of a bar, with the space around it.
const BAR: i32 = 26;
/// Above the bars.
const TITLE: i32 = 44;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws a measure of one of the tables.
pub fn draw(tables: &[Table], plot: Plot) -> Result<String, Error> {
    let (Plot::Bars(table, measure) | Plot::Lines(table, measure)) = plot;
    let table = tables.get(table).ok_or_else(|| Error::Plot(format!("there is no table {table}")))?;
    let bars = i32::try_from(table.rows.len()).unwrap_or(i32::MAX).saturating_mul(BAR).saturating_add(TITLE);
    let height = if let Plot::Lines(..) = plot { LINES_HEIGHT } else { bars.unsigned_abs() };
    let panels = u32::try_from(table.groups.len()).unwrap_or(1);
    let mut text = String::new();
    drawn(&mut text, (PANEL_WIDTH * panels, height), table, measure, plot)
        .map_err(|error| Error::Plot(error.to_string()))?;
    Ok(text)
}

fn drawn(text: &mut String, size: (u32, u32), table: &Table, measure: usize, plot: Plot) -> Drawn {
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (group, area) in root.split_evenly((1, table.groups.len())).iter().enumerate() {
        match plot {
            Plot::Bars(..) => bars(area, table, group, measure)?,
            Plot::Lines(..) => lines(area, table, group, measure)?,
        }
    }
    root.present()
}

/// A bar for each row, from a tenth of the smallest value to the largest.
fn bars(area: &Area<'_>, table: &Table, group: usize, measure: usize) -> Drawn {
    let unit = table.measures[measure].unit;
    let values: Vec<Option<f64>> = table.rows.iter().map(|row| row.values[group][measure]).collect();
    let positive = || values.iter().flatten().copied().filter(|value| *value > 0.0);
    let least = positive().fold(f64::INFINITY, f64::min) / 10.0;
    let decades = (positive().fold(0.0, f64::max) / least).log10();
    let title = format!("{}: {} (logarithmic)", table.groups[group], table.measures[measure].name);
    let font = |size: i32| (FONT, size).into_font().color(&BLACK);
    area.draw(&Text::new(title, (12, 12), font(15)))?;
    let (width, _) = area.dim_in_pixel();
    let start = 0.5 * f64::from(width);
    for ((row, value), place) in table.rows.iter().zip(&values).zip(0..) {
        let (top, colour) = (TITLE + place * BAR, COLOURS[group % COLOURS.len()]);
        let left = pixels(start);
        let label = font(12).pos(Pos::new(HPos::Right, VPos::Center));
        area.draw(&Text::new(plain(&row.labels.join(", ")), (left - 6, top + 9), label))?;
        let Some(value) = *value else { continue };
        let share = if value > 0.0 { (value / least).log10() / decades } else { 0.0 };
        let end = left + pixels(share * 0.33 * f64::from(width));
        area.draw(&Rectangle::new([(left, top), (end, top + 18)], colour.filled()))?;
        let label = font(12).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(unit.show(value), (end + 5, top + 9), label))?;
    }
    Ok(())
}

/// A label without the marks of code in Markdown.
fn plain(label: &str) -> String {
    label.replace('`', "")
}

#[expect(clippy::cast_possible_truncation, reason = "at most the width of a panel")]
fn pixels(length: f64) -> i32 {
    length as i32
}

/// A line for each second label. A logarithmic scale has no 0: the first decade begins there.
fn lines(area: &Area<'_>, table: &Table, group: usize, measure: usize) -> Drawn {
    let Measured { names, points } = Measured::of(table, group, measure);
    let all = || points.iter().flatten();
    let right = all().map(|(x, _)| *x).fold(10.0, f64::max);
    let bottom = all().map(|(_, y)| *y).fold(f64::INFINITY, f64::min) / 2.0;
    let top = all().map(|(_, y)| *y).fold(0.0, f64::max) * 2.0;
    if bottom.is_infinite() {
        return Ok(());
    }
    let measured = table.measures[measure];
    let scale = |range: std::ops::Range<f64>| plotters::coord::combinators::IntoLogRange::log_scale(range);
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{}: {}", table.groups[group], table.title), (FONT, 14))
        .margin(10)
        .margin_right(34)
        .x_label_area_size(40)
        .y_label_area_size(58)
        .build_cartesian_2d(scale(1.0..right), scale(bottom..top))?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(table.labels[0])
        .y_desc(measured.name)
        .x_label_formatter(&|x| if *x <= 1.0 { "0".to_owned() } else { Unit::Count.show(*x) })
        .y_label_formatter(&|y| measured.unit.show(*y))
        .draw()?;
    for ((name, points), colour) in names.iter().zip(&points).zip(COLOURS.iter().cycle().copied()) {
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
        chart
            .draw_series(line)?
            .label(plain(name))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .label_font((FONT, 12))
        .draw()?;
    Ok(())
}

/// The points of each line.
struct Measured {
    names: Vec<String>,
    points: Vec<Vec<(f64, f64)>>,
}

impl Measured {
    fn of(table: &Table, group: usize, measure: usize) -> Self {
        let mut measured = Self { names: Vec::new(), points: Vec::new() };
        for row in &table.rows {
            let ([x, name, ..], Some(y)) = (&row.labels[..], row.values[group][measure]) else { continue };
            let Ok(x) = x.replace(',', "").parse::<f64>() else { continue };
            let line = measured.names.iter().position(|other| other == name).unwrap_or_else(|| {
                measured.names.push(name.clone());
                measured.points.push(Vec::new());
                measured.names.len() - 1
            });
            measured.points[line].push((x.max(1.0), y));
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measure;

    fn table() -> Table {
        let groups = vec!["SQLite".to_owned(), "PostgreSQL".to_owned()];
        let mut table = Table::new("ties", &["depth", "way"], groups, &[Measure::new("time", Unit::Milliseconds)]);
        for depth in ["0", "1,000"] {
            table.push(&[depth, "bracket"], vec![vec![Some(0.1)], vec![Some(0.2)]]);
            table.push(&[depth, "row value"], vec![vec![Some(3.0)], vec![None]]);
        }
        table
    }

    #[test]
    fn a_plot_has_a_panel_for_each_database_and_names_each_way() {
        for (plot, names) in [(Plot::Lines(0, 0), 3), (Plot::Bars(0, 0), 8)] {
            let svg = draw(&[table()], plot).unwrap();
            assert!(svg.contains("SQLite: t") && svg.contains("PostgreSQL: t"), "{svg}");
            assert_eq!(svg.matches("bracket").count() + svg.matches("row value").count(), names, "{svg}");
        }
    }

    #[test]
    fn without_values_a_plot_is_empty() {
        let empty = Table { rows: Vec::new(), ..table() };
        for plot in [Plot::Lines(0, 0), Plot::Bars(0, 0)] {
            assert!(draw(std::slice::from_ref(&empty), plot).is_ok());
        }
        assert!(draw(&[], Plot::Bars(0, 0)).is_err());
    }
}
