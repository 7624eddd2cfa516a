//! The command line of the experiments.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use experiments::{ALL, Bench, Error, Experiment, Report};

/// Measures what pages and keys cost, on SQLite and PostgreSQL side by side.
#[derive(Parser)]
struct Options {
    /// The experiment.
    #[arg(value_parser = PossibleValuesParser::new(ALL.map(|one| one.name).into_iter().chain(["all"])))]
    experiment: String,

    /// Rows of each list.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    rows: u64,

    /// Keys that each generator makes.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000))]
    keys: u64,

    /// A PostgreSQL server, where a superuser creates and drops databases. Without it, only SQLite is measured.
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,

    /// A folder for NAME.md, NAME.json and NAME.svg.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// What shells report of a process that an interrupt ended.
const INTERRUPTED: u8 = 130;

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    for experiment in ALL.iter().filter(|one| [one.name, "all"].contains(&options.experiment.as_str())) {
        // The databases are dropped with the run.
        let result = tokio::select! {
            result = run(experiment, &options) => result,
            _ = tokio::signal::ctrl_c() => return ExitCode::from(INTERRUPTED),
        };
        if let Err(error) = result {
            eprintln!("experiments: {}: {error}", experiment.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

async fn run(experiment: &Experiment, options: &Options) -> Result<(), Error> {
    let bench = Bench::open(options.postgres.as_deref(), options.rows, options.keys).await?;
    let report = Report::of(experiment, &bench).await?;
    println!("{}", report.to_markdown());
    match &options.out {
        Some(folder) => report.write(folder),
        None => Ok(()),
    }
}
