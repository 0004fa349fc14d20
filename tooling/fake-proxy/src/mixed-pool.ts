import type { EpochMs } from '@svc/core'
import { aFakeAccount, type FakeAccount, type FakeAccountShape } from './fake-account.ts'
import { slotNumberAt } from './fake-traffic.ts'
import { livePool } from './pools.ts'
import { fakeWindows } from './vendors/fake-window.ts'

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
