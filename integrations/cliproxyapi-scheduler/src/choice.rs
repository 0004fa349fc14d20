//! The account for the next attempt. See docs/rules.md#picking.

use std::cmp::Reverse;

use crate::ranking::{Account, AccountKey};

/// Points below the best account within which an account is as good.
const NEAR_POINTS: i64 = 10;
/// Points that an account counts less for each other session that was given it last.
const OTHER_SESSION_POINTS: i64 = 2;

/// A candidate that the monitor knows.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Place among the candidates of the request.
    pub place: usize,
    pub key: AccountKey,
    pub account: Account,
    /// An earlier attempt was refused, and nothing newer is known.
    pub avoided: bool,
    /// Number of other sessions that were given it last.
    pub others: usize,
}

/// The pick among accounts of one provider, never a blocked or an avoided one: the account in use while it is within 10 points of
/// the best, else of those within 10 points the best after what other sessions take; `None` if no account may be used.
pub fn choose(standings: &[Standing], in_use: Option<AccountKey>) -> Option<&Standing> {
    let fitting = || standings.iter().filter(|one| one.account.routable && !one.avoided);
    let least = fitting().map(|one| one.account.score).max()?.saturating_sub(NEAR_POINTS);
    let near = || fitting().filter(|one| one.account.score >= least);
    let spread = |one: &&Standing| {
        let taken = OTHER_SESSION_POINTS.saturating_mul(i64::try_from(one.others).unwrap_or(i64::MAX));
        (Reverse(one.account.score.saturating_sub(taken)), one.account.rank)
    };
    near().find(|one| Some(one.key) == in_use).or_else(|| near().min_by_key(spread))
}
