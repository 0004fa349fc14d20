import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account, AccountEvidence } from '@svc/core'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { healthView, recommendationsView, statusFrameView } from '@svc/views'
import { expect, it } from 'vitest'
import { contextIn } from '../testing/encoded-payloads.ts'

type Entry = readonly [Account, AccountEvidence | null]

/** Codex accounts in every state there is. */
const pool: readonly Entry[] = [
  one('fresh', {}, { fiveHour: 91, week: 77, fiveHourResetsInSeconds: 9_000 }),
  one('reclaim', {}, { fiveHour: 80, fiveHourResetsInSeconds: 1_500, weekResetsInSeconds: 90_000 }),
  one(
    'low',
    {},
    { fiveHour: 3, week: 1, fiveHourResetsInSeconds: 600, weekResetsInSeconds: 9_000 },
  ),
  one('stale', {}, { ageSeconds: 7_200 }),
  one('rolled', {}, { fiveHour: 12, fiveHourResetsInSeconds: -60, ageSeconds: 200 }),
  one('spent5h', {}, { fiveHour: 0, fiveHourResetsInSeconds: 5_400 }),
  one('spentweek', {}, { week: 0, weekResetsInSeconds: 200_000 }),
  one('weekly', { claimedPlan: 'pro' }, { fiveHour: null, week: 64 }),
  one('free', { claimedPlan: 'free' }, { week: 40 }),
  one('team', { claimedPlan: 'team', subscribedUntil: fromNow(40_000) }, {}),
  one('off', { operatorDisabled: true, upstreamStatus: 'disabled' }, {}),
  one('degraded', { upstreamStatus: 'error', lastSuccessAt: fromNow(-90) }, {}),
  one('held', { unavailable: true, upstreamStatus: 'error', nextRetryAt: fromNow(900) }, {}),
  one(
    'resting',
    { message: { kind: 'quota' }, messageAt: fromNow(-20), nextRetryAt: fromNow(40) },
    {},
  ),
  one(
    'limited',
    {
      message: { kind: 'usage_limit', resetsAt: fromNow(7_000), observedAt: fromNow(-600) },
      messageAt: fromNow(-600),
    },
    { ageSeconds: 900 },
  ),
  one('dead', {
    message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
    messageAt: fromNow(-60),
  }),
  one('gone', {
    message: { kind: 'auth_fault', code: 'payment_required', deactivated: true },
    messageAt: fromNow(-60),
  }),
  one('remembered', {
    provenAt: null,
    verdict: {
      origin: 'record',
      at: fromNow(-600),
      message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
      retryAt: null,
      inARow: 1,
    },
  }),
  [anAccount('unread'), null],
  [
    anAccount('failing'),
    { ...evidenceOf([]), probeFailure: { at: NOW, kind: 'failed', httpStatus: 500, inARow: 3 } },
  ],
  [anAccount('review'), evidenceOf([withFurtherWindows()])],
]

function one(
  name: string,
  changes: Partial<Account>,
  shape?: Parameters<typeof aQuotaSample>[0],
): Entry {
  return [
    anAccount(name, { email: `${name}@example.com`, ...changes }),
    shape === undefined
      ? null
      : evidenceOf([aQuotaSample(shape, { plan: changes.claimedPlan ?? 'plus' })]),
  ]
}

/** A sample with a limit of its own for reviews, and a spend limit that is reached. */
function withFurtherWindows() {
  const sample = aQuotaSample({})
  const review = {
    id: 'code_review:week',
    periodSeconds: 604_800,
    percent: 25,
    resetAt: fromNow(500),
  }
  return {
    ...sample,
    windows: [...sample.windows, review],
    spendReached: { resetAt: fromNow(9_000) },
  }
}

/** A digest of all values that a document has at each path, whatever their place in lists. */
function digestsOf(document: unknown): ReadonlyMap<string, string> {
  const values = new Map<string, string[]>()
  const walk = (value: unknown, path: string, place: string) => {
    const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (!isBranch) {
      values.set(path, [...(values.get(path) ?? []), `${place} ${JSON.stringify(value)}`])
      return
    }
    for (const [key, member] of Object.entries(value))
      if (Array.isArray(value)) walk(member, `${path}[]`, `${place}.${key}`)
      else walk(member, path === '' ? key : `${path}.${key}`, place)
  }
  walk(JSON.parse(JSON.stringify(document)), '', '')
  return new Map(
    [...values].map(([path, all]) => [
      path,
      createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 12),
    ]),
  )
}

/** Digests of the answers about this pool that the last version with one provider gave; never made anew. */
const GOLDEN = join(import.meta.dirname, 'codex-only.json')

it('says of a pool of Codex alone what it said before, and a little more', () => {
  const snapshot = aSnapshot(pool)
  const context = contextIn()
  const now = digestsOf({
    recommendations: recommendationsView(snapshot, context),
    health: healthView(snapshot, context),
    status: statusFrameView(snapshot, context),
  })
  const before = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Readonly<Record<string, string>>

  const kept = Object.fromEntries(Object.keys(before).map((path) => [path, now.get(path)]))
  expect(kept).toEqual(before)
  const added = [...now.keys()].filter((path) => !(path in before))
  expect(new Set(added.map((path) => path.replace(/\[.*/, '')))).toEqual(
    new Set([
      // Limits of models and features.
      'recommendations.items',
      'recommendations.provider',
      'recommendations.pools',
      'health.provider',
      'health.pools',
      // Banked resets of the pool.
      'health.bankedResets',
      // Providers of an action.
      'health.actions',
      // Quota that becomes usable.
      'status.tabs.trends.windows',
    ]),
  )
})
