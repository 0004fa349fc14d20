//! The ranking of the monitor as a table by account.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use serde::Deserialize;

/// Most accounts that a table holds.
const ACCOUNTS_MAX: usize = 20_000;
/// Provider of an item that names none, as of a monitor that knows Codex alone.
const DEFAULT_PROVIDER: &str = "codex";

/// Hash of the name of an auth file, with random keys of this process, so that no name is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccountKey(u64);

impl AccountKey {
    pub fn of(auth_name: &str, keys: &RandomState) -> Self {
        // On Windows the proxy lower-cases the names of its files.
        Self(if cfg!(windows) { keys.hash_one(auth_name.to_lowercase()) } else { keys.hash_one(auth_name) })
    }
}

/// The monitor's view of one account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Place of its provider in `Ranking::providers`. Scores of two providers do not compare.
    pub provider: usize,
    /// Place in the answer, best first.
    pub rank: usize,
    /// 0 to 100.
    pub score: i64,
    pub routable: bool,
    /// Hash of the time of its last reading; `None` without one.
    pub reading: Option<u64>,
}

/// Accounts of every provider that the monitor ranks.
#[derive(Debug, Default)]
pub struct Ranking {
    pub accounts: HashMap<AccountKey, Account>,
    pub providers: Vec<String>,
}

impl Ranking {
    /// Reads an answer of `/api/v1/recommendations`. An error says why it is of no use, in words that hold nothing of it.
    pub fn from_json(body: &[u8], keys: &RandomState) -> Result<Self, &'static str> {
        let answer: Answer = serde_json::from_slice(body).map_err(|_| "the monitor's answer is not a ranking")?;
        if matches!(answer.source.kind.as_ref(), "unavailable" | "stale") {
            return Err("the monitor has no fresh list of accounts");
        }
        let (mut ranking, mut places) = (Self::default(), HashMap::new());
        for (rank, item) in answer.items.into_iter().take(ACCOUNTS_MAX).enumerate() {
            let name = item.provider.as_deref().unwrap_or(DEFAULT_PROVIDER);
            let provider = *places.entry(name.to_owned()).or_insert_with(|| {
                ranking.providers.push(name.to_owned());
                ranking.providers.len() - 1
            });
            let read_at = item.quota_windows.iter().flatten().filter_map(|window| window.sampled_at.as_deref()).max();
            let reading = read_at.map(|instant| keys.hash_one(instant));
            let account = Account { provider, rank, score: item.routing_score, routable: item.routing_eligible, reading };
            // A file of several proxies is listed once for each, the best first.
            ranking.accounts.entry(AccountKey::of(&item.selector.auth_name, keys)).or_insert(account);
        }
        Ok(ranking)
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    source: Source<'a>,
    items: Vec<Item<'a>>,
}

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    selector: Selector<'a>,
    provider: Option<Cow<'a, str>>,
    routing_score: i64,
    routing_eligible: bool,
    quota_windows: Option<Vec<Window<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Selector<'a> {
    #[serde(borrow)]
    auth_name: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Window<'a> {
    #[serde(borrow)]
    sampled_at: Option<Cow<'a, str>>,
}
