import { type EpochMs, FIVE_HOUR_SECONDS, WEEK_SECONDS } from '@svc/core'
import { aFakeAccount, type FakeAccount, type FakeAccountShape } from './fake-account.ts'
import { aFakeQuota, type FakeQuota, type FakeQuotaForm, isQuotaForm } from './fake-quota.ts'
import { recordFailure, recordSuccess, settleAccount, slotNumberAt } from './fake-traffic.ts'
import { aFakeWindow, fakeWindows } from './vendors/fake-window.ts'
import type { VendorBehaviour } from './vendors/vendor.ts'

/** Settles accounts without recording usage. */
const noUsage = () => undefined

/** The thirteen accounts of the recorded list, in the states they had after forty requests, as of `now`. */
export function samplePool(now: EpochMs): FakeAccount[] {
  const pool = [
    sampleAccount(1, { quota: aFakeQuota('two_windows') }),
    sampleAccount(2, { plan: 'team', quota: aFakeQuota('two_windows', { used: [55, 71] }) }),
    sampleAccount(3, { quota: aFakeQuota('exhausted_5h') }),
    sampleAccount(4, { plan: 'pro', quota: aFakeQuota('weekly_only') }),
    sampleAccount(5, {
      plan: 'free',
      quota: aFakeQuota('free', { used: [100], resets: [400_000] }),
    }),
    sampleAccount(6, { plan: 'prolite', vendor: 'token_invalidated' }),
    sampleAccount(7, { plan: 'team', vendor: 'deactivated_workspace' }),
    sampleAccount(8, { vendor: 'cloudflare_challenge' }),
    sampleAccount(9, { vendor: 'server_error' }),
    sampleAccount(10, { disabled: true }),
    sampleAccount(11, { idTokenReadable: false }),
    sampleAccount(12, {
      provider: 'claude',
      fileName: 'claude-5ba39b7c-user12@example.com-plus.json',
      priority: 5,
    }),
    sampleAccount(13, { vendor: 'network_dead', note: 'dead network', priority: 3, weight: 2 }),
  ]
  const outcomes: readonly (readonly [success: number, failed: number])[] = [
    [11, 0],
    [10, 0],
    [0, 7],
    [9, 0],
    [0, 7],
    [0, 4],
    [0, 2],
    [0, 2],
    [0, 7],
    [0, 0],
    [10, 0],
    [0, 0],
    [0, 13],
  ]
  for (const [index, account] of pool.entries()) {
    const [success, failed] = outcomes[index] ?? [0, 0]
    settleAccount(account, now, noUsage)
    for (let sent = 0; sent < success; sent += 1) recordSuccess(account, now, noUsage)
    for (let sent = 0; sent < failed; sent += 1) recordFailure(account, now, noUsage)
    // Recorded with one model refused and another never tried: only the message shows that the login is dead.
    if (account.vendor === 'token_invalidated')
      Object.assign(account, { unavailable: false, nextRetryAt: null })
  }
  return pool
}

function sampleAccount(number: number, shape: Omit<FakeAccountShape, 'name'>): FakeAccount {
  const accountId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return aFakeAccount({
    name: `user${number}`,
    accountId,
    token: `fake-at-sample-${number}`,
    ...shape,
  })
}

const LIVE_PLANS = [
  'plus',
  'team',
  'pro',
  'plus',
  'prolite',
  'free',
  'plus',
  'business',
  'plus',
  'go',
  'edu',
  'enterprise',
] as const

/** Problems of some of every 25 accounts of a live pool, by position. */
const LIVE_TROUBLE: Readonly<Record<number, FakeQuotaForm | VendorBehaviour | 'disabled'>> = {
  3: 'exhausted_5h',
  8: 'exhausted_week',
  10: 'spend_reached',
  13: 'token_invalidated',
  15: 'disabled',
  18: 'deactivated_workspace',
  19: 'network_dead',
  22: 'cloudflare_challenge',
}

/**
 * A pool that changes as time passes: every plan, a few blocked accounts, traffic that burns quota, resets near and far. The last
 * of every 25 accounts is an older file of the first one. Equal `count` and `now` give equal pools.
 */
export function livePool(count: number, now: EpochMs): FakeAccount[] {
  const pool: FakeAccount[] = []
  for (let index = 0; index < count; index += 1)
    pool.push(liveAccount(index, now, index % 25 === 24 ? pool[index - 24] : undefined))
  return pool
}

function liveAccount(index: number, now: EpochMs, newer: FakeAccount | undefined): FakeAccount {
  const place = index % 25
  const trouble = LIVE_TROUBLE[place]
  const plan = LIVE_PLANS[index % LIVE_PLANS.length] ?? 'plus'
  const requestsPerHour = 24 + ((index * 29) % 90)
  const account = aFakeAccount({
    name: `user${index + 1}`,
    plan,
    disabled: trouble === 'disabled',
    requestsPerHour,
    quota: liveQuota(index, plan),
    ...(newer === undefined ? {} : olderFileOf(newer)),
  })
  applyTrouble(account, trouble)
  const currentSlot = slotNumberAt(now)
  for (let slot = currentSlot - 19; slot < currentSlot; slot += 1) {
    const success =
      trouble === undefined ? Math.round(requestsPerHour / 6) + ((slot + index) % 3) : 0
    const failed = (slot + index) % 11 === 0 ? 1 : 0
    account.outcomesBySlot.set(slot, { success, failed })
    account.success += success
    account.failed += failed
  }
  return account
}

/** A login after a plan change leaves two files of one account, which share one quota; requests go through the newer file. */
function olderFileOf(newer: FakeAccount): Omit<FakeAccountShape, 'name'> {
  const { email, accountId, vendorPlan, quota } = newer
  return { email, accountId, plan: 'free', vendorPlan, quota, requestsPerHour: 0 }
}

