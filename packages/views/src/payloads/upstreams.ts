import { type EvaluatedAccount, instantToIso, type Snapshot } from '@svc/core'
import { type HealthSource, poolAtUpstream, upstreamsByAccountKey } from '@svc/core/service'
import * as v from 'valibot'
import { countSchema, instantSchema } from './wire-schema.ts'

/** Name of the proxy a thing is of. */
export const upstreamSchema = v.optional(
  v.pipe(
    v.string(),
    v.description('Name of the proxy it is of; only where several proxies are watched.'),
  ),
)

/** Where an account is, as members of an object that shows one. */
export const placeEntries = {
  upstream: upstreamSchema,
  seenAt: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description(
        'Every proxy that lists the account, this one included; only where several are watched.',
      ),
    ),
  ),
}

export const watchedUpstreamsSchema = v.optional(
  v.pipe(
    v.array(
      v.object({
        name: v.string(),
        source: v.picklist(['live', 'partial', 'stale', 'unavailable', 'demo']),
        gatewayOk: v.boolean(),
        sampledAt: v.nullable(instantSchema),
        accountCount: countSchema,
        routableCount: countSchema,
      }),
    ),
    v.description(
      'Each of several proxies, in the order of the configuration; only where several are watched.',
    ),
  ),
)

interface Place {
  readonly upstream?: string
  readonly seenAt?: string[]
}

/** Where each account of a snapshot is; nothing where one proxy is watched. */
export function placesIn({ accounts, upstreams }: Snapshot): (account: EvaluatedAccount) => Place {
  if (upstreams === undefined) return () => ({})
  const seenAt = upstreamsByAccountKey(accounts.map(({ account }) => account))
  return ({ account, selector }) => ({
    upstream: account.upstream,
    seenAt: [...(seenAt.get(selector.accountKey) ?? [])],
  })
}

/** Each of several proxies as the status names it; nothing where one is watched. */
export function watchedUpstreams({ accounts, upstreams }: Snapshot): {
  readonly upstreams?: NonNullable<v.InferOutput<typeof watchedUpstreamsSchema>>
} {
  if (upstreams === undefined) return {}
  const counts = new Map(upstreams.map(({ name }) => [name, { files: 0, routable: 0 }]))
  for (const { account, routable } of accounts) {
    const count = counts.get(account.upstream)
    if (count === undefined) continue
    count.files += 1
    if (routable) count.routable += 1
  }
  return {
    upstreams: upstreams.map(({ name, source, gatewayUp, sampledAt }) => ({
      name,
      source,
      gatewayOk: gatewayUp === true,
      sampledAt: sampledAt === null ? null : instantToIso(sampledAt),
      accountCount: counts.get(name)?.files ?? 0,
      routableCount: counts.get(name)?.routable ?? 0,
    })),
  }
}

/** The part of a snapshot that a source is about: its proxy alone, where it is of one of several. */
export function snapshotOfSource(snapshot: Snapshot, { id, upstream }: HealthSource): Snapshot {
  if (upstream === undefined || id !== 'accounts') return snapshot
  return poolAtUpstream(snapshot, upstream) ?? snapshot
}

/** A title or an id that names its proxy. */
export function namedAt(text: string, sign: string, upstream: string | undefined): string {
  return upstream === undefined ? text : `${text}${sign}${upstream}`
}
