import {
  type EpochMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  offBecause,
  type ProxyObservation,
  readSources,
  type ServiceObservation,
  type SourceReading,
} from '@svc/core'
import type { NotifyStanding } from '@svc/core/notify'
import { providerIds, type Scheduler, type SnapshotSource } from '@svc/core/service'
import { exampleAccountAt } from './example-account.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import { latestTick } from './moving-windows.ts'
import { evidenceOnceAsked } from './sampling.ts'

/** Default of `refresh_seconds`. */
const ACCOUNT_REFRESH_SECONDS = 15

/**
 * The sample pool of `--demo`. Its state depends only on the time and on the last manual refresh of each account: it reads nothing, runs no
 * timer and never calls back.
 */
export function createDemoSource(
  lastAskedAt: (accountKey: string) => EpochMs | null = () => null,
): SnapshotSource {
  return {
    start() {},
    latest(now) {
      const observation = exampleObservationAt(now)
      const evidence = new Map(observation.evidenceByAuthName)
      for (const row of SAMPLE_POOL) {
        const askedAt = lastAskedAt(row.accountKey)
        const known = evidence.get(row.authName) ?? null
        const found = askedAt === null ? known : evidenceOnceAsked(row, known, askedAt)
        if (found !== null) evidence.set(row.authName, found)
      }
      return { ...observation, evidenceByAuthName: evidence }
    },
    stop: () => Promise.resolve(),
  }
}

/** The whole sample pool at `now`; depends on `now` alone. */
export function exampleObservationAt(now: EpochMs): ProxyObservation {
  const observedAt = observedAtOf(now)
  const pool = SAMPLE_POOL.map((row) => exampleAccountAt(row, { now, observedAt }))
  const accounts = pool.map(({ account }) => account)
  const queried = pool.flatMap(({ account, evidence }) =>
    evidence === null ? [] : [[account.selector.authName, evidence] as const],
  )
  const newestDirectAt = Math.max(
    ...queried.flatMap(([, { samples }]) =>
      samples.filter(({ origin }) => origin === 'direct').map(({ sampledAt }) => sampledAt),
    ),
  )

  return {
    kind: 'demo',
    accountRefreshSeconds: ACCOUNT_REFRESH_SECONDS,
    management: { kind: 'accepted' },
    openSecretFiles: [],
    sources: {
      // Sources without sample data count as not configured.
      ...readSources(() => offBecause('not_configured')),
      gateway: readAt(observedAt, { up: true }),
      accounts: readAt(observedAt, {
        accounts,
        skipped: [],
        requestCounters: null,
      }),
      usage_statistics: readAt(observedAt, { enabled: true }),
      direct_quota: readAt(epochMs(newestDirectAt), {
        succeeded: 1318,
        failed: 21,
        recentFailed: 1,
        recentCount: 20,
        paused: [],
      }),
      client_labels: readAt(observedAt, { clientCount: DEMO_LABELLED_CLIENTS }),
      usage: readAt(observedAt, { kind: 'queue', retentionSeconds: 3600, counters: null }),
    },
    accountListIsRemembered: false,
    usageRivalSuspected: false,
    evidenceByAuthName: new Map(queried),
    queriedProviders: new Set(providerIds),
    upstreamVersion: 'v7.2.140',
    clockSkewSeconds: 0,
  }
}

/** A service whose history works without faults. Failure ratios of accounts come from the proxy's counters, not from the sample usage. */
export function demoServiceAt(now: EpochMs): ServiceObservation {
  return {
    history: {
      kind: 'ok',
      at: observedAtOf(now),
      missedSeconds: 0,
      backlogSeconds: 0,
      lagSeconds: 0,
      isStandby: false,
      readFailure: null,
      engine: { name: 'sqlite', walBytes: 0 },
    },
    recentUsage: new Map(),
    clockDoubt: null,
    notify: exampleTargetsAt(now),
    schedulers: [exampleSchedulerAt(now)],
  }
}

function exampleSchedulerAt(now: EpochMs): Scheduler {
  const askedAt = latestTick(now, 2_000, 0)
  return {
    version: '0.2.0',
    askedAt,
    askingSince: latestTick(now, 3 * HOUR_MS, 0),
    report: { askedCount: 0, pickCount: 0, follows: true },
    refusal: null,
    askedCount: 214,
    pickCount: 209,
    consultedAt: askedAt,
    requestsAfter: null,
    requestCount: 0,
  }
}

/** Message targets for the demo, to which nothing is sent: one that works, and one whose receiver has just begun to fail. */
function exampleTargetsAt(now: EpochMs): readonly NotifyStanding[] {
  const lastSentAt = latestTick(now, 7 * HOUR_MS, 0)
  const failingSince = latestTick(now, 20 * MINUTE_MS, 0)
  return [
    {
      name: 'phone',
      kind: 'ntfy',
      sentCount: 38,
      lostCount: 0,
      waitingCount: 0,
      lastSentAt,
      failure: null,
      isFailing: false,
    },
    {
      name: 'team',
      kind: 'slack',
      sentCount: 112,
      lostCount: 0,
      waitingCount: 1,
      lastSentAt,
      failure: { code: 'unavailable', since: failingSince },
      isFailing: false,
    },
  ]
}

function observedAtOf(now: EpochMs): EpochMs {
  return latestTick(now, ACCOUNT_REFRESH_SECONDS * 1000, 0)
}

/** Client keys of the sample usage that have a label. */
const DEMO_LABELLED_CLIENTS = 4

function readAt<Value>(at: EpochMs, value: Value): SourceReading<Value> {
  return { outcome: { kind: 'ok', at }, failuresInARow: 0, lastGood: { value, at } }
}
