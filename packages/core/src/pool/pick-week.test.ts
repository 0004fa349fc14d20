import { expect, it } from 'vitest'
import { evaluateAccount } from '../account/evaluate-account.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { defaultPolicy } from '../evaluate.ts'
import { type Account, accountNamed } from '../facts/account.ts'
import { type AccountEvidence, evidenceFrom } from '../facts/account-evidence.ts'
import { capacityWeightOf } from '../facts/plan.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, plusMs } from '../facts/time.ts'
import { FIVE_HOUR_SECONDS, WEEK_SECONDS } from '../facts/window.ts'
import { aQuotaSample, NOW, randomFrom } from '../testing/builders.ts'
import { type Callers, noCallers, pickForCaller } from './callers.ts'
import { rankAccounts } from './rank-pool.ts'

// A week of a pool whose quota drains by requests. Times are milliseconds since its start.

const PLANS = [...Array<string>(11).fill('plus'), 'prolite']
const CALLERS = 20
/** Mean percent of a Plus account's 5h window that one request costs; five times as much at most. */
const COST_PERCENT = 0.8
/** Percent of 5h windows in a week. */
const WEEK_FACTOR = 6
/** What the callers want, as a share of all quota of the week: more than there is. */
const DEMAND = 1.4
const READ_EVERY_MS = 5 * MINUTE_MS
const EVALUATE_EVERY_MS = 2 * MINUTE_MS
/** Pause of a caller that was refused, or for which there is no account. */
const RETRY_MS = 15_000

interface Window {
  usedPercent: number
  resetAtMs: number | null
}
interface Truth {
  readonly weight: number
  readonly windows: readonly { readonly seconds: number; readonly share: number; state: Window }[]
  lastSuccessMs: number | null
  readAtMs: number
}
type Outcome = Record<'sent' | 'refused' | 'served' | 'switched', number>
const nothing = (): Outcome => ({ sent: 0, refused: 0, served: 0, switched: 0 })
function add(sum: Outcome, one: Outcome): void {
  for (const name of Object.keys(one) as (keyof Outcome)[]) sum[name] += one[name]
}

/** Chooses an account for a caller; null if none may be used. */
type Policy = (
  pool: readonly EvaluatedAccount[],
  caller: { readonly name: string; readonly failed: string | undefined },
  nowMs: number,
) => { readonly item: EvaluatedAccount | null; readonly queryDue: EvaluatedAccount | null }

const byScore = (): Policy => (pool) => ({
  item: pool.find((one) => one.routable) ?? null,
  queryDue: null,
})

function byPick(): Policy {
  let callers: Callers = noCallers
  return (pool, { name, failed }, nowMs) => {
    const request = failed === undefined ? { as: name } : { as: name, failed }
    const { pick, queryDue, ...after } = pickForCaller(pool, request, callers, nowMs)
    callers = after.callers
    return { item: 'item' in pick ? pick.item : null, queryDue }
  }
}

