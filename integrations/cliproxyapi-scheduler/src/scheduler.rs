//! Answers to picks, from a table and a memory that are both in this process: no question, no wait.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::choice::{Standing, choose};
use crate::memory::Memory;
use crate::ranking::{AccountKey, Ranking};
use crate::wire::{Attempt, PickRequest, pick_answer};

/// Age after which a ranking is no longer followed.
const FRESH: Duration = Duration::from_secs(30);
/// Largest count of a report, which has nine digits at most.
const REPORTED_MAX: u64 = 999_999_999;
/// Statuses of a refusal whose reason is the account, not the request.
const REFUSED: [i64; 3] = [401, 402, 429];

/// The ranking, and what sessions were given.
#[derive(Default)]
pub struct Scheduler {
    /// Keys of all hashes, random in each process.
    pub keys: RandomState,
    state: Mutex<State>,
    /// Picks that were asked for, and those that named an account, since the last report that arrived.
    counts: [AtomicU64; 2],
}

#[derive(Default)]
struct State {
    /// The ranking, and when the monitor last said that it holds.
    table: Option<(Arc<Ranking>, Instant)>,
    memory: Memory,
}

impl Scheduler {
    /// Follows a ranking from now on; `None` follows none.
    pub fn follow(&self, ranking: Option<Ranking>, now: Instant) {
        let table = ranking.map(|ranking| (Arc::new(ranking), now));
        let before = std::mem::replace(&mut self.state().table, table);
        // Taking a large table apart holds up no pick.
        drop(before);
    }

    /// Notes that the ranking has not changed.
    pub fn confirm(&self, now: Instant) {
        if let Some((_, confirmed_at)) = &mut self.state().table {
            *confirmed_at = now;
        }
    }

    /// The ranking that picks follow now, and for how long they will; `None` if it is missing or too old.
    pub fn followed(&self, now: Instant) -> Option<(Arc<Ranking>, Duration)> {
        self.state().followed(now)
    }

    /// Answers `scheduler.pick` with one of its candidates or with the proxy's own strategy, never with an error.
    pub fn pick(&self, request: &[u8], now: Instant) -> Vec<u8> {
        let request: Option<PickRequest> = serde_json::from_slice(request).ok();
        let place = request.as_ref().and_then(|request| self.place_of_pick(request, now));
        let candidates = request.as_ref().and_then(|request| request.candidates.as_ref());
        let picked = place.and_then(|place| candidates?.get(place));
        self.count([1, u64::from(picked.is_some())]);
        pick_answer(picked.map(|candidate| candidate.id.as_ref()))
    }

    /// What the monitor is told with a question, and the counts in it, which are to be added again if it does not arrive.
    pub fn report(&self, now: Instant) -> (String, [u64; 2]) {
        let counts = [&self.counts[0], &self.counts[1]].map(|count| count.swap(0, Relaxed));
        let [asked, picked] = counts.map(|count| count.min(REPORTED_MAX));
        (format!("asked={asked}; picked={picked}; follows={}", self.followed(now).is_some()), counts)
    }

    /// Adds picks that were asked for, and those that named an account.
    pub fn count(&self, more: [u64; 2]) {
        self.counts.iter().zip(more).for_each(|(count, more)| _ = count.fetch_add(more, Relaxed));
    }

    /// Place of the picked candidate: of the first provider that has an account to use, for scores of two do not compare.
    fn place_of_pick(&self, request: &PickRequest, now: Instant) -> Option<usize> {
        let session = request.session();
        let mut state = self.state();
        let (ranking, _) = state.followed(now)?;
        let memory = &mut state.memory;
        memory.tidy(now);
        let known = self.known_candidates(request, &ranking);
        provider_order(request, &ranking, &known).into_iter().find_map(|(_, provider)| {
            let session = session.map(|session| self.keys.hash_one((session, ranking.providers.get(provider))));
            let standing = |one: &Standing| {
                let (avoided, others) = (memory.avoids(one.key, &one.account, now), memory.others(one.key, session));
                Standing { avoided, others, ..*one }
            };
            let standings: Vec<_> = known.iter().filter(|one| one.account.provider == provider).map(standing).collect();
            let picked = choose(&standings, session.and_then(|session| memory.in_use(session, now)))?;
            session.into_iter().for_each(|session| memory.hold(session, picked.key, now));
            Some(picked.place)
        })
    }

    /// Candidates that the ranking knows, as if nobody used them.
    fn known_candidates(&self, request: &PickRequest, ranking: &Ranking) -> Vec<Standing> {
        let candidates = request.candidates.iter().flatten().enumerate();
        let known = candidates.filter_map(|(place, candidate)| {
            let key = AccountKey::of(&candidate.id, &self.keys);
            let account = *ranking.accounts.get(&key)?;
            Some(Standing { place, key, account, avoided: false, others: 0 })
        });
        known.collect()
    }

    /// Takes note of `usage.handle`: an account that refused is left alone for a while.
    pub fn note_attempt(&self, request: &[u8], now: Instant) {
        let Ok(attempt) = serde_json::from_slice::<Attempt>(request) else { return };
        if attempt.failed && attempt.failure.is_some_and(|failure| REFUSED.contains(&failure.status_code)) {
            let key = AccountKey::of(&attempt.auth_id, &self.keys);
            let mut state = self.state();
            if let Some(account) = state.table.as_ref().and_then(|(ranking, _)| ranking.accounts.get(&key).copied()) {
                state.memory.refuse(key, &account, now);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn followed(&self, now: Instant) -> Option<(Arc<Ranking>, Duration)> {
        let (ranking, confirmed_at) = self.table.as_ref()?;
        let left = FRESH.checked_sub(now.saturating_duration_since(*confirmed_at))?;
        Some((Arc::clone(ranking), left))
    }
}

/// Providers of known candidates: those of the route in its order, then the others.
fn provider_order(request: &PickRequest, ranking: &Ranking, known: &[Standing]) -> BTreeSet<(usize, usize)> {
    let route = || request.providers.iter().flatten();
    let place_in_route = |name: &String| route().position(|text| text.0.eq_ignore_ascii_case(name));
    let place = |provider: usize| ranking.providers.get(provider).and_then(place_in_route).unwrap_or(usize::MAX);
    known.iter().map(|one| (place(one.account.provider), one.account.provider)).collect()
}
