//! What can go wrong with the monitor, the plugin's configuration and the proxy: the proxy keeps serving, in its own order.

mod common;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use common::{Behaviour, CLIENT_KEY, EMAIL, Monitor, Proxy, SESSION, Served, accounts, attempt, auth_name, eventually, pick_request};
use quota_scheduler::abi::guarded;
use quota_scheduler::plugin::Plugin;

/// A process has one plugin at a time.
static ONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(auth_name).collect()
}

fn yaml(monitor: &Monitor) -> String {
    format!("enabled: true\npriority: 1\nurl: {}\npoll_seconds: 1\n", monitor.url())
}

fn best() -> Served {
    Served::Picked(auth_name(0))
}

/// Whether the ranking is followed within some seconds.
fn follows(proxy: &mut Proxy) -> bool {
    eventually(Duration::from_secs(20), || proxy.serve(None, &names(4)) == best())
}

#[test]
fn whatever_the_monitor_answers_the_proxy_serves_in_its_own_order() {
    let _alone = alone();
    let http = |head: &str, body: &[u8]| [head.as_bytes(), b"\r\n\r\n", body].concat();
    let rows: Vec<(&str, Behaviour)> = vec![
        ("hangs", Behaviour::Hangs),
        ("500 MB", Behaviour::Endless),
        ("garbage", Behaviour::Raw(vec![0xff; 5000])),
        ("closes", Behaviour::Raw(vec![])),
        ("no JSON", Behaviour::Raw(http("HTTP/1.1 200 OK", b"<html>"))),
        ("other JSON", Behaviour::Raw(http("HTTP/1.1 200 OK", br#"{"items":{}}"#))),
        ("breaks off", Behaviour::Raw(http("HTTP/1.1 200 OK\r\nContent-Length: 9000", br#"{"source":{"kind":"live"},"items":[]}"#))),
        ("not ready", Behaviour::Raw(http("HTTP/1.1 200 OK", br#"{"source":{"kind":"unavailable"},"items":[]}"#))),
        ("unasked 304", Behaviour::Raw(http("HTTP/1.1 304 Not Modified", b""))),
        ("503", Behaviour::Raw(http("HTTP/1.1 503 Service Unavailable", b"{}"))),
        ("403", Behaviour::Raw(http("HTTP/1.1 403 Forbidden", b"{}"))),
        ("400 always", Behaviour::Raw(http("HTTP/1.1 400 Bad Request", b"{}"))),
        ("deep JSON", Behaviour::Raw(http("HTTP/1.1 200 OK", &[b'['; 200_000]))),
    ];
    let (first, second) = (auth_name(0), auth_name(1));
    for (name, behaviour) in rows {
        let monitor = Monitor::start(behaviour);
        let mut proxy = Proxy::load(&yaml(&monitor));
        assert!(eventually(Duration::from_secs(10), || monitor.request_count() > 0), "{name}: asked");
        assert!(eventually(Duration::from_secs(10), || !proxy.logs().is_empty()), "{name}: logged");
        for turn in [&first, &second, &first, &second] {
            let started = Instant::now();
            assert_eq!(proxy.serve(Some("s"), &names(2)), Served::BuiltIn(turn.clone()), "{name}");
            assert!(started.elapsed() < Duration::from_millis(500), "{name}: a pick waits for nothing");
        }
        let logs = proxy.logs();
        assert!(logs.len() == 1 && logs[0].contains("the proxy's own strategy decides"), "{name}: {logs:?}");
        monitor.becomes(Behaviour::Ranks(accounts(4)));
        assert!(follows(&mut proxy), "{name}: followed once it answers");
        // The line comes after the first pick that follows.
        assert!(eventually(Duration::from_secs(10), || proxy.logs().len() > 1), "{name}: a line at a change");
        assert_eq!(proxy.logs().len(), 2, "{name}: one line at a change");
        assert!(proxy.shut_down() < Duration::from_secs(1), "{name}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let _alone = alone();
    let elsewhere = Monitor::start(Behaviour::Ranks(accounts(4)));
    let head = format!("HTTP/1.1 302 Found\r\nLocation: {}/api/v1/recommendations\r\nContent-Length: 0\r\n\r\n", elsewhere.url());
    let monitor = Monitor::start(Behaviour::Raw(head.into_bytes()));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(eventually(Duration::from_secs(10), || monitor.request_count() > 1));
    assert_eq!(proxy.serve(None, &names(2)), Served::BuiltIn(auth_name(0)));
    assert_eq!(elsewhere.request_count(), 0);
    proxy.shut_down();
}

#[test]
fn shutdown_ends_within_a_second_while_the_monitor_hangs() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Hangs);
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(eventually(Duration::from_secs(10), || monitor.request_count() > 0));
    assert!(proxy.shut_down() < Duration::from_secs(1));
    let logged = proxy.logs().len();
    // Calls after the end are answered, and nothing is asked or logged any more.
    assert_eq!(proxy.serve(None, &names(2)), Served::BuiltIn(auth_name(0)));
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!((monitor.request_count(), proxy.logs().len()), (1, logged));
    // An end without a thread.
    assert!(proxy.shut_down() < Duration::from_secs(1));
}

#[test]
fn a_killed_monitor_leaves_the_picks_to_the_proxy_until_it_is_back() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(follows(&mut proxy));
    let (port, killed) = (monitor.port, Instant::now());
    drop(monitor);
    let is_built_in = |served: &Served| matches!(served, Served::BuiltIn(_));
    assert!(eventually(Duration::from_secs(40), || {
        let served = proxy.serve(None, &names(4));
        assert!(is_built_in(&served) || served == best());
        is_built_in(&served)
    }));
    let seconds = killed.elapsed().as_secs();
    assert!((28..38).contains(&seconds), "the table is followed for 30 s: {seconds}");
    assert!(eventually(Duration::from_secs(5), || proxy.logs().len() == 2), "{:?}", proxy.logs());
    let _back = Monitor::start_at(port, Behaviour::Ranks(accounts(4)));
    assert!(eventually(Duration::from_secs(35), || proxy.serve(None, &names(4)) == best()));
    assert!(eventually(Duration::from_secs(5), || proxy.logs().len() == 3), "{:?}", proxy.logs());
    proxy.shut_down();
}

#[test]
fn an_older_monitor_is_asked_without_a_provider() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::RanksCodexAlone(accounts(4)));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(follows(&mut proxy));
    assert!(eventually(Duration::from_secs(10), || monitor.not_modified.load(Ordering::SeqCst) > 0));
    let requests = monitor.requests.lock().expect("requests").clone();
    assert!(requests[0].starts_with("GET /api/v1/recommendations?provider=all HTTP/1.0\r\n"));
    assert!(requests[1..].iter().all(|request| request.starts_with("GET /api/v1/recommendations HTTP/1.0\r\n")));
    proxy.shut_down();
}

#[test]
fn an_unchanged_ranking_is_not_sent_again() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let mut proxy = Proxy::load(&format!("{{ enabled: true, url: \"{}/\", poll_seconds: 1, upstream: tokyo }}", monitor.url()));
    assert!(follows(&mut proxy));
    assert!(eventually(Duration::from_secs(10), || monitor.not_modified.load(Ordering::SeqCst) > 1));
    assert_eq!(proxy.serve(None, &names(4)), best());
    let first = monitor.requests.lock().expect("requests")[0].clone();
    assert!(first.starts_with("GET /api/v1/recommendations?provider=all&upstream=tokyo HTTP/1.0\r\n"));
    assert!(first.contains(&format!("Host: 127.0.0.1:{}\r\n", monitor.port)));
    assert!(first.contains("User-Agent: svc-quota-scheduler/0.2.0\r\n"));
    proxy.shut_down();
}

#[test]
fn the_monitor_learns_of_each_pick_once_and_whether_it_follows_the_ranking() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Raw(b"HTTP/1.1 503 Service Unavailable\r\n\r\n".to_vec()));
    let mut proxy = Proxy::load(&yaml(&monitor));
    let reported = |expected: &str| {
        let requests = monitor.requests.lock().expect("requests").clone();
        requests.iter().filter(|head| head.contains(&format!("X-Quota-Scheduler: {expected}\r\n"))).count()
    };
    let within = Duration::from_secs(20);
    assert!(eventually(within, || reported("asked=0; picked=0; follows=false") > 0));
    for _ in 0..3 {
        assert!(matches!(proxy.serve(None, &names(4)), Served::BuiltIn(_)));
    }
    // A question that fails brings nothing over, so the next one says the same.
    assert!(eventually(within, || reported("asked=3; picked=0; follows=false") > 1));
    monitor.becomes(Behaviour::Ranks(accounts(4)));
    assert!(eventually(within * 2, || reported("asked=0; picked=0; follows=true") > 0));
    for _ in 0..2 {
        assert_eq!(proxy.serve(None, &names(4)), best());
    }
    assert_eq!(proxy.serve(None, &["unknown.json".to_owned()]), Served::BuiltIn("unknown.json".to_owned()));
    let counted = |total: &str| reported(total) == 1;
    assert!(eventually(within, || counted("asked=3; picked=2; follows=true") || counted("asked=1; picked=0; follows=true")));
    proxy.shut_down();
}

#[test]
fn the_same_configuration_again_changes_nothing_and_another_takes_over() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let other = Monitor::start(Behaviour::Ranks(accounts(4).into_iter().rev().map(|(name, score, _)| (name, 100 - score, true)).collect()));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(follows(&mut proxy));
    let asked = monitor.request_count();
    let started = Instant::now();
    for _ in 0..1000 {
        proxy.lifecycle("plugin.reconfigure", &yaml(&monitor));
    }
    let seconds = usize::try_from(started.elapsed().as_secs()).expect("a short time");
    assert!(seconds < 5 && monitor.request_count() <= asked + seconds + 1);
    proxy.lifecycle("plugin.reconfigure", &yaml(&other));
    assert!(eventually(Duration::from_secs(3), || proxy.serve(None, &names(4)) == Served::Picked(auth_name(3))));
    // A configuration that cannot be used says so once, and leaves every pick to the proxy.
    for broken in ["url: https://monitor", "url: [", "- a", "poll_seconds: 0", "upstream: A", "url: http://u:p@h", "\u{0}"] {
        proxy.lifecycle("plugin.reconfigure", broken);
        assert!(eventually(Duration::from_secs(3), || matches!(proxy.serve(None, &names(4)), Served::BuiltIn(_))), "{broken}");
        let said = proxy.logs().last().cloned().expect("a line");
        assert!(said.contains("own strategy decides") && !said.contains("u:p"), "{said}");
    }
    assert_eq!(proxy.logs().len(), 2, "{:?}", proxy.logs());
    proxy.lifecycle("plugin.reconfigure", &yaml(&monitor));
    assert!(follows(&mut proxy));
    proxy.shut_down();
}

#[test]
fn a_copy_that_is_not_asked_stops_asking_until_it_is() {
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let plugin = Plugin::new(Box::new(|_, _| {}), Duration::from_secs(4));
    plugin.call("plugin.register", common::lifecycle(&yaml(&monitor)).to_string().as_bytes());
    assert!(eventually(Duration::from_secs(4), || monitor.request_count() >= 2));
    std::thread::sleep(Duration::from_secs(5));
    let asked = monitor.request_count();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(monitor.request_count(), asked);
    plugin.call("scheduler.pick", pick_request(None, &names(2)).to_string().as_bytes());
    assert!(eventually(Duration::from_secs(3), || monitor.request_count() > asked));
    plugin.shut_down();
}

#[test]
fn what_cannot_be_read_leaves_the_pick_to_the_proxy() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(follows(&mut proxy));
    let whole = pick_request(Some("s"), &names(2)).to_string();
    let deep = "[".repeat(200_000);
    for request in
        ["", "null", "[]", "{}", &whole[..whole.len() - 1], r#"{"Candidates":null}"#, r#"{"Candidates":[{"ID":7}]}"#, &deep, "\u{0}"]
    {
        assert!(matches!(proxy.serve_request(request.as_bytes(), &names(2)), Served::BuiltIn(_)), "{request:.80}");
        assert_eq!(proxy.call("usage.handle", request.as_bytes()), br#"{"ok":true,"result":{}}"#);
    }
    assert!(matches!(proxy.serve_request(&[0xff, 0xfe], &names(2)), Served::BuiltIn(_)));
    let unknown = String::from_utf8(proxy.call("plugin.shutdown", b"{}")).expect("text");
    assert!(unknown.starts_with(r#"{"ok":false"#));
    proxy.shut_down();
}

#[test]
fn a_panic_ends_at_the_door() {
    assert_eq!(guarded(7, || panic!("nothing of this is shown")), 7);
    assert_eq!(guarded(7, || 8), 8);
}

#[test]
fn no_key_mail_or_session_is_logged_or_sent() {
    let _alone = alone();
    let monitor = Monitor::start(Behaviour::Ranks(accounts(4)));
    let mut proxy = Proxy::load(&yaml(&monitor));
    assert!(follows(&mut proxy));
    for number in 0..200 {
        proxy.serve(Some(&format!("{SESSION}-{number}")), &names(4));
        proxy.call("usage.handle", attempt(&auth_name(number % 4), [0, 429, 401, 500][number % 4]).to_string().as_bytes());
        let broken = pick_request(Some(SESSION), &names(4)).to_string();
        proxy.serve_request(&broken.as_bytes()[..broken.len() - number], &names(4));
    }
    let fault = format!("HTTP/1.1 200 OK\r\n\r\n{{\"source\":{{\"kind\":\"{EMAIL}\"}},\"items\":7}}");
    monitor.becomes(Behaviour::Raw(fault.into_bytes()));
    proxy.lifecycle("plugin.reconfigure", &format!("{}note: {CLIENT_KEY}\n", yaml(&monitor).replace("poll_seconds: 1", "poll_seconds: 2")));
    assert!(eventually(Duration::from_secs(10), || monitor.request_count() > 2));
    proxy.shut_down();
    let written = format!("{:?}{:?}", proxy.logs(), monitor.requests.lock().expect("requests"));
    assert!(written.contains("routes by the ranking of 4 accounts"));
    for canary in [CLIENT_KEY, EMAIL, SESSION, "canary"] {
        assert!(!written.contains(canary), "{canary} in {written}");
    }
}