function weekOf(seed: number, policy: Policy): Outcome {
  const random = randomFrom(seed)
  const truths = PLANS.map((plan): Truth => {
    const weekEnds = random() * WEEK_SECONDS * 1000
    return {
      weight: capacityWeightOf(plan),
      windows: [
        { seconds: FIVE_HOUR_SECONDS, share: 1, state: { usedPercent: 0, resetAtMs: null } },
        {
          seconds: WEEK_SECONDS,
          share: 1 / WEEK_FACTOR,
          state: {
            usedPercent: 90 * random() * (1 - weekEnds / (WEEK_SECONDS * 1000)),
            resetAtMs: weekEnds,
          },
        },
      ],
      lastSuccessMs: null,
      readAtMs: -random() * READ_EVERY_MS,
    }
  })
  const accounts = PLANS.map((claimedPlan, index) =>
    accountNamed(`account-${index}`, { claimedPlan }),
  )
  const readings = new Map<string, AccountEvidence>()
  const at = (ms: number): EpochMs => plusMs(NOW, ms)
  const reset = (truth: Truth, nowMs: number) => {
    for (const { state } of truth.windows)
      if (state.resetAtMs !== null && state.resetAtMs <= nowMs)
        Object.assign(state, { usedPercent: 0, resetAtMs: null })
  }
  const read = (index: number, nowMs: number) => {
    const truth = truths[index] as Truth
    reset(truth, nowMs)
    truth.readAtMs = nowMs
    const windows = truth.windows.map(({ seconds, state }) => ({
      id: seconds === FIVE_HOUR_SECONDS ? '5h' : 'week',
      periodSeconds: seconds,
      percent: Math.max(0, 100 - state.usedPercent),
      resetAt: at(state.resetAtMs ?? nowMs + seconds * 1000),
    }))
    const limitReached = truth.windows.some(({ state }) => state.usedPercent >= 100)
    const sample = aQuotaSample({}, { sampledAt: at(nowMs), windows, limitReached })
    readings.set(`account-${index}`, evidenceFrom([sample]))
  }
  let pool: readonly EvaluatedAccount[] = []
  let evaluatedMs = Number.NEGATIVE_INFINITY
  const poolAt = (nowMs: number) => {
    if (nowMs - evaluatedMs < EVALUATE_EVERY_MS) return pool
    evaluatedMs = nowMs
    for (const [index, { readAtMs }] of truths.entries())
      if (nowMs - readAtMs >= READ_EVERY_MS) read(index, nowMs)
    const listed = accounts.map((account, index): Account => {
      const { lastSuccessMs } = truths[index] as Truth
      return { ...account, lastSuccessAt: lastSuccessMs === null ? null : at(lastSuccessMs) }
    })
    pool = rankAccounts(
      listed.map((one) =>
        evaluateAccount(one, readings.get(one.selector.authName) ?? null, defaultPolicy, at(nowMs)),
      ),
    )
    return pool
  }
  const outcome = nothing()
  const callers = Array.from({ length: CALLERS }, (_, index) => ({
    name: `caller-${index}`,
    // Its own, so that it wants the same whatever it is given.
    random: randomFrom(1_000 * (seed + 1) + index),
    failed: undefined as string | undefined,
    last: '',
    nextMs: random() * HOUR_MS,
    dayStartsMs: (8 + 3 * random()) * HOUR_MS,
  }))
  const units = PLANS.reduce((sum, plan) => sum + capacityWeightOf(plan), 0)
  const requestsPerDay = (DEMAND * units * 100 * WEEK_FACTOR) / COST_PERCENT / 7 / CALLERS
  const thinkMs = (10 * HOUR_MS) / requestsPerDay
  for (;;) {
    const caller = callers.reduce((first, one) => (one.nextMs < first.nextMs ? one : first))
    const nowMs = caller.nextMs
    if (nowMs >= 7 * DAY_MS) return outcome
    const ofDayMs = nowMs % DAY_MS
    if (ofDayMs < caller.dayStartsMs || ofDayMs > caller.dayStartsMs + 10 * HOUR_MS) {
      const tomorrow = ofDayMs < caller.dayStartsMs ? 0 : DAY_MS
      caller.nextMs = nowMs - ofDayMs + tomorrow + caller.dayStartsMs + caller.random() * thinkMs
      continue
    }
    const { item, queryDue } = policy(poolAt(nowMs), caller, nowMs)
    caller.failed = undefined
    if (queryDue !== null) {
      read(Number(queryDue.selector.authName.slice('account-'.length)), nowMs)
      evaluatedMs = Number.NEGATIVE_INFINITY
    }
    if (item === null) {
      caller.nextMs = nowMs + RETRY_MS
      continue
    }
    const { authName } = item.selector
    const truth = truths[Number(authName.slice('account-'.length))] as Truth
    reset(truth, nowMs)
    outcome.sent += 1
    if (truth.windows.some(({ state }) => state.usedPercent >= 100)) {
      outcome.refused += 1
      caller.failed = authName
      caller.nextMs = nowMs + RETRY_MS
      continue
    }
    const percent = (Math.min(5, -Math.log(1 - caller.random())) * COST_PERCENT) / truth.weight
    for (const { seconds, share, state } of truth.windows) {
      state.usedPercent += percent * share
      state.resetAtMs ??= nowMs + seconds * 1000
    }
    truth.lastSuccessMs = nowMs
    outcome.served += 1
    if (authName !== caller.last) outcome.switched += 1
    caller.last = authName
    caller.nextMs = nowMs - Math.log(1 - caller.random()) * thinkMs
  }
}

it('a pick with memory meets few refusals where the score alone meets many, and serves no less', () => {
  const total = { score: nothing(), pick: nothing() }
  for (const seed of process.env.TEST_SIZE === 'full' ? [1, 2] : [1]) {
    add(total.score, weekOf(seed, byScore()))
    add(total.pick, weekOf(seed, byPick()))
  }
  const { score, pick } = total
  const refusedPerThousand = ({ refused, sent }: Outcome) => (1_000 * refused) / sent

  expect(refusedPerThousand(pick)).toBeLessThanOrEqual(1.2)
  expect(refusedPerThousand(score)).toBeGreaterThan(3 * refusedPerThousand(pick))
  expect(pick.served).toBeGreaterThanOrEqual(score.served)
  expect(pick.switched / pick.served).toBeLessThan(score.switched / score.served / 3)
})
