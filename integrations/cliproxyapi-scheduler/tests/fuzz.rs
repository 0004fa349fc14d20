//! Mutations of everything that is read: no panic, no error to the proxy, no pick of a stranger.
//! `FUZZ_SECONDS` sets the time of each (2), `FUZZ_SEED` the seed.

mod common;

use std::hash::RandomState;
use std::time::{Duration, Instant};

use common::{Random, accounts, attempt, auth_name, lifecycle, pick_request, ranking_json};
use quota_scheduler::ranking::Ranking;
use quota_scheduler::scheduler::Scheduler;
use quota_scheduler::settings::Settings;
use quota_scheduler::wire::PickRequest;
use quota_scheduler::{http, wire};
use serde_json::Value;

/// Pieces that readers stumble over.
const PIECES: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"\\ud800",
    b"\\u0000",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"true",
    b"\xff",
    b"\xed\xa0\x80",
    b"\r\n",
    b"\r\n\r\n",
    b"Content-Length: 3\r\n",
    b"&a ",
    b"*a",
    b"- ",
    b"ID",
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let most = 1 << random.below(8);
        let length = random.below(most).min(bytes.len() - at);
        match random.below(7) {
            0 => drop(bytes.drain(at..at + length)),
            1 => bytes.truncate(at),
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 => {
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..(from + random.below(64)).min(other.len())].to_vec();
                bytes.splice(at..at + length, part);
            }
            5 => {
                let piece = PIECES[random.below(PIECES.len())].repeat(1 << random.below(10));
                bytes.splice(at..at, piece);
            }
            _ => drop(bytes.splice(at..at + length, PIECES[random.below(PIECES.len())].to_vec())),
        }
    }
    bytes
}

/// Runs for the time that is asked for; the number of runs.
fn fuzz(name: &str, seeds: &[Vec<u8>], mut run: impl FnMut(&[u8])) {
    let seed = setting("FUZZ_SEED", 20_261_120);
    let until = Instant::now() + Duration::from_secs(setting("FUZZ_SECONDS", 2));
    let mut random = Random(seed);
    let mut runs = 0_u64;
    while Instant::now() < until {
        run(&mutated(seeds, &mut random));
        runs += 1;
    }
    println!("{name}: {runs} runs of seed {seed}");
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(auth_name).collect()
}

#[test]
fn picks() {
    let scheduler = Scheduler::default();
    let now = Instant::now();
    let ranking = Ranking::from_json(&bytes(&ranking_json(&accounts(12))), &scheduler.keys).expect("a ranking");
    scheduler.follow(Some(ranking), now);
    let seeds = [bytes(&pick_request(Some("s"), &names(3))), bytes(&pick_request(None, &names(12)))];
    fuzz("picks", &seeds, |request| {
        let answer: Value = serde_json::from_slice(&scheduler.pick(request, now)).expect("JSON");
        assert_eq!(answer["ok"], true);
        if answer["result"]["Handled"] == true {
            let id = answer["result"]["AuthID"].as_str().expect("an ID");
            let request: PickRequest = serde_json::from_slice(request).expect("a request that was read");
            assert!(request.candidates.expect("candidates").iter().any(|candidate| candidate.id == id));
        }
    });
}

#[test]
fn attempts() {
    let scheduler = Scheduler::default();
    let now = Instant::now();
    let ranking = Ranking::from_json(&bytes(&ranking_json(&accounts(12))), &scheduler.keys).expect("a ranking");
    scheduler.follow(Some(ranking), now);
    let seeds = [bytes(&attempt(&auth_name(1), 429)), bytes(&attempt(&auth_name(2), 0))];
    fuzz("attempts", &seeds, |request| scheduler.note_attempt(request, now));
}

#[test]
fn rankings() {
    let keys = RandomState::new();
    let seeds = [bytes(&ranking_json(&accounts(3))), bytes(&ranking_json(&accounts(24)))];
    fuzz("rankings", &seeds, |body| {
        if let Ok(ranking) = Ranking::from_json(body, &keys) {
            assert!(ranking.accounts.values().all(|account| account.provider < ranking.providers.len()));
        }
    });
}

#[test]
fn answers_of_the_monitor() {
    let body = ranking_json(&accounts(2)).to_string();
    let seeds = [
        format!("HTTP/1.1 200 OK\r\nETag: \"abc\"\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes(),
        b"HTTP/1.1 304 Not Modified\r\nETag: W/\"abc\"\r\n\r\n".to_vec(),
        b"HTTP/1.0 302 Found\r\nLocation: http://h/\r\n\r\n".to_vec(),
    ];
    fuzz("answers", &seeds, |raw| {
        if let Ok(answer) = http::parse(raw) {
            assert!(answer.body.len() < raw.len());
            assert!(answer.etag.is_none_or(|etag| etag.bytes().all(|byte| byte.is_ascii_graphic())));
        }
    });
}

#[test]
fn configurations() {
    let seeds: Vec<Vec<u8>> = [
        "enabled: true\npriority: 1\nurl: http://127.0.0.1:4515\npoll_seconds: 2\n",
        "{ enabled: true, url: \"http://[::1]:80/base\", upstream: tokyo, store: { version: 1.0, tags: [a, b] } }",
        "x: &a [1]\ny: *a\n? {k: v}\n: z\nurl: 'http://h'\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    fuzz("configurations", &seeds, |yaml| {
        if let Ok(settings) = Settings::from_yaml(&String::from_utf8_lossy(yaml)) {
            let head = format!("{}{}", settings.host, settings.target(true));
            assert!(head.bytes().all(|byte| byte.is_ascii_graphic()), "{head:?}");
        }
    });
    let requests: Vec<_> = seeds.iter().map(|yaml| bytes(&lifecycle(&String::from_utf8_lossy(yaml)))).collect();
    for (request, yaml) in requests.iter().zip(&seeds) {
        assert_eq!(wire::configuration_in(request).expect("YAML").as_bytes(), yaml);
    }
    fuzz("requests with a configuration", &requests, |request| drop(wire::configuration_in(request)));
}
