import type { AccountSelector, EpochMs, ProxyObservation } from '@svc/core'
import { type AskedAccount, askedAccountOf } from '@svc/core/account'
import { type RememberedPool, withSharedQueries } from '@svc/core/pool'
import {
  DEFAULT_UPSTREAM,
  type Duty,
  filesAskedThrough,
  groupedBy,
  mergeObservations,
  type NamedObservation,
  type SharedReadings,
  type SourceChange,
  type UpstreamName,
  type UpstreamWay,
} from '@svc/core/service'
import { createLoginAliases } from '../accounts/login-aliases.ts'
import { createOpenFilesWatch } from '../files/open-secret-files.ts'
import type { LiveSource } from '../live-source.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { AskedStore } from '../quota/asked-notes.ts'
import { createVendorPace } from '../quota/vendor-pace.ts'
import { createBenchmarkSource } from '../sources/benchmark.ts'
import { createClientLabelsSource } from '../sources/client-labels.ts'
import type { SourceListeners } from '../sources/source.ts'
import type { LiveSourceDeps, LiveSourceOptions } from '../sources/source-options.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { createMember, isSameWay, type Member, type UpstreamOptions } from './member.ts'
import { refresherOf } from './refresher.ts'

/** Several proxies, and the files shared by all of them. */
export interface FleetOptions extends Pick<LiveSourceOptions, 'benchmark'> {
  /** At least one; names are unique. */
  readonly upstreams: readonly UpstreamOptions[]
  readonly usage: Pick<LiveSourceOptions['usage'], 'clientLabelsFile'>
}

/** Clock, network and usage stores of a source of several proxies. */
export interface FleetDeps extends Omit<LiveSourceDeps, 'usageSink' | 'duty' | 'asked'> {
  /** The report with the counters of one proxy. */
  readonly reportOf: (upstream: UpstreamName) => CollectorReport
  /** The store for a proxy's usage; null if usage is not kept. */
  readonly usageSinkOf: (upstream: UpstreamName) => UsageSink | null
  /** The store for the last queries through a proxy; absent if they are not kept. */
  readonly askedOf?: (upstream: UpstreamName) => AskedStore
  /** Whether another monitor acts for a proxy; absent if there is no other monitor. */
  readonly dutyOf?: (upstream: UpstreamName) => Duty
}

/** Watches several proxies. */
export interface FleetSource extends Omit<LiveSource, 'askOnly' | 'handOver'> {
  /**
   * Replaces the watched proxies; an empty list changes nothing. Unchanged proxies keep running and read their key again; shared files are also read
   * again.
   */
  useUpstreams(upstreams: readonly UpstreamOptions[]): void
}

/** Creates an idle source of several proxies. Each has its own key, hold, pauses and budget, so a refusal by one does not stop the others. */
export function createFleetSource(options: FleetOptions, deps: FleetDeps): FleetSource {
  let onChange: (change?: SourceChange) => void = () => {}
  let isStarted = false
  let members: readonly Member[] = []
  const leaving = new Set<Promise<void>>()

  const changed = (change?: SourceChange) => {
    if (change !== 'times') assign(members, deps.clock.now())
    onChange(change)
  }
  const shared = createSharedFiles(options, {
    ...deps,
    // Client labels do not depend on the proxy.
    usageSink: deps.usageSinkOf(DEFAULT_UPSTREAM),
    onChange: changed,
  })
  const pace = createVendorPace(deps.clock)
  const aliases = createLoginAliases()
  const create = (upstream: UpstreamOptions) =>
    createMember(upstream, {
      ...deps,
      pace,
      aliases,
      report: deps.reportOf(upstream.name),
      usageSink: deps.usageSinkOf(upstream.name),
      ...(deps.askedOf === undefined ? {} : { asked: deps.askedOf(upstream.name) }),
      ...(deps.dutyOf === undefined ? {} : { duty: deps.dutyOf(upstream.name) }),
      // The clocks of two proxies may differ.
      onProxyTime(proxyNow: EpochMs) {
        if (members[0]?.options.name === upstream.name) deps.onProxyTime?.(proxyNow)
      },
    })
  const startMember = ({ source }: Member) => source.start(changed)
  const leave = ({ source }: Member) => {
    const left = source.stop().finally(() => leaving.delete(left))
    leaving.add(left)
  }
  const eachPart = (
    pool: RememberedPool,
    take: (source: LiveSource, part: RememberedPool) => void,
  ) => {
    const whole = withSharedQueries(pool)
    for (const { source, options: configured } of members) {
      const part = partOf(whole, configured.name, members.length === 1)
      if (part.accounts.length > 0) take(source, part)
    }
  }
  members = options.upstreams.map(create)

  return {
    start(listener) {
      onChange = listener
      isStarted = true
      shared.start()
      for (const member of members) startMember(member)
    },
    reload() {
      shared.reload()
      for (const { source } of members) source.reload()
    },
    refresher: refresherOf(() => members.map(({ source }) => source.refresher)),
    restore: (pool) => eachPart(pool, (source, part) => source.restore(part)),
    useAsked(asked) {
      const [only] = members.length === 1 ? members : []
      const upstream = only?.options.name
      const here = upstream === undefined ? asked : asked.map((one) => ({ ...one, upstream }))
      for (const { source } of members) source.useAsked(here)
    },
    adopt: (pool) => eachPart(pool, (source, part) => source.adopt(part)),
    useUpstreams(next) {
      if (next.length === 0) return
      const before = members
      const { kept, made } = follow(before, next, create)
      members = [...kept, ...made].sort((a, b) => indexIn(next, a) - indexIn(next, b))
      shared.reload()
      for (const member of kept) member.source.reload()
      for (const member of made) if (isStarted) startMember(member)
      const left = before.filter((member) => !kept.includes(member))
      left.forEach(leave)
      const namesOf = (list: readonly Member[]) => list.map((one) => one.options.name)
      // Logs only a change: a reload without one may follow a mistake in the file.
      if (made.length + left.length > 0)
        deps.log.info('proxies as configured now', {
          kept: namesOf(kept),
          begun: namesOf(made),
          left: namesOf(left),
        })
      changed()
    },
    latest(now): ProxyObservation {
      const observed = members.map(
        ({ options: { name }, source }): NamedObservation => ({
          name,
          observed: source.latest(now),
        }),
      )
      const [first, ...others] = observed
      if (first === undefined) throw new Error('a fleet has at least one proxy')
      const whole = mergeObservations([first, ...others], shared.readings())
      return { ...whole, openSecretFiles: [...whole.openSecretFiles, ...shared.openFiles()] }
    },
    async stop() {
      isStarted = false
      await Promise.all([shared.stop(), ...members.map(({ source }) => source.stop()), ...leaving])
    },
  }
}

