import type { EpochMs, ProxyObservation } from '@svc/core'
import {
  DEFAULT_UPSTREAM,
  type Duty,
  filesAskedThrough,
  mergeObservations,
  type NamedObservation,
  type RememberedPool,
  type SourceChange,
  type UpstreamName,
} from '@svc/core/service'
import type { LiveSource } from '../live-source.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { LiveSourceDeps, LiveSourceOptions } from '../sources/source-options.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { createMember, isSameWay, type Member, type UpstreamOptions } from './member.ts'
import { refresherOf } from './refresher.ts'
import { createSharedFiles } from './shared-files.ts'

/** Several proxies, and what is read once for all of them. */
export interface FleetOptions extends Pick<LiveSourceOptions, 'benchmark'> {
  /** At least one; names are unique. */
  readonly upstreams: readonly UpstreamOptions[]
  readonly usage: Pick<LiveSourceOptions['usage'], 'clientLabelsFile'>
}

/** What a source of several proxies reads time and network by, and where the usage of each is kept. */
export interface FleetDeps extends Omit<LiveSourceDeps, 'usageSink' | 'duty'> {
  /** Where is counted what is done at one proxy. */
  readonly reportOf: (upstream: UpstreamName) => CollectorReport
  /** Null for nowhere. */
  readonly usageSinkOf: (upstream: UpstreamName) => UsageSink | null
  /** Whether another monitor acts for a proxy; left out where there is no other. */
  readonly dutyOf?: (upstream: UpstreamName) => Duty
}

/** Watches several proxies. */
export interface FleetSource extends Omit<LiveSource, 'askOnly'> {
  /** Watches these from now on. One that is as it was goes on, and reads its key again, as all other files are. Nothing where there is none. */
  useUpstreams(upstreams: readonly UpstreamOptions[]): void
}

/** Makes a source of several proxies at rest, each with its own key, hold, pauses and budget: what one of them refuses silences no other. */
export function createFleetSource(options: FleetOptions, deps: FleetDeps): FleetSource {
  let onChange: (change?: SourceChange) => void = () => {}
  let isStarted = false
  let members: readonly Member[] = []
  const asked = createAssignment(() => members)
  const leaving = new Set<Promise<void>>()

  const changed = (change?: SourceChange) => {
    if (change !== 'times') asked.assign()
    onChange(change)
  }
  const shared = createSharedFiles(options, {
    ...deps,
    // Labels are of clients, whichever proxy they use.
    usageSink: deps.usageSinkOf(DEFAULT_UPSTREAM),
    onChange: changed,
  })
  const create = (upstream: UpstreamOptions) =>
    createMember(upstream, {
      ...deps,
      report: deps.reportOf(upstream.name),
      usageSink: deps.usageSinkOf(upstream.name),
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
    for (const { source, options: configured } of members) {
      const part = partOf(pool, configured.name, members.length === 1)
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
    adopt: (pool) => eachPart(pool, (source, part) => source.adopt(part)),
    useUpstreams(next) {
      if (next.length === 0) return
      const before = members
      const { kept, made } = follow(before, next, create)
      members = [...kept, ...made].sort((a, b) => indexIn(next, a) - indexIn(next, b))
      shared.reload()
      for (const member of kept) member.source.reload()
      for (const member of made) if (isStarted) startMember(member)
      for (const member of before) if (!kept.includes(member)) leave(member)
      const namesOf = (list: readonly Member[]) => list.map((one) => one.options.name)
      deps.log.info('proxies as configured now', {
        kept: namesOf(kept),
        begun: namesOf(made),
        left: namesOf(before.filter((member) => !kept.includes(member))),
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

function indexIn(list: readonly UpstreamOptions[], { options }: Member): number {
  return list.findIndex(({ name }) => name === options.name)
}

/** Those that stay as they are, and those that are made anew, which know what an earlier one read of the same proxy. */
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
      return member
    })
  return { kept, made }
}

/** What an earlier process knew of one proxy. Where it is the only one now, all of it. */
function partOf(pool: RememberedPool, name: UpstreamName, isOnly: boolean): RememberedPool {
  const accounts = isOnly
    ? pool.accounts.map(({ account, evidence }) => ({
        account: { ...account, upstream: name },
        evidence,
      }))
    : pool.accounts.filter(({ account }) => account.upstream === name)
  return { ...pool, accounts }
}

/** Which proxy asks the vendor about which account. */
function createAssignment(membersNow: () => readonly Member[]) {
  let asked: ReadonlySet<string> = new Set()
  return {
    /** Works it out anew, and tells the proxies for which it is another. */
    assign() {
      const members = membersNow()
      const ways = members.map((member) => member.way())
      asked = filesAskedThrough(ways, asked)
      for (const [index, member] of members.entries())
        member.askOnly(ways[index]?.accounts ?? [], asked)
    },
  }
}
