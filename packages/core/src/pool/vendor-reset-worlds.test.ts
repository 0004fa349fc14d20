import { expect, it } from 'vitest'
import { windowQuotasOf } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { mergeEvidence } from '../account/merge-evidence.ts'
import { accountNamed } from '../facts/account.ts'
import type { QuotaSample, ReadingOrigin } from '../facts/reading.ts'
import { DAY_MS, epochMs, HOUR_MS, MINUTE_MS, plusMs } from '../facts/time.ts'
import { type MainWindowId, mainWindows } from '../facts/window.ts'
import { aQuotaSample, NOW, randomFrom } from '../testing/builders.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import { nothingSighted, vendorWatchOf } from './vendor-reset.ts'

// Pools whose accounts are used, read and reset as in life, minute by minute. Times are milliseconds since the start. `VENDOR_WORLDS=300` makes
// the runs longer; it is the number of resets, and of days without one.

const WORLDS = Number(process.env.VENDOR_WORLDS ?? (process.env.TEST_SIZE === 'full' ? 7 : 3))
const TIMEOUT_MS = 120_000 + WORLDS * 5_000
const POLL_MS = 5 * MINUTE_MS
const FOUND_WITHIN_MS = 10 * MINUTE_MS

interface Window {
  readonly id: MainWindowId
  readonly lengthMs: number
  used: number
  /** Null while the window has not begun. */
  beganAt: number | null
}
interface Member {
  readonly name: string
  readonly windows: readonly Window[]
  /** Percent of the 5h window that an hour of work costs. */
  readonly appetite: number
  readonly isIdle: boolean
  readonly hasEmail: boolean
  worksUntil: number
  nextPoll: number
  failures: number
  replacedAt: number
  plan: string
  samples: readonly QuotaSample[]
  shown?: Pick<EvaluatedAccount, 'account' | 'selector' | 'plan' | 'capacityWeight' | 'quota'> & {
    readonly sampledAt: number
  }
}
interface World {
  readonly seed: number
  readonly size: number
  readonly days: number
  readonly reset?: { readonly id: MainWindowId; readonly at: number; readonly keepsTime: boolean }
}
interface Found {
  readonly windowId: string
  readonly at: number
}
interface Outcome {
  /** With the time each was found. */
  readonly found: readonly Found[]
  /** Accounts that had something to get back from the reset. */
  readonly ableCount: number
}

function lifeOf({ seed, size, days, reset }: World): Outcome {
  const random = randomFrom(seed)
  const between = (low: number, high: number) => low + (high - low) * random()
  // A few were bought together, so that their weeks end together.
  const sharedStart = -between(0, 7 * DAY_MS)
  const members = Array.from({ length: size }, (_, index): Member => {
    const isIdle = random() < 0.15
    const weekBegan =
      random() < 0.3 ? sharedStart + between(0, 5 * MINUTE_MS) : -between(0, 7 * DAY_MS)
    const window = ({ id, seconds }: (typeof mainWindows)[number]): Window => ({
      id,
      lengthMs: seconds * 1000,
      used: id === 'week' && !isIdle ? between(2, 60) : 0,
      beganAt: id === 'week' && !isIdle ? weekBegan : null,
    })
    return {
      name: `account-${index}`,
      windows: mainWindows.map(window),
      appetite: between(5, 60),
      isIdle,
      hasEmail: random() < 0.8,
      worksUntil: 0,
      nextPoll: between(0, POLL_MS),
      failures: 0,
      replacedAt: 0,
      plan: random() < 0.9 ? 'plus' : 'pro',
      samples: [],
    }
  })

  const refill = (window: Window, keepsTime: boolean) =>
    Object.assign(window, { used: 0, ...(keepsTime ? {} : { beganAt: null }) })
  const goOn = (member: Member, now: number) => {
    for (const window of member.windows)
      if (window.beganAt !== null && window.beganAt + window.lengthMs <= now) refill(window, false)
    if (member.isIdle) return
    const hour = (now / HOUR_MS) % 24
    if (now >= member.worksUntil && random() < (hour > 7 && hour < 20 ? 0.02 : 0.002))
      member.worksUntil = now + between(10, 120) * MINUTE_MS
    if (now >= member.worksUntil || member.windows.some(({ used }) => used >= 100)) return
    const cost = (member.appetite / 60) * between(0, 2)
    for (const window of member.windows) {
      window.beganAt ??= now
      window.used = Math.min(100, window.used + (window.id === 'week' ? cost / 6 : cost))
    }
  }
  const read = (member: Member, now: number, origin: ReadingOrigin) => {
    const jitterMs = random() < 0.02 ? between(-4, 4) * MINUTE_MS : between(-60_000, 60_000)
    const windows = member.windows.map(({ id, lengthMs, used, beganAt }) => ({
      id,
      periodSeconds: lengthMs / 1000,
      percent: 100 - Math.round(used),
      resetAt: plusMs(NOW, (beganAt ?? now) + lengthMs + (beganAt === null ? 0 : jitterMs)),
    }))
    const sample = aQuotaSample({}, { origin, sampledAt: plusMs(NOW, now), windows })
    member.samples = [sample, ...member.samples.filter((one) => one.origin !== origin)]
  }
  const poll = (member: Member, now: number) => {
    if (now < member.nextPoll) return
    if (random() < 0.03) {
      member.nextPoll = now + MINUTE_MS * 2 ** member.failures
      member.failures = Math.min(5, member.failures + 1)
      return
    }
    member.failures = 0
    member.nextPoll = now + POLL_MS * between(0.9, 1.1) + between(0, 20_000)
    read(member, now, 'direct')
  }
  /** Answers of requests bring readings between the polls; some were made minutes ago. A used-up account answers with an error. */
  const answer = (member: Member, now: number) => {
    if (now >= member.worksUntil || random() > 0.2) return
    if (member.windows.some(({ used }) => used >= 100)) read(member, now, 'error-body')
    else if (random() < 0.9) read(member, now, 'headers')
  }
  /** Luck of single accounts: a credit redeemed, another plan, another login in the same file. */
  const strike = (now: number) => {
    const some = () => members[Math.floor(random() * size)]
    if (random() < size / (30 * 24 * 60)) some()?.windows.map((one) => refill(one, false))
    if (random() < 0.2 / (24 * 60)) {
      const member = some()
      member?.windows.map((one) => refill(one, false))
      if (member !== undefined) member.plan = member.plan === 'plus' ? 'team' : 'plus'
    }
    if (random() < 1 / (7 * 24 * 60))
      for (const member of members.filter(({ hasEmail }) => !hasEmail).slice(0, 4)) {
        member.replacedAt = now
        for (const window of member.windows) refill(window, false)
      }
  }

  let state = nothingSighted
  let ableCount = 0
  const found: Found[] = []
  let awayUntil = 0
  for (let now = 0; now < days * DAY_MS; now += MINUTE_MS) {
    if (reset === undefined) strike(now)
    if (random() < 1 / (5 * 24 * 60)) awayUntil = now + between(2, 60) * MINUTE_MS
    if (reset !== undefined) awayUntil = 0
    for (const member of members) goOn(member, now)
    if (reset !== undefined && now === reset.at)
      for (const { windows } of members)
        for (const window of windows) {
          if (window.id !== reset.id) continue
          const endsAt = (window.beganAt ?? 0) + window.lengthMs
          if (
            Math.round(window.used) >= (reset.keepsTime ? 20 : 1) &&
            endsAt > now + 20 * MINUTE_MS
          )
            ableCount += 1
          refill(window, reset.keepsTime)
        }
    if (now < awayUntil) continue
    for (const member of members) {
      poll(member, now)
      answer(member, now)
    }
    const pool = {
      evaluatedAt: plusMs(NOW, now),
      sampleEverySeconds: POLL_MS / 1000,
      pools: [{ accounts: members.map(evaluated) }] as unknown as EvaluatedPool['pools'],
    }
    const next = vendorWatchOf(pool, state, [])
    state = next.watch
    found.push(...next.found.map(({ windowId }) => ({ windowId, at: now })))
  }
  return { found, ableCount }
}

