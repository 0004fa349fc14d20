import type { Account } from '@svc/core'
import type { RememberedPool } from '@svc/core/pool'
import {
  fileKeyOf,
  type Log,
  type OffReason,
  type UpstreamName,
  type UpstreamWay,
} from '@svc/core/service'
import { createLiveSource } from '../live-source.ts'
import type { HandedOver } from '../quota/runner.ts'
import type { LiveSourceDeps, LiveSourceOptions } from '../sources/source-options.ts'

/** Configuration of one of several proxies. */
export interface UpstreamOptions extends Pick<LiveSourceOptions, 'upstream' | 'quota' | 'usage'> {
  readonly name: UpstreamName
}

const WAITING: ReadonlySet<OffReason> = new Set<OffReason>(['standby', 'asked_elsewhere'])

/** Failures in a row after which another proxy is used; a single one may be temporary. */
const FAILURES_TO_LEAVE = 2

/** Creates an idle member, which queries vendors only after `askOnly` has named accounts. */
export function createMember(options: UpstreamOptions, deps: LiveSourceDeps) {
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
  source.askOnly(asked, new Map())
  const latest = () => source.latest(deps.clock.now())

  return {
    options,
    source,
    /** Accounts, health and evidence of this proxy; they decide whether vendors are queried through it. */
    way(): UpstreamWay {
      const { management, sources, evidenceByAuthName } = latest()
      const { outcome, failuresInARow, lastGood } = sources.accounts
      const isListed = outcome.kind === 'ok' || failuresInARow < FAILURES_TO_LEAVE
      const letsIn = management.kind === 'accepted'
      const { outcome: queries } = sources.direct_quota
      // `standby` and `asked_elsewhere`: it can query, but another monitor or proxy does.
      const asks = queries.kind !== 'off' || WAITING.has(queries.reason)
      return {
        accounts: lastGood?.value.accounts ?? [],
        isHealthy: isListed && letsIn && asks,
        evidence: evidenceByAuthName,
      }
    },
    /** Limits vendor queries to accounts whose file is in `files`. `handedOver`: other proxies' readings of newly assigned accounts. */
    askOnly(
      accounts: readonly Account[],
      files: ReadonlySet<string>,
      handedOver: (account: Account) => readonly HandedOver[],
    ) {
      const own = new Set(accounts.map(fileKeyOf).filter((file) => files.has(file)))
      const added = accounts.filter((account) => {
        const file = fileKeyOf(account)
        return own.has(file) && !asked.has(file)
      })
      if (own.size === asked.size && added.length === 0) return
      asked = own
      source.askOnly(own, new Map(added.map((one) => [fileKeyOf(one), handedOver(one)])))
    },
    /** Readings of this proxy under the name `as`; null before its list was read. */
    remembered(as: UpstreamName): RememberedPool | null {
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

export type Member = ReturnType<typeof createMember>

/** Whether two configurations of a proxy are equal. Keys are not compared: they are in files, which are read again anyway. */
export function isSameWay(one: UpstreamOptions, other: UpstreamOptions): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A log that adds the proxy's name to every line. */
function logNaming(upstream: UpstreamName, log: Log): Log {
  return {
    debug: (event, fields) => log.debug(event, { ...fields, upstream }),
    info: (event, fields) => log.info(event, { ...fields, upstream }),
    warn: (event, fields, kind) => log.warn(event, { ...fields, upstream }, kind),
    error: (event, fields, kind) => log.error(event, { ...fields, upstream }, kind),
  }
}
