import type { ProviderId } from '@svc/core'
import type { Redacted } from '@svc/core/service'
import { createAccountTracker } from './accounts/account-tracker.ts'
import { accountListOf } from './accounts/auth-files.ts'
import { type CallTrace, watchedFetch } from './proxy/call-trace.ts'
import { fetchSchedulerPlugin, type SchedulerPlugin } from './proxy/scheduler-plugin.ts'
import {
  createUpstreamClient,
  type ManagementCall,
  noProxyFacts,
  type ProxyFacts,
  type UpstreamClient,
  type UpstreamDeps,
} from './proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from './proxy/upstream-error.ts'
import { probeGateway } from './sources/gateway.ts'
import { fetchUsageStatistics } from './sources/usage-statistics.ts'
import { fetchQueueRetention } from './usage/queue-retention.ts'
import { detectUsageRoute, type UsageRoute } from './usage/usage-feed.ts'

/** Result of one call with its trace. The failure's message is our own text. */
export type Inspected<Value> = { readonly trace: CallTrace } & (
  | { readonly kind: 'ok'; readonly value: Value }
  | {
      readonly kind: 'failed'
      readonly failure: Pick<UpstreamError, 'code' | 'message' | 'httpStatus' | 'retryAfterSeconds'>
    }
)

export interface UpstreamInspectorPlan {
  readonly upstreamUrl: string
  readonly gatewayHealthUrl: string
  readonly key: Redacted | null
  /** Time limit of each call. */
  readonly seconds: number
  /** Ends every call. */
  readonly stop: AbortSignal
}

const BYTES_MAX = 64 * 1024 * 1024

/** Creates an inspector. Methods that need the key throw if the plan has no key. */
export function createUpstreamInspector(plan: UpstreamInspectorPlan, deps: UpstreamDeps) {
  let facts = noProxyFacts
  const managed = <Value>(
    ask: (client: UpstreamClient, call: ManagementCall) => Promise<Value>,
  ): Promise<Inspected<Value>> => {
    const { key, seconds, stop } = plan
    if (key === null) throw new Error('there is no key to send')
    return inspectCall(deps, (watched) =>
      ask(createUpstreamClient(plan.upstreamUrl, { ...watched, generation: facts.generation }), {
        key,
        seconds,
        stop,
        bytesMax: BYTES_MAX,
      }),
    )
  }
  return {
    /** Calls without the key. Only a status from 200 to 299 shows that the gateway is alive. */
    health: (): Promise<Inspected<true>> =>
      inspectCall(deps, async (watched, answered) => {
        const { up } = await probeGateway(plan.gatewayHealthUrl, plan, watched)
        const httpStatus = answered() ?? 0
        if (httpStatus >= 300)
          throw new UpstreamError('unexpected_status', `it answered ${httpStatus}`, { httpStatus })
        return up
      }),
    accounts: (): Promise<
      Inspected<{
        /** Provider of each watched account. */
        readonly providers: readonly ProviderId[]
        /** Auth files of the watched accounts. */
        readonly authNames: readonly string[]
        readonly skippedCount: number
      }>
    > =>
      managed(async (client, call) => {
        const answer = await client.get('accounts', call)
        facts = client.facts()
        const { accounts, skipped } = accountListOf(answer, null, createAccountTracker())
        return {
          providers: accounts.map(({ provider }) => provider),
          authNames: accounts.map(({ selector }) => selector.authName),
          skippedCount: skipped.length,
        }
      }),
    usageStatistics: (): Promise<Inspected<{ readonly enabled: boolean }>> =>
      managed(fetchUsageStatistics),
    usageRoute: (): Promise<Inspected<UsageRoute>> => managed(detectUsageRoute),
    /** Whether RESP answers; nothing is taken out and nothing is subscribed to, which would divert records. */
    resp: (): Promise<Inspected<true>> =>
      managed(async (client, call) => {
        const connection = await client.resp(call)
        // The range error of a count of 0 shows that it pops.
        const error = await connection.ask(['LPOP', 'usage', '0'], call).catch(upstreamErrorOf)
        connection.close()
        if (error instanceof UpstreamError && error.httpStatus === null) throw error
        return true as const
      }),
    /** Seconds for which the proxy keeps unread records. */
    queueRetention: (): Promise<Inspected<number>> => managed(fetchQueueRetention),
    /** The plugin that routes by the ranking; null if it is not installed. */
    schedulerPlugin: (): Promise<Inspected<SchedulerPlugin | null>> =>
      managed(fetchSchedulerPlugin),
    /** Facts about the proxy from the answer with the account list. */
    facts: (): ProxyFacts => facts,
  }
}

export type UpstreamInspector = ReturnType<typeof createUpstreamInspector>

/** Makes one call and traces it. `answered` returns the status of the answer; null before there is one. */
async function inspectCall<Value>(
  deps: UpstreamDeps,
  ask: (watched: UpstreamDeps, answered: () => number | null) => Promise<Value>,
): Promise<Inspected<Value>> {
  const { clock } = deps
  const { fetch, seen } = watchedFetch(deps.fetch)
  const startedMs = clock.monotonicMs()
  const trace = (): CallTrace => ({
    ...seen(),
    seconds: (clock.monotonicMs() - startedMs) / 1000,
  })
  try {
    const value = await ask({ ...deps, fetch }, () => seen().answer?.status ?? null)
    return { kind: 'ok', value, trace: trace() }
  } catch (error) {
    const { code, message, httpStatus, retryAfterSeconds } = upstreamErrorOf(error)
    return {
      kind: 'failed',
      failure: { code, message, httpStatus, retryAfterSeconds },
      trace: trace(),
    }
  }
}
