//! The library as the proxy loads it: by a C program, plain, under AddressSanitizer and under valgrind.
//! Build it before: `cargo build --release`.

mod common;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Behaviour, Monitor, accounts};

const PICKS: &str = "20000";
const THREADS: &str = "8";
/// Longest CPU time of 99 in 100 picks, in µs.
const P99_12_CANDIDATES: f64 = 60.0;
const P99_100_CANDIDATES: f64 = 1000.0;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn library() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| top().join("target"), PathBuf::from);
    let library = target.join("release/libquota_scheduler.so");
    assert!(library.exists(), "run `cargo build --release` before: {} is missing", library.display());
    library
}

/// The compiled harness; `None` without a C compiler.
fn harness(name: &str, options: &[&str]) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let source = top().join("tests/harness.c");
    let compiled = Command::new("gcc")
        .args(["-O1", "-g", "-Wall", "-Wextra", "-o"])
        .arg(&program)
        .args(options)
        .arg(source)
        .args(["-ldl", "-lpthread"])
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success(), "the harness does not compile");
            Some(program)
        }
        Err(_) => {
            println!("skipped, because there is no gcc");
            None
        }
    }
}

/// Runs the harness; its figures by name.
fn run(mut command: Command, monitor: &Monitor, threads: &str, picks: &str, candidates: &str) -> HashMap<String, f64> {
    let Output { status, stdout, stderr } =
        command.arg(library()).args([&monitor.url(), threads, picks, candidates]).output().expect("a program that runs");
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{status}\n{out}\n{err}");
    let written = format!("{out}{err}{:?}", monitor.requests.lock().expect("requests"));
    assert!(!written.contains("canary"), "{written}");
    let log: Vec<_> = out.lines().filter(|line| line.starts_with("LOG ")).collect();
    assert!(log.len() == 1 && log[0].contains("routes by the ranking"), "{log:?}");
    let figures: HashMap<_, _> = out
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
        .collect();
    println!("{candidates} candidates, {threads} threads: {figures:?}");
    assert_eq!((figures["strangers"], figures["errors"]), (0.0, 0.0));
    assert_eq!(figures["handled"], figures["picks"]);
    assert!(figures["shutdown_ms"] < 1000.0);
    figures
}

#[test]
fn picks_are_quick() {
    let Some(program) = harness("harness", &[]) else { return };
    let monitor = Monitor::start(Behaviour::Ranks(accounts(100)));
    for (threads, candidates, most) in
        [(THREADS, "12", P99_12_CANDIDATES), ("1", "12", P99_12_CANDIDATES), (THREADS, "100", P99_100_CANDIDATES)]
    {
        let figures = run(Command::new(&program), &monitor, threads, PICKS, candidates);
        assert!(figures["cpu_us_p99"] <= most, "{candidates}: {figures:?}");
    }
}

#[test]
fn nothing_leaks_under_address_sanitizer() {
    let Some(program) = harness("harness-asan", &["-fsanitize=address"]) else { return };
    let monitor = Monitor::start(Behaviour::Ranks(accounts(12)));
    let mut command = Command::new(program);
    command.env("ASAN_OPTIONS", "detect_leaks=1:halt_on_error=1");
    run(command, &monitor, THREADS, PICKS, "12");
}

#[test]
fn nothing_leaks_under_valgrind() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped, because there is no valgrind");
        return;
    }
    let Some(program) = harness("harness-plain", &[]) else { return };
    let monitor = Monitor::start(Behaviour::Ranks(accounts(12)));
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--leak-check=full", "--show-leak-kinds=definite,possible", "--errors-for-leak-kinds=definite,possible"]);
    command.arg("--error-exitcode=9").arg(program);
    run(command, &monitor, THREADS, PICKS, "12");
}
