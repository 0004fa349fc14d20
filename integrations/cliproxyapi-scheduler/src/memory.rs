//! Accounts that sessions use and that have refused: in memory alone, as keyed hashes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::ranking::{Account, AccountKey};

/// Time after its last pick for which a session is remembered, and the longest time for which an account is avoided.
const REMEMBERED: Duration = Duration::from_secs(15 * 60);
/// Most sessions that are remembered.
pub const SESSIONS_MAX: usize = 10_000;
/// Least time for which an account that refused is avoided.
const AVOIDED_MIN: Duration = Duration::from_secs(60);
/// Pause between two searches for what is too old.
const TIDY_EVERY: Duration = Duration::from_secs(10);

struct Held {
    account: AccountKey,
    at: Instant,
}

struct Refusal {
    /// The account's last reading then.
    reading: Option<u64>,
    at: Instant,
}

/// Sessions and refusals of the last 15 minutes.
#[derive(Default)]
pub struct Memory {
    sessions: HashMap<u64, Held>,
    /// Number of sessions by account, never 0.
    users: HashMap<AccountKey, usize>,
    refusals: HashMap<AccountKey, Refusal>,
    tidied_at: Option<Instant>,
}

impl Memory {
    /// The account that a session was given last.
    pub fn in_use(&self, session: u64, now: Instant) -> Option<AccountKey> {
        let held = self.sessions.get(&session)?;
        (now.saturating_duration_since(held.at) < REMEMBERED).then_some(held.account)
    }

    /// Number of sessions that were given an account last, without this one.
    pub fn others(&self, account: AccountKey, session: Option<u64>) -> usize {
        let own = session.and_then(|session| self.sessions.get(&session)).is_some_and(|held| held.account == account);
        self.users.get(&account).map_or(0, |count| count.saturating_sub(usize::from(own)))
    }

    /// Notes what a session was given.
    pub fn hold(&mut self, session: u64, account: AccountKey, now: Instant) {
        if self.sessions.len() >= SESSIONS_MAX && !self.sessions.contains_key(&session) {
            let mut times: Vec<Instant> = self.sessions.values().map(|held| held.at).collect();
            // The oldest tenth at once, so that a search is rare.
            let tenth = *times.select_nth_unstable(SESSIONS_MAX / 10).1;
            self.forget_until(tenth);
        }
        if let Some(before) = self.sessions.insert(session, Held { account, at: now }) {
            leave(&mut self.users, before.account);
        }
        *self.users.entry(account).or_default() += 1;
    }

    /// Notes that an account refused a request.
    pub fn refuse(&mut self, key: AccountKey, account: &Account, now: Instant) {
        self.refusals.insert(key, Refusal { reading: account.reading, at: now });
    }

    /// Whether an account is left alone after a refusal: until there is a newer reading, a minute at least and 15 minutes at most.
    pub fn avoids(&self, key: AccountKey, account: &Account, now: Instant) -> bool {
        self.refusals.get(&key).is_some_and(|refusal| {
            let since = now.saturating_duration_since(refusal.at);
            since < AVOIDED_MIN || (account.reading == refusal.reading && since < REMEMBERED)
        })
    }

    /// Forgets what is too old, at most every ten seconds.
    pub fn tidy(&mut self, now: Instant) {
        if self.tidied_at.is_none_or(|at| now.saturating_duration_since(at) >= TIDY_EVERY) {
            self.tidied_at = Some(now);
            now.checked_sub(REMEMBERED).into_iter().for_each(|limit| self.forget_until(limit));
        }
    }

    fn forget_until(&mut self, limit: Instant) {
        for (_, held) in self.sessions.extract_if(|_, held| held.at <= limit) {
            leave(&mut self.users, held.account);
        }
        self.refusals.retain(|_, refusal| refusal.at > limit);
    }

    /// Number of sessions and of accounts that they use.
    pub fn counts(&self) -> (usize, usize) {
        (self.sessions.len(), self.users.len())
    }
}

fn leave(users: &mut HashMap<AccountKey, usize>, account: AccountKey) {
    if let Some(count) = users.get_mut(&account).filter(|count| **count > 1) {
        *count -= 1;
    } else {
        users.remove(&account);
    }
}
