import type { Redacted } from '@svc/core'
import { fetchQueueRetention } from '../usage/queue-retention.ts'
import { detectUsageRoute, type UsageRoute } from '../usage/usage-route.ts'
import { createAccountTracker } from './account-tracker.ts'
import { accountListOf } from './auth-files.ts'
import { probeGateway } from './gateway.ts'
import { createUpstreamClient, type ManagementCall, type ProxyFacts, type UpstreamDeps } from './upstream-client.ts'
import { type UpstreamError, upstreamErrorOf } from './upstream-error.ts'
import { fetchUsageStatistics } from './usage-statistics.ts'

/** What one call brought. The failure's message is our own text. */
export type Inspected<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'failed'; readonly failure: Pick<UpstreamError, 'code' | 'message' | 'httpStatus' | 'retryAfterSeconds'> }

export interface UpstreamInspectorPlan {
  readonly upstreamUrl: string
  readonly gatewayHealthUrl: string
  readonly key: Redacted | null
  /** For each call. */
  readonly seconds: number
  /** Ends every call. */
  readonly stop: AbortSignal
}

/** Looks at a proxy without changing anything in it. Each method is one call, and sends the key once; what order they go in is the caller's. */
export interface UpstreamInspector {
  /** Without the key. */
  health(): Promise<Inspected<true>>
  accounts(): Promise<Inspected<{ readonly accountCount: number; readonly otherCount: number; readonly skippedCount: number }>>
  usageStatistics(): Promise<Inspected<{ readonly enabled: boolean }>>
  usageRoute(): Promise<Inspected<UsageRoute>>
  /** Seconds that unread records are kept. */
  queueRetention(): Promise<Inspected<number>>
  /** What the answers so far said about the proxy. */
  facts(): ProxyFacts
}

const BYTES_MAX = 64 * 1024 * 1024

export function createUpstreamInspector(plan: UpstreamInspectorPlan, deps: UpstreamDeps): UpstreamInspector {
  const client = createUpstreamClient(plan.upstreamUrl, deps)
  const inspected = async <Value>(ask: () => Promise<Value>): Promise<Inspected<Value>> => {
    try {
      return { kind: 'ok', value: await ask() }
    } catch (error) {
      const { code, message, httpStatus, retryAfterSeconds } = upstreamErrorOf(error)
      return { kind: 'failed', failure: { code, message, httpStatus, retryAfterSeconds } }
    }
  }
  const managed = <Value>(ask: (call: ManagementCall) => Promise<Value>): Promise<Inspected<Value>> => {
    const { key, seconds, stop } = plan
    if (key === null) throw new Error('there is no key to send')
    return inspected(() => ask({ key, seconds, stop, bytesMax: BYTES_MAX }))
  }
  return {
    health: () => inspected(async () => (await probeGateway(plan.gatewayHealthUrl, plan, deps)).up),
    accounts: () =>
      managed(async (call) => {
        const answer = await client.get('auth-files', call)
        const { accounts, otherProviders, skippedCount } = await accountListOf(answer, null, createAccountTracker())
        return {
          accountCount: accounts.length,
          otherCount: [...otherProviders.values()].reduce((sum, count) => sum + count, 0),
          skippedCount,
        }
      }),
    usageStatistics: () => managed((call) => fetchUsageStatistics(client, call)),
    usageRoute: () => managed((call) => detectUsageRoute(client, call)),
    queueRetention: () => managed((call) => fetchQueueRetention(client, call)),
    facts: client.facts,
  }
}
