//! The thread that asks the monitor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::http::{self, Answer};
use crate::plugin::{Next, Plugin};
use crate::ranking::Ranking;
use crate::settings::Settings;

/// Longest pause between two questions.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Time after which a monitor that knew one provider alone is asked for every provider again.
const ASK_AGAIN: Duration = Duration::from_secs(600);

/// Who decides, as the log has it.
#[derive(PartialEq)]
enum Decides {
    Nobody,
    Ranking,
    Proxy,
}

/// State of the questions by one configuration.
#[derive(Default)]
struct Talk {
    settings: Option<Settings>,
    etag: Option<String>,
    /// Time at which the monitor did not know how to answer for every provider.
    single_since: Option<Instant>,
    failures: u32,
}

/// Asks until the end.
pub fn watch(plugin: &Plugin) {
    let (mut talk, mut decides) = (Talk::default(), Decides::Nobody);
    let (mut pause, mut last) = (Duration::ZERO, 0);
    loop {
        let (yaml, generation) = match plugin.next(pause, last) {
            Next::Ask { yaml, generation } => (yaml, generation),
            Next::Idle => {
                decides = Decides::Nobody;
                plugin.log("info", "no requests; the monitor is not asked until the next one");
                continue;
            }
            Next::End => return,
        };
        // What makes a reader panic is what cannot be read.
        let asked = catch_unwind(AssertUnwindSafe(|| {
            if generation != last {
                begin(plugin, &mut talk, &yaml)?;
            }
            ask(plugin, &mut talk, generation)
        }));
        let asked = asked.unwrap_or(Err("the monitor's answer cannot be read"));
        last = generation;
        talk.failures = if asked.is_ok() { 0 } else { talk.failures.saturating_add(1) };
        talk.etag = talk.etag.filter(|_| asked.is_ok());
        let poll_every = talk.settings.as_ref().map_or(PAUSE_MAX, |settings| settings.poll_every);
        pause = poll_every.saturating_mul(2_u32.saturating_pow(talk.failures.min(5))).min(PAUSE_MAX);
        // When the ranking gets too old it is asked for once more, and the log says so.
        let too_old_in = plugin.scheduler.followed(Instant::now()).map(|(_, left)| left + Duration::from_millis(1));
        pause = pause.min(too_old_in.unwrap_or(PAUSE_MAX));
        if plugin.if_current(generation, || ()) {
            say(plugin, &mut decides, asked);
        }
    }
}

/// Takes a configuration over. A ranking of another monitor is not followed any more.
fn begin(plugin: &Plugin, talk: &mut Talk, yaml: &str) -> Result<(), &'static str> {
    let before = std::mem::take(talk).settings;
    let settings = Settings::from_yaml(yaml);
    let source = |settings: &Settings| (settings.host.clone(), settings.port, settings.target(true));
    if settings.as_ref().ok().map(source) != before.as_ref().map(source) {
        plugin.scheduler.follow(None, Instant::now());
    }
    talk.settings = Some(settings?);
    Ok(())
}

/// Asks once, and once more for one provider where the monitor does not know "all".
fn ask(plugin: &Plugin, talk: &mut Talk, generation: u64) -> Result<(), &'static str> {
    let settings = talk.settings.as_ref().ok_or("the configuration cannot be used")?;
    talk.single_since = talk.single_since.filter(|since| since.elapsed() < ASK_AGAIN);
    let stops = || !plugin.if_current(generation, || ());
    let (report, counts) = plugin.scheduler.report(Instant::now());
    let answer = http::get(settings, &settings.target(talk.single_since.is_none()), talk.etag.as_deref(), &report, &stops);
    if !matches!(&answer, Ok(Answer { status: 200 | 304, .. })) {
        plugin.scheduler.count(counts);
    }
    let (answer, now) = (answer?, Instant::now());
    match answer.status {
        200 => {
            let ranking = Ranking::from_json(&answer.body, &plugin.scheduler.keys)?;
            talk.etag = answer.etag;
            plugin.if_current(generation, || plugin.scheduler.follow(Some(ranking), now));
            Ok(())
        }
        304 if talk.etag.is_some() => {
            plugin.if_current(generation, || plugin.scheduler.confirm(now));
            Ok(())
        }
        400 if talk.single_since.is_none() => {
            talk.single_since = Some(now);
            talk.etag = None;
            ask(plugin, talk, generation)
        }
        301..=308 => Err("the monitor sends elsewhere, where nobody goes"),
        _ => Err("the monitor does not answer with a ranking"),
    }
}

/// One line when it changes who decides.
fn say(plugin: &Plugin, decides: &mut Decides, asked: Result<(), &'static str>) {
    match (plugin.scheduler.followed(Instant::now()), asked) {
        (Some((ranking, _)), _) if *decides != Decides::Ranking => {
            *decides = Decides::Ranking;
            plugin.log("info", &format!("routes by the ranking of {} accounts", ranking.accounts.len()));
        }
        (None, Err(reason)) if *decides != Decides::Proxy => {
            *decides = Decides::Proxy;
            plugin.log("warn", &format!("the proxy's own strategy decides: {reason}"));
        }
        _ => {}
    }
}