function liveQuota(index: number, plan: string): FakeQuota {
  const fiveHourRunning = index % 8 !== 1
  const fiveHour = aFakeWindow({
    seconds: FIVE_HOUR_SECONDS,
    usedPercent: fiveHourRunning ? (index * 37) % 85 : 0,
    percentPerRequest: 0.3,
    resetsInSeconds: fiveHourRunning ? 300 + ((index * 4_117) % 17_000) : null,
  })
  const week = aFakeWindow({
    seconds: WEEK_SECONDS,
    usedPercent: (index * 23) % 80,
    percentPerRequest: 0.05,
    resetsInSeconds: 3_000 + ((index * 53_777) % 600_000),
  })
  switch (plan) {
    case 'pro':
      return { ...aFakeQuota('weekly_only'), main: [week] }
    case 'free':
      return { ...aFakeQuota('free'), main: [week] }
    case 'enterprise':
      return aFakeQuota('monthly')
    case 'edu':
      return { ...aFakeQuota('code_review'), main: [fiveHour, week] }
    default:
      return { ...aFakeQuota('two_windows'), main: [fiveHour, week] }
  }
}

function applyTrouble(
  account: FakeAccount,
  trouble: FakeQuotaForm | VendorBehaviour | 'disabled' | undefined,
): void {
  if (trouble === undefined || trouble === 'disabled') return
  if (isQuotaForm(trouble)) account.quota = aFakeQuota(trouble)
  else account.vendor = trouble
}

type State = Omit<FakeAccountShape, 'name'>

/** States of the accounts that follow the ordinary one, in turn, by provider. */
const STATES: Readonly<Record<string, readonly State[]>> = {
  claude: [
    { plan: 'pro', windows: fakeWindows({ '5h': 64, week: 91.5, 'opus:week': 100 }) },
    { plan: 'max_5x', windows: fakeWindows({ '5h': 100, week: 47 }) },
    {
      plan: 'team',
      shape: 'legacy',
      windows: fakeWindows({ '5h': 3, week: 12, 'premium:week': 100 }),
    },
    {
      plan: 'enterprise',
      shape: 'enterprise',
      windows: fakeWindows({ 'extra_usage:month': 24.8 }),
    },
    { vendor: 'scope_missing', note: 'setup token' },
    { vendor: 'token_revoked' },
    { vendor: 'token_expired' },
  ],
  xai: [
    { plan: 'SuperGrok Heavy', windows: fakeWindows({ month: 12 }) },
    { plan: 'Free', windows: fakeWindows({ day: 35 }) },
    { shape: 'no_percent' },
    { plan: 'Free', windows: fakeWindows({ day: 100 }) },
    { windows: fakeWindows({ week: 100 }) },
    { hasEmail: false, windows: fakeWindows({ week: 0 }) },
    { vendor: 'token_invalidated' },
  ],
  kimi: [
    { shape: 'B', note: 'Kimi of the lab' },
    { shape: 'C', plan: 'LEVEL_BASIC' },
    { windows: fakeWindows({ '5h': 0, week: 100 }) },
    { shape: 'C_stuck', windows: fakeWindows({ '5h': 80, week: 95 }) },
    { vendor: 'token_expired' },
  ],
  antigravity: [
    { windows: fakeWindows({ 'gemini:5h': 20, 'gemini:week': 100, '3p:5h': 5, '3p:week': 40 }) },
    { plan: 'free-tier', windows: fakeWindows({ 'gemini:week': 15, '3p:week': 60 }) },
    { shape: 'wrapped', projectId: null },
    { vendor: 'terms_violated' },
    { vendor: 'token_invalidated' },
    { shape: 'empty' },
  ],
}

/**
 * A pool of all six providers with `perProvider` accounts each: every plan and form of an answer, used-up windows, dead logins, one disabled account
 * in 25. Accounts of one number share an e-mail across providers. Equal arguments give equal pools.
 */
export function mixedPool(perProvider: number, now: EpochMs): FakeAccount[] {
  const others = ['claude', 'xai', 'kimi', 'kimi-ai', 'antigravity'].flatMap((provider) =>
    Array.from({ length: perProvider }, (_, index) => mixedAccount(provider, index, now)),
  )
  return [...livePool(perProvider, now), ...others]
}

function mixedAccount(provider: string, index: number, now: EpochMs): FakeAccount {
  const states = STATES[provider === 'kimi-ai' ? 'kimi' : provider] ?? []
  // Every other account is an ordinary one.
  const { windows, ...state } = (index % 2 === 1 && states[((index - 1) / 2) % states.length]) || {}
  const requestsPerHour = 6 + ((index * 29) % 60)
  const account = aFakeAccount({
    name: `user${index + 1}`,
    provider,
    disabled: index % 25 === 20,
    requestsPerHour,
    ...state,
    // Accounts change their windows in place, so each has its own.
    ...(windows !== undefined && { windows: structuredClone(windows) }),
  })
  const ordinary = windows === undefined && account.shape === 'usual'
  for (const [place, window] of Object.values(account.windows).entries()) {
    window.percentPerRequest = 0.1
    if (!ordinary) continue
    window.usedPercent = (index * 17 + place * 31) % 80
    window.clock = { kind: 'ends_in', seconds: window.seconds * (0.05 + ((index * 7) % 90) / 100) }
  }
  const currentSlot = slotNumberAt(now)
  for (let slot = currentSlot - 19; slot < currentSlot; slot += 1) {
    const success = account.vendor === 'quota' ? 1 + ((slot + index) % 4) : 0
    const failed = (slot + index) % 13 === 0 ? 1 : 0
    account.outcomesBySlot.set(slot, { success, failed })
    account.success += success
    account.failed += failed
  }
  return account
}
