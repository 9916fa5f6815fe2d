//! How many durations and instants are read a second, on one core.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{Report, Result, Runs, median, timed};
use rig_core::time::Timestamp;
use rig_sched::parse;

#[derive(Parser)]
struct Arguments {
    /// Texts that are read in each run
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    texts: u32,
    #[command(flatten)]
    runs: Runs,
}

/// What a second is to be enough for.
const LEAST: f64 = 1_000_000.0;

const DURATIONS: [&str; 8] = [
    "90s",
    "1h 30m",
    "1h30m",
    "1 hour and 30 minutes",
    "PT1H30M",
    "1.5h 30m",
    "23h 59m 59s 999ms",
    "250 ms",
];

const INSTANTS: [&str; 8] = [
    "2026-08-01T18:30:00Z",
    "2026-08-01T18:30:00.123Z",
    "2026-08-01T20:30:00+02:00",
    "2026-08-01T18:30Z",
    "20260801T183000Z",
    "Sat, 01 Aug 2026 18:30:00 GMT",
    "1785609000",
    "1785609000.5",
];

/// Texts read a second, the median of all runs, by a function that fails for none.
fn rate(arguments: &Arguments, texts: &[&str], read: impl Fn(&str) -> bool) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..arguments.runs.runs {
        times.push(timed(|| {
            let texts = texts.iter().cycle().take(arguments.texts as usize);
            let refused = texts.filter(|text| !black_box(read(black_box(text)))).count();
            if refused > 0 { Err(format!("{refused} texts were refused").into()) } else { Ok(()) }
        })?);
    }
    Ok(f64::from(arguments.texts) / median(times).as_secs_f64())
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let now = Timestamp::from_millis(1_785_542_400_000).ok_or("no such date")?;
    let day = Duration::from_hours(24);
    let durations = rate(&arguments, &DURATIONS, |text| parse::duration(text, day).is_ok())?;
    let instants = rate(&arguments, &INSTANTS, |text| parse::instant(text, now, day).is_ok())?;
    let mut report = Report::default();
    report.rate("durations", durations, LEAST);
    report.rate("instants", instants, LEAST);
    Ok(report.exit())
}