/** The members of an account that the rule reads, as of its last reading. */
function evaluated(member: Member) {
  const sampledAt = Math.max(0, ...member.samples.map((sample) => sample.sampledAt))
  if (member.shown?.sampledAt === sampledAt) return member.shown
  const { name, hasEmail, replacedAt, plan, samples } = member
  const age = { now: epochMs(sampledAt), plannedIntervalSeconds: POLL_MS / 1000 }
  member.shown = {
    sampledAt,
    account: accountNamed(name, {
      email: hasEmail ? `${name}@example.com` : null,
      modifiedAt: plusMs(NOW, replacedAt),
    }),
    selector: { authName: name, authIndex: '', accountKey: name },
    plan,
    capacityWeight: 1,
    quota: windowQuotasOf(mergeEvidence(samples, { kind: 'none' }, age), 6),
  }
  return member.shown
}

const sizeOf = (seed: number) => [3, 5, 6, 9, 14, 25, 40][seed % 7] as number

it(
  'a reset by the vendor is found within 10 min, once, and of the right window',
  () => {
    const late: number[] = []
    const bySize = new Map<number, { found: number; of: number }>()
    let extra = 0
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const size = sizeOf(seed)
      const random = randomFrom(seed * 31)
      const id = seed % 3 === 0 ? ('5h' as const) : ('week' as const)
      // 5h windows have begun by noon.
      const at = DAY_MS + (id === '5h' ? 12 * 60 : Math.floor(random() * 1_380)) * MINUTE_MS
      const reset = { id, at, keepsTime: random() < 0.2 }
      const { found, ableCount } = lifeOf({ seed, size, days: 2, reset })
      // Where fewer had something to get back there is nothing to find.
      if (ableCount < 3) continue
      const ours = found.filter((one) => one.windowId === id && one.at >= at)
      extra += found.length - Math.min(1, ours.length)
      const row = bySize.get(size) ?? { found: 0, of: 0 }
      bySize.set(size, row)
      row.of += 1
      if (ours[0] !== undefined && ours[0].at - at <= FOUND_WITHIN_MS) row.found += 1
      else late.push(seed)
    }
    const of = [...bySize.values()].reduce((sum, row) => sum + row.of, 0)
    if (process.env.VENDOR_WORLDS !== undefined)
      console.log({ of, late: late.length, extra, bySize })
    expect(of).toBeGreaterThan(WORLDS / 2)
    expect(late.length / of).toBeLessThanOrEqual(0.05)
    expect(extra).toBe(0)
  },
  TIMEOUT_MS,
)

it(
  'nothing else is taken for one: at most one false alarm in a month',
  () => {
    let alarms = 0
    let days = 0
    for (let seed = 1; days < WORLDS; seed += 1) {
      const life = { seed: seed + 9_000, size: sizeOf(seed), days: 5 }
      alarms += lifeOf(life).found.length
      days += life.days
    }
    if (process.env.VENDOR_WORLDS !== undefined) console.log({ days, alarms })
    expect(alarms / (days / 30)).toBeLessThanOrEqual(1)
  },
  TIMEOUT_MS,
)
