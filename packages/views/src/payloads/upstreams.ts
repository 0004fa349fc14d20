import { type EpochMs, type EvaluatedAccount, instantToIso, type Snapshot } from '@svc/core'
import type { HealthSource } from '@svc/core/health'
import { type Scheduler, schedulerStateOf, schedulerStates } from '@svc/core/service'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  optional,
  toneSchema,
  upstreamNameSchema,
} from './wire-schema.ts'

export const upstreamSchema = optional(
  upstreamNameSchema,
  'Name of the proxy; omitted unless the configuration has `[[upstream]]` tables.',
)

/** Members with the proxies of an account, for every object that shows an account. */
export const placeEntries = {
  upstream: upstreamSchema,
  seenAt: optional(
    v.array(upstreamNameSchema),
    'Names of all proxies that list the account, including this one; omitted unless the configuration has `[[upstream]]` tables.',
  ),
}

export const watchedUpstreamsSchema = optional(
  v.array(
    v.object({
      name: upstreamNameSchema,
      source: v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo']),
      gatewayOk: v.boolean(),
      sampledAt: v.nullable(instantSchema),
      accountCount: countSchema,
      routableCount: countSchema,
    }),
  ),
  'Watched proxies, in the order of the configuration; omitted unless the configuration has `[[upstream]]` tables.',
)

interface Place {
  readonly upstream?: string
  readonly seenAt?: string[]
}

/** Creates the lookup of each account's proxies; always empty if the configuration lists no proxies. */
export function placesIn({ seenAt }: Snapshot): (account: EvaluatedAccount) => Place {
  if (seenAt === undefined) return () => ({})
  return ({ account, selector }) => ({
    upstream: account.upstream,
    seenAt: [...(seenAt.get(selector.accountKey) ?? [])],
  })
}

/** Creates the lookup of each account's proxy; always empty if the configuration lists no proxies. */
export function upstreamIn({
  upstreams,
}: Snapshot): (account: EvaluatedAccount) => Pick<Place, 'upstream'> {
  return upstreams === undefined ? () => ({}) : ({ account: { upstream } }) => ({ upstream })
}

/** List of proxies for the status; omitted if the configuration lists none. */
export function watchedUpstreams({ upstreams }: Snapshot): {
  readonly upstreams?: NonNullable<v.InferOutput<typeof watchedUpstreamsSchema>>
} {
  if (upstreams === undefined) return {}
  return {
    upstreams: upstreams.map(
      ({ name, source, gatewayUp, sampledAt, fileCount, routableCount }) => ({
        name,
        source,
        gatewayOk: gatewayUp === true,
        sampledAt: isoOrNull(sampledAt),
        accountCount: fileCount,
        routableCount,
      }),
    ),
  }
}

/**
 * Creates the lookup of the snapshot for each source: limited to its proxy for an account list, else whole. Keeps the counts of the whole snapshot.
 */
export function snapshotsOfSources(snapshot: Snapshot): (source: HealthSource) => Snapshot {
  return ({ id, upstream }) => {
    const standing = snapshot.upstreams?.find(({ name }) => name === upstream)
    if (id !== 'accounts' || standing === undefined) return snapshot
    const { name, skipped, clockSkewSeconds, version } = standing
    const isOfIt = ({ account }: EvaluatedAccount) => account.upstream === name
    return {
      ...snapshot,
      accounts: snapshot.accounts.filter(isOfIt),
      pools: snapshot.pools.map((pool) => ({ ...pool, accounts: pool.accounts.filter(isOfIt) })),
      skipped,
      clockSkewSeconds,
      upstreamVersion: version,
    }
  }
}

/** A title or id with its proxy appended; unchanged without one. */
export function namedAt(text: string, sign: string, upstream: string | undefined): string {
  return upstream === undefined ? text : `${text}${sign}${upstream}`
}

/** A program that polls the ranking. */
export const readerSchema = described(
  v.object({
    name: described(
      v.picklist(['scheduler']),
      'Kind of client: `scheduler` is the proxy plugin that routes by the ranking.',
    ),
    upstream: upstreamSchema,
    version: v.string(),
    askedAt: described(instantSchema, "Time of the client's last request."),
    state: described(
      v.picklist(schedulerStates),
      "Whether requests are routed by the ranking. `routes`: they are. `waits`: the plugin follows the ranking, but no request has come. `unreported`: this plugin version does not report it. `pauses`: no requests come, so the plugin does not ask. `silent`: requests have come, but the plugin does not ask. `not_following`: the plugin asks but cannot use the answers. `not_consulted`: requests have come, but the proxy did not ask the plugin. `picks_nothing`: the plugin was asked but always left the choice of account to the proxy. `refused_host`, `refused_upstream`: the monitor refuses the plugin's requests.",
    ),
    askedCount: described(
      countSchema,
      'Number of request attempts for which the proxy asked the plugin to choose an account, since the first request of the plugin to this service.',
    ),
    pickCount: described(
      countSchema,
      'Number of those attempts for which the plugin named an account.',
    ),
    tone: toneSchema,
    title: v.string(),
    text: v.string(),
  }),
  'A client that polls the ranking, identified by its `User-Agent`.',
)

type Reader = v.InferOutput<typeof readerSchema>

/** A scheduler, worded as of `now`. */
export function schedulerView(
  scheduler: Scheduler,
  now: EpochMs,
  { words: { schedulers } }: Wording,
): Reader {
  const { upstream, version, askedAt, askedCount, pickCount } = scheduler
  const state = schedulerStateOf(scheduler, now)
  const { what, remedy } = schedulers.states[state]
  return {
    name: 'scheduler',
    ...(upstream === undefined ? {} : { upstream }),
    version,
    askedAt: instantToIso(askedAt),
    state,
    askedCount,
    pickCount,
    tone: remedy !== undefined ? 'warn' : state === 'pauses' ? 'unknown' : 'good',
    title: namedAt(schedulers.title(version), ' · ', upstream),
    text: [what, remedy].filter((sentence) => sentence !== undefined).join(' '),
  }
}