/** Files on this machine that are read once for all proxies. */
function createSharedFiles(
  { usage: { clientLabelsFile }, benchmark }: FleetOptions,
  deps: SourceListeners & Pick<LiveSourceDeps, 'usageSink'>,
) {
  const sources = {
    client_labels: createClientLabelsSource({ path: clientLabelsFile, sink: deps.usageSink }, deps),
    benchmark: createBenchmarkSource(benchmark.benchmarkSummary, deps),
  }
  const all = Object.values(sources)
  const openFiles = createOpenFilesWatch({ clientLabelsFile, authDir: null }, deps)
  return {
    readings: (): SharedReadings => ({
      client_labels: sources.client_labels.reading(),
      benchmark: sources.benchmark.reading(),
    }),
    /** Shared secret files that every user of this machine can read. */
    openFiles: openFiles.open,
    start() {
      for (const source of all) source.start()
      openFiles.start(() => deps.onChange())
    },
    reload() {
      for (const source of all) source.reload()
    },
    async stop() {
      openFiles.stop()
      await Promise.all(all.map((source) => source.stop()))
    },
  }
}

function indexIn(list: readonly UpstreamOptions[], { options }: Member): number {
  return list.findIndex(({ name }) => name === options.name)
}

/**
 * Splits the new list into unchanged members, which keep running, and new members, which restore the readings of an earlier member with the same
 * address.
 */
function follow(
  before: readonly Member[],
  next: readonly UpstreamOptions[],
  create: (upstream: UpstreamOptions) => Member,
): { readonly kept: readonly Member[]; readonly made: readonly Member[] } {
  const kept = before.filter(({ options }) =>
    next.some((one) => one.name === options.name && isSameWay(one, options)),
  )
  const made = next
    .filter(({ name }) => !kept.some(({ options }) => options.name === name))
    .map((upstream) => {
      const member = create(upstream)
      const earlier = before.find(
        ({ options }) => options.upstream.upstreamUrl === upstream.upstream.upstreamUrl,
      )
      const pool = earlier?.remembered(upstream.name) ?? null
      if (pool !== null) member.source.restore(pool)
      member.source.useAsked(before.flatMap(askedBy))
      return member
    })
  return { kept, made }
}

/** The last queries through a proxy. Another proxy takes over only their budgets, because each proxy has its own logins. */
function askedBy({ remembered }: Member): readonly AskedAccount[] {
  const accounts = remembered('')?.accounts ?? []
  return accounts.flatMap(({ account, evidence }) =>
    evidence === null ? [] : [askedAccountOf(account, evidence, null)],
  )
}

/** An earlier process's accounts of one proxy; all accounts if it is now the only proxy. */
function partOf(pool: RememberedPool, name: UpstreamName, isOnly: boolean): RememberedPool {
  const accounts = isOnly
    ? pool.accounts.map(({ account, evidence }) => ({
        account: { ...account, upstream: name },
        evidence,
      }))
    : pool.accounts.filter(({ account }) => account.upstream === name)
  return { ...pool, accounts }
}

/** Assigns each account to the proxy that queries the vendor about it, and hands earlier readings to members with new accounts. */
function assign(members: readonly Member[], now: EpochMs): void {
  const ways = members.map((member) => member.way())
  const asked = filesAskedThrough(ways, now)
  const filesByKey = filesByAccountKey(members, ways)
  for (const [index, member] of members.entries()) {
    member.askOnly(ways[index]?.accounts ?? [], asked, ({ selector }) =>
      (filesByKey().get(selector.accountKey) ?? [])
        .filter((file) => file.member !== member)
        .flatMap((file) => file.member.source.handOver(file.authName) ?? []),
    )
  }
}

interface FileAtMember extends AccountSelector {
  readonly member: Member
}

/** The files of each account; computed on the first call. */
function filesByAccountKey(
  members: readonly Member[],
  ways: readonly UpstreamWay[],
): () => ReadonlyMap<string, readonly FileAtMember[]> {
  let known: ReadonlyMap<string, readonly FileAtMember[]> | null = null
  return () => {
    known ??= groupedBy(
      members.flatMap((member, index) =>
        (ways[index]?.accounts ?? []).map(({ selector }) => ({ member, ...selector })),
      ),
      ({ accountKey }) => accountKey,
    )
    return known
  }
}
