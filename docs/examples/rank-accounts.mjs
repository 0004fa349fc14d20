// Ranks accounts that a script knows itself, with the rules of the monitor and without a monitor running.
// Needs only @svc/core: node rank-accounts.mjs
import {
  accountNamed,
  defaultPolicy,
  epochMs,
  evidenceFrom,
  FIVE_HOUR_SECONDS,
  pickAccount,
  plusMs,
  rankPool,
  WEEK_SECONDS,
} from '@svc/core'

const now = epochMs(Date.parse('2026-11-20T12:00:00Z'))
const inMinutes = (minutes) => plusMs(now, minutes * 60_000)

/** One reading of an account's two windows: percent left, and minutes until each resets. */
const sample = (fiveHour, week) => ({
  origin: 'direct',
  sampledAt: now,
  plan: null,
  windows: [
    {
      id: '5h',
      periodSeconds: FIVE_HOUR_SECONDS,
      percent: fiveHour.percent,
      resetAt: inMinutes(fiveHour.resetsInMinutes),
    },
    {
      id: 'week',
      periodSeconds: WEEK_SECONDS,
      percent: week.percent,
      resetAt: inMinutes(week.resetsInMinutes),
    },
  ],
  unreadableWindowCount: 0,
  limitReached: false,
  spendReached: null,
})

const pool = [
  [
    accountNamed('ada', { claimedPlan: 'plus' }),
    sample({ percent: 82, resetsInMinutes: 40 }, { percent: 38, resetsInMinutes: 2_000 }),
  ],
  [
    accountNamed('brook', { claimedPlan: 'team' }),
    sample({ percent: 31, resetsInMinutes: 200 }, { percent: 75, resetsInMinutes: 8_000 }),
  ],
  [
    accountNamed('casey', { claimedPlan: 'prolite' }),
    sample({ percent: 0, resetsInMinutes: 90 }, { percent: 50, resetsInMinutes: 5_000 }),
  ],
  [
    accountNamed('drew', { claimedPlan: 'plus', operatorDisabled: true }),
    sample({ percent: 100, resetsInMinutes: 300 }, { percent: 100, resetsInMinutes: 10_000 }),
  ],
]

const evidence = new Map(
  pool.map(([account, reading]) => [account.selector.authName, evidenceFrom([reading])]),
)
const ranked = rankPool(
  pool.map(([account]) => account),
  evidence,
  defaultPolicy,
  now,
)

for (const [index, account] of ranked.entries()) {
  const verdict = account.routable
    ? `score ${account.score}`
    : `blocked: ${account.blockedReasons.join(', ')}`
  console.log(`${index + 1}. ${account.title} (${account.plan}) ${verdict}`)
}

// The account in use is kept while it is within 10 points of the best.
const pick = pickAccount(ranked, { keep: 'brook', avoid: [] })
console.log(pick.none ? `none: ${pick.reason}` : `use ${pick.item.title}: ${pick.reason}`)
