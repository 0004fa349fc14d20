import type { Account } from '@svc/core'
import {
  fileKeyOf,
  type Log,
  type RememberedPool,
  type UpstreamName,
  type UpstreamWay,
} from '@svc/core/service'
import { createLiveSource, type LiveSource } from '../live-source.ts'
import type { LiveSourceDeps, LiveSourceOptions } from '../sources/source-options.ts'

/** One of several proxies, as it is configured. */
export interface UpstreamOptions extends Pick<LiveSourceOptions, 'upstream' | 'quota' | 'usage'> {
  readonly name: UpstreamName
}

/** One of several proxies, as it is watched. */
export interface Member {
  readonly options: UpstreamOptions
  readonly source: LiveSource
  /** The proxy as a way to the vendor. */
  way(): UpstreamWay
  /** Asks the vendor about those of its accounts whose file is among these. */
  askOnly(accounts: readonly Account[], files: ReadonlySet<string>): void
  /** What has been read of it, under another name; null before its list was read. */
  remembered(name: UpstreamName): RememberedPool | null
}

/** Failures in a row after which another proxy is asked instead; one alone may be a hiccup. */
const FAILURES_TO_LEAVE = 2

/** Makes a member at rest. It asks the vendor about no account before `askOnly` names some. */
export function createMember(options: UpstreamOptions, deps: LiveSourceDeps): Member {
  const { name, upstream, quota, usage } = options
  const source = createLiveSource(
    {
      name,
      upstream,
      quota,
      usage: { ...usage, clientLabelsFile: null },
      benchmark: { benchmarkSummary: null },
    },
    { ...deps, log: logNaming(name, deps.log) },
  )
  let asked: ReadonlySet<string> = new Set()
  source.askOnly(asked)
  const latest = () => source.latest(deps.clock.now())

  return {
    options,
    source,
    way() {
      const { management, sources, evidenceByAuthName } = latest()
      const { outcome, failuresInARow, lastGood } = sources.accounts
      const isListed = outcome.kind === 'ok' || failuresInARow < FAILURES_TO_LEAVE
      const letsIn = management.kind === 'accepted'
      const { outcome: queries } = sources.direct_quota
      // Another monitor asks through it.
      const asks = queries.kind !== 'off' || queries.reason === 'standby'
      return {
        accounts: lastGood?.value.accounts ?? [],
        isHealthy: isListed && letsIn && asks,
        evidence: evidenceByAuthName,
      }
    },
    askOnly(accounts, files) {
      const own = new Set(accounts.map(fileKeyOf).filter((file) => files.has(file)))
      if (own.size === asked.size && [...own].every((file) => asked.has(file))) return
      asked = own
      source.askOnly(own)
    },
    remembered(as) {
      const { sources, evidenceByAuthName } = latest()
      const list = sources.accounts.lastGood
      if (list === null) return null
      const { kind } = sources.gateway.outcome
      return {
        source: 'live',
        gatewayUp: kind === 'pending' || kind === 'off' ? null : kind === 'ok',
        listedAt: list.at,
        accounts: list.value.accounts.map((account) => ({
          account: { ...account, upstream: as },
          evidence: evidenceByAuthName.get(fileKeyOf(account)) ?? null,
        })),
      }
    },
  }
}

/** Whether a proxy is watched in the same way. A key stands in a file, which is read again anyway. */
export function isSameWay(one: UpstreamOptions, other: UpstreamOptions): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A log that says of which proxy it is. */
function logNaming(upstream: UpstreamName, log: Log): Log {
  return {
    debug: (event, fields) => log.debug(event, { ...fields, upstream }),
    info: (event, fields) => log.info(event, { ...fields, upstream }),
    warn: (event, fields, kind) => log.warn(event, { ...fields, upstream }, kind),
    error: (event, fields, kind) => log.error(event, { ...fields, upstream }, kind),
  }
}
