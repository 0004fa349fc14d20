//! The plugin's picks on a clock of somebody else: a line of JSON in, `{"ms":…,"ranking":…}`, `{"ms":…,"usage":…}` or `{"ms":…,"pick":…}`; a pick has
//! its answer as a line out.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use quota_scheduler::ranking::Ranking;
use quota_scheduler::scheduler::Scheduler;
use serde_json::Value;

fn main() {
    let start = Instant::now();
    let scheduler = Scheduler::default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let now = start + Duration::from_millis(line["ms"].as_u64().expect("a time"));
        let text = |name: &str| line.get(name).map(|value| value.to_string().into_bytes());
        if let Some(ranking) = text("ranking") {
            scheduler.follow(Some(Ranking::from_json(&ranking, &scheduler.keys).expect("a ranking")), now);
        }
        if let Some(usage) = text("usage") {
            scheduler.note_attempt(&usage, now);
        }
        if let Some(pick) = text("pick") {
            out.write_all(&scheduler.pick(&pick, now)).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).expect("a reader");
        }
    }
}
