//! The instructions of a request, counted by Valgrind in all threads of the process: SQLite has its own.
//!
//! Each request is measured in two runs that differ in nothing but the number of requests, so the start-up cancels out:
//! `benches/guards.sh` divides the difference.

#![expect(missing_docs, reason = "what the macros generate")]

#[expect(dead_code, reason = "the counts need more of it")]
mod service;

use gungraun::{Callgrind, EntryPoint, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use service::{GUARDED, Service};
use testdb::TestDb;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[library_benchmark]
#[bench::trivial_20("trivial", 20)]
#[bench::trivial_2020("trivial", 2020)]
#[bench::ten_20("ten", 20)]
#[bench::ten_420("ten", 420)]
#[bench::hundred_20("hundred", 20)]
#[bench::hundred_120("hundred", 120)]
#[bench::nested_20("nested", 20)]
#[bench::nested_120("nested", 120)]
#[bench::rating_20("rating", 20)]
#[bench::rating_220("rating", 220)]
#[bench::event_20("event", 20)]
#[bench::event_220("event", 220)]
#[bench::discovered_20("discovered", 20)]
#[bench::discovered_420("discovered", 420)]
#[bench::integersten_20("integersten", 20)]
#[bench::integersten_420("integersten", 420)]
#[bench::integershundred_20("integershundred", 20)]
#[bench::integershundred_120("integershundred", 120)]
#[bench::integersnested_20("integersnested", 20)]
#[bench::integersnested_120("integersnested", 120)]
#[bench::tenantsten_20("tenantsten", 20)]
#[bench::tenantsten_420("tenantsten", 420)]
#[bench::tenantshundred_20("tenantshundred", 20)]
#[bench::tenantshundred_120("tenantshundred", 120)]
#[bench::tenantsnested_20("tenantsnested", 20)]
#[bench::tenantsnested_120("tenantsnested", 120)]
fn requests(name: &str, requests: usize) {
    let guarded = *GUARDED.iter().find(|guarded| guarded.name == name).expect("a guarded request");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let test = TestDb::sqlite();
        let service = Service::new(guarded.tables, &test.url, None).await;
        let mut asking = service.warm(guarded).await;
        for _ in 0..requests {
            service.ask(&mut asking).await;
        }
    });
}

library_benchmark_group!(name = guards, benchmarks = requests);

main!(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::with_args(["--cache-sim=no", "--branch-sim=no"]).entry_point(EntryPoint::None)),
    library_benchmark_groups = guards
);
