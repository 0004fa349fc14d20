//! The pick: tables, and properties over random pools.

mod common;

use std::hash::RandomState;
use std::time::{Duration, Instant};

use common::{accounts, attempt, auth_name, pick_request, ranking_json};
use proptest::prelude::*;
use quota_scheduler::choice::{Standing, choose};
use quota_scheduler::memory::{Memory, SESSIONS_MAX};
use quota_scheduler::ranking::{Account, AccountKey, Ranking};
use quota_scheduler::scheduler::Scheduler;
use serde_json::{Value, json};

fn following(body: &Value, now: Instant) -> Scheduler {
    let scheduler = Scheduler::default();
    follow(&scheduler, body, now);
    scheduler
}

fn follow(scheduler: &Scheduler, body: &Value, now: Instant) {
    let ranking = Ranking::from_json(body.to_string().as_bytes(), &scheduler.keys).expect("a ranking");
    scheduler.follow(Some(ranking), now);
}

fn pool(scores: &[(&str, i64)]) -> Vec<(String, i64, bool)> {
    scores.iter().map(|(name, score)| ((*name).to_owned(), (*score).max(0), *score >= 0)).collect()
}

fn names(text: &str) -> Vec<String> {
    text.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The picked name, or "built-in".
fn picked(scheduler: &Scheduler, request: &Value, now: Instant) -> String {
    let answer: Value = serde_json::from_slice(&scheduler.pick(request.to_string().as_bytes(), now)).expect("JSON");
    assert_eq!(answer["ok"], true);
    if answer["result"]["Handled"] == true {
        answer["result"]["AuthID"].as_str().expect("a name").to_owned()
    } else {
        "built-in".to_owned()
    }
}

#[test]
fn a_pick_is_the_best_candidate_that_may_be_used() {
    // (ranking, candidates, pick); a negative score is a blocked account.
    let rows: [(&[(&str, i64)], &str, &str); 10] = [
        (&[("a", 60), ("b", 50)], "a b", "a"),
        (&[("a", 60), ("b", 50)], "b", "b"),
        (&[("a", -1), ("b", 50)], "a b", "b"),
        (&[("a", -1), ("b", -1)], "a b", "built-in"),
        (&[("a", 60)], "", "built-in"),
        // Candidates that the monitor does not know stay with the built-in, alone and beside known ones.
        (&[("a", 60)], "x y", "built-in"),
        (&[("a", 1)], "x a y", "a"),
        (&[("a", -1)], "x a", "built-in"),
        // Equal scores: the order of the ranking, not of the candidates.
        (&[("a", 50), ("b", 50)], "b a", "a"),
        (&[], "a", "built-in"),
    ];
    for (ranking, candidates, expected) in rows {
        let now = Instant::now();
        let scheduler = following(&ranking_json(&pool(ranking)), now);
        assert_eq!(picked(&scheduler, &pick_request(None, &names(candidates)), now), expected, "{ranking:?} {candidates}");
    }
}

#[test]
fn a_session_keeps_its_account_within_ten_points_of_the_best() {
    let now = Instant::now();
    for (best, expected) in [(60, "b"), (61, "a")] {
        let scheduler = following(&ranking_json(&pool(&[("a", 10), ("b", 50)])), now);
        let request = pick_request(Some("s"), &names("a b"));
        assert_eq!(picked(&scheduler, &request, now), "b");
        follow(&scheduler, &ranking_json(&pool(&[("a", best), ("b", 50)])), now);
        assert_eq!(picked(&scheduler, &request, now), expected);
        // Other sessions on it do not drive a session away.
        for other in ["t", "u", "v"] {
            picked(&scheduler, &pick_request(Some(other), &names("b")), now);
        }
        assert_eq!(picked(&scheduler, &request, now), expected);
    }
}

#[test]
fn sessions_spread_over_accounts_within_ten_points() {
    let now = Instant::now();
    let scheduler = following(&ranking_json(&pool(&[("a", 60), ("b", 57), ("c", 40)])), now);
    let picks: Vec<_> = (0..6).map(|number| picked(&scheduler, &pick_request(Some(&format!("s{number}")), &names("a b c")), now)).collect();
    assert_eq!(picks, ["a", "a", "b", "a", "b", "a"]);
    // After a quarter of an hour nobody holds anything.
    let later = now + Duration::from_secs(15 * 60);
    scheduler.confirm(later);
    assert_eq!(picked(&scheduler, &pick_request(Some("new"), &names("a b c")), later), "a");
}

#[test]
fn a_session_is_named_by_header_then_proxy_then_caller() {
    let now = Instant::now();
    let rows = [
        (json!({ "X-Claude-Code-Session-Id": ["one"], "Session_id": ["two"] }), json!({ "derived_session_id": "three" }), "one"),
        (json!({ "Session_id": ["two"], "X-Claude-Code-Session-Id": [] }), json!({ "derived_session_id": "three" }), "two"),
        (
            json!({ "Session_id": null, "Authorization": ["Bearer key"] }),
            json!({ "derived_session_id": "three", "caller_scope": "four" }),
            "three",
        ),
        (json!(null), json!({ "caller_scope": "four" }), "four"),
        (json!({}), json!({ "execution_session_id": "five", "derived_session_id": "three" }), "five"),
    ];
    for (headers, metadata, expected) in rows {
        let mut request = pick_request(None, &names("a b"));
        request["Options"] = json!({ "Headers": headers, "Metadata": metadata });
        let scheduler = following(&ranking_json(&pool(&[("a", 60), ("b", 52)])), now);
        // The session by its plain name holds b; the request above is kept there if it is the same session.
        picked(&scheduler, &pick_request(Some(expected), &names("b")), now);
        assert_eq!(picked(&scheduler, &request, now), "b", "{expected}");
    }
    let mut nobody = pick_request(None, &names("a b"));
    nobody["Options"] = Value::Null;
    assert_eq!(picked(&following(&ranking_json(&pool(&[("a", 60), ("b", 52)])), now), &nobody, now), "a");
}

#[test]
fn a_refusal_avoids_the_account_until_a_newer_reading_and_for_a_minute() {
    let body = |reading: &str| {
        let mut body = ranking_json(&pool(&[("a", 60), ("b", 50)]));
        body["items"][0]["quotaWindows"][0]["sampledAt"] = json!(reading);
        body
    };
    let request = pick_request(Some("s"), &names("a b"));
    // (status, seconds later, newer reading, pick)
    let rows = [
        (429, 0, true, "b"),
        (429, 59, true, "b"),
        (429, 60, true, "a"),
        (429, 60, false, "b"),
        (429, 899, false, "b"),
        (429, 900, false, "a"),
        (401, 1, false, "b"),
        (402, 1, false, "b"),
        (500, 1, false, "a"),
        (0, 1, false, "a"),
    ];
    for (status, seconds, newer, expected) in rows {
        let now = Instant::now();
        let scheduler = following(&body("2026-11-20T11:00:00.000Z"), now);
        scheduler.note_attempt(attempt("a", status).to_string().as_bytes(), now);
        let later = now + Duration::from_secs(seconds);
        follow(&scheduler, &body(if newer { "2026-11-20T11:00:30.000Z" } else { "2026-11-20T11:00:00.000Z" }), later);
        assert_eq!(picked(&scheduler, &request, later), expected, "{status} after {seconds} s, newer: {newer}");
    }
    let now = Instant::now();
    let scheduler = following(&body("2026-11-20T11:00:00.000Z"), now);
    scheduler.note_attempt(attempt("a", 429).to_string().as_bytes(), now);
    scheduler.note_attempt(attempt("b", 429).to_string().as_bytes(), now);
    assert_eq!(picked(&scheduler, &request, now), "built-in", "all avoided");
}

#[test]
fn a_ranking_older_than_thirty_seconds_is_not_followed() {
    let now = Instant::now();
    let scheduler = following(&ranking_json(&pool(&[("a", 60)])), now);
    let request = pick_request(None, &names("a"));
    for (seconds, expected) in [(0, "a"), (30, "a"), (31, "built-in")] {
        assert_eq!(picked(&scheduler, &request, now + Duration::from_secs(seconds)), expected);
    }
    scheduler.confirm(now + Duration::from_secs(31));
    assert_eq!(picked(&scheduler, &request, now + Duration::from_secs(31)), "a");
    scheduler.follow(None, now);
    assert_eq!(picked(&scheduler, &request, now), "built-in");
}

#[test]
fn scores_of_two_providers_are_not_compared() {
    let now = Instant::now();
    let mut body = ranking_json(&pool(&[("c", 20), ("k", 90), ("l", 10)]));
    body["items"][1]["provider"] = json!("claude");
    body["items"][2]["provider"] = json!("claude");
    let scheduler = following(&body, now);
    let mut request = pick_request(None, &names("l k c"));
    for (route, expected) in [(json!(["codex", "claude"]), "c"), (json!(["claude", "codex"]), "k"), (json!(null), "c")] {
        request["Providers"] = route;
        assert_eq!(picked(&scheduler, &request, now), expected);
    }
    // A provider whose accounts cannot be used leaves the pick to the next one.
    body["items"][0]["routingEligible"] = json!(false);
    follow(&scheduler, &body, now);
    assert_eq!(picked(&scheduler, &request, now), "k");
}

#[test]
fn an_answer_without_a_fresh_list_is_no_ranking() {
    for kind in ["unavailable", "stale"] {
        let mut body = ranking_json(&accounts(3));
        body["source"]["kind"] = json!(kind);
        assert!(Ranking::from_json(body.to_string().as_bytes(), &RandomState::new()).is_err());
    }
    let mut old = ranking_json(&accounts(1));
    old["items"][0].as_object_mut().expect("an item").retain(|name, _| name != "provider" && name != "quotaWindows");
    let ranking = Ranking::from_json(old.to_string().as_bytes(), &RandomState::new()).expect("a ranking");
    assert_eq!(ranking.providers, ["codex"]);
}

#[test]
fn memory_is_bounded_and_counts_right() {
    let keys = RandomState::new();
    let mut memory = Memory::default();
    let now = Instant::now();
    for number in 0..3 * SESSIONS_MAX {
        let session = u64::try_from(number).expect("a number");
        memory.hold(session, AccountKey::of(&auth_name(number % 7), &keys), now + Duration::from_millis(session));
        assert!(memory.counts().0 <= SESSIONS_MAX);
    }
    let held: usize = (0..7).map(|number| memory.others(AccountKey::of(&auth_name(number), &keys), None)).sum();
    assert_eq!(held, memory.counts().0);
    memory.tidy(now + Duration::from_secs(3600));
    assert_eq!(memory.counts(), (0, 0));
}

fn standing(place: usize, (score, routable, avoided, others): (i64, bool, bool, usize), keys: &RandomState) -> Standing {
    let account = Account { provider: 0, rank: place, score, routable, reading: None };
    Standing { place, key: AccountKey::of(&auth_name(place), keys), account, avoided, others }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_choice_is_never_blocked_avoided_or_far_from_the_best(
        pool in prop::collection::vec((0_i64..=100, any::<bool>(), prop::bool::weighted(0.2), 0_usize..20), 0..14),
        in_use in prop::option::of(0_usize..16),
        turn in 0_usize..14,
    ) {
        let keys = RandomState::new();
        let standings: Vec<_> = pool.iter().enumerate().map(|(place, one)| standing(place, *one, &keys)).collect();
        let in_use = in_use.map(|place| AccountKey::of(&auth_name(place), &keys));
        let fitting: Vec<_> = standings.iter().filter(|one| one.account.routable && !one.avoided).collect();
        let chosen = choose(&standings, in_use);
        prop_assert_eq!(chosen.is_some(), !fitting.is_empty());
        let Some(chosen) = chosen else { return Ok(()) };
        let best = fitting.iter().map(|one| one.account.score).max().expect("a best");
        prop_assert!(chosen.account.routable && !chosen.avoided);
        prop_assert!(chosen.account.score >= best - 10);
        let kept = fitting.iter().find(|one| Some(one.key) == in_use && one.account.score >= best - 10);
        if let Some(kept) = kept {
            prop_assert_eq!(kept.key, chosen.key);
        }
        // The order of the candidates does not matter.
        let mut turned = standings.clone();
        turned.rotate_left(turn % standings.len());
        prop_assert_eq!(choose(&turned, in_use).expect("a choice").key, chosen.key);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_pick_is_a_candidate_and_stays_without_changes(
        scores in prop::collection::vec(-1_i64..=100, 0..14),
        candidates in prop::collection::vec(0_usize..18, 0..14),
        sessions in prop::collection::vec(0_usize..5, 1..8),
        refused in prop::collection::vec(0_usize..18, 0..4),
    ) {
        let now = Instant::now();
        let ranked: Vec<_> = scores.iter().enumerate().map(|(number, score)| (auth_name(number), (*score).max(0), *score >= 0)).collect();
        let scheduler = following(&ranking_json(&ranked), now);
        let candidates: Vec<_> = candidates.into_iter().map(auth_name).collect();
        for name in refused {
            scheduler.note_attempt(attempt(&auth_name(name), 429).to_string().as_bytes(), now);
        }
        for session in sessions {
            let request = pick_request(Some(&session.to_string()), &candidates);
            let first = picked(&scheduler, &request, now);
            prop_assert!(first == "built-in" || candidates.contains(&first));
            let routable = |name: &String| ranked.iter().any(|(known, _, routable)| known == name && *routable);
            prop_assert!(first == "built-in" || routable(&first));
            for _ in 0..3 {
                prop_assert_eq!(&picked(&scheduler, &request, now), &first);
            }
        }
    }
}
