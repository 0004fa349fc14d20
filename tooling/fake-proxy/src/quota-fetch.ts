import type { EpochMs } from '@svc/core'
import { jsonObject } from './api-call-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import { rollWindows } from './vendor-traffic.ts'
import { endText, rounded } from './vendors/fake-window.ts'
import { goJson } from './wire.ts'

/** Simulates `POST quota/fetch` of newer proxies: a plugin asks about its own account. Built-in providers have no plugin. */
export function quotaFetchAnswer(
  accountOfIndex: (authIndex: string) => FakeAccount | null,
  body: string,
  at: EpochMs,
): Response {
  const { auth_index: authIndex } = jsonObject(body) ?? {}
  if (typeof authIndex !== 'string' || authIndex.trim() === '')
    return goJson({ error: 'auth_index is required' }, 400)
  const account = accountOfIndex(authIndex.trim())
  if (account === null) return goJson({ error: 'auth not found' }, 404)
  if (!account.supportsQuota) return goJson({ error: 'quota provider not found' }, 501)
  if (account.vendor !== 'quota') return goJson({ error: 'quota fetch failed' }, 502)
  rollWindows(account, at)
  return goJson(pluginQuota(account, at))
}

/** Simulates `GET quota/providers` of newer proxies. */
export function quotaProvidersAnswer(accounts: readonly FakeAccount[]): Response {
  const providers = accounts.filter(({ supportsQuota }) => supportsQuota)
  return goJson({ providers: [...new Set(providers.map(({ provider }) => provider))] })
}

function pluginQuota({ vendorPlan, windows }: FakeAccount, at: EpochMs): object {
  const buckets = Object.entries(windows).map(([id, window]) => ({
    window: PLUGIN_NAMES[id] ?? id,
    remainingFraction: rounded(Math.max(0, 1 - window.usedPercent / 100), 4),
    resetTime: endText(window, at),
    description: '',
  }))
  return {
    subscription: { plan: vendorPlan, tierName: vendorPlan, tierId: vendorPlan.toLowerCase() },
    serverTimeOffsetMs: 0,
    summary: [],
    groups: [{ displayName: 'Usage', buckets }],
  }
}

/** Names of windows in a plugin's answer. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
}
