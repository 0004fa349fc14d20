import type { SkippedEntry } from '@svc/core'
import type { UsageWayShown } from '@svc/core/health'
import type { UnknownNames } from '@svc/core/pool'
import type { BenchmarkSummary, PausedProvider, SchedulerState, SourceId } from '@svc/core/service'
import { countedText, countText, type Zone } from '../../format/format.ts'
import type { Peer, SourceNames } from '../names/names.ts'

const skipReasons: Readonly<Record<SkippedEntry['reason'], string>> = {
  not_an_object: 'is no account, or larger than 1 MB',
  no_name: 'has no name',
  bad_name: 'name cannot be used',
  repeated: 'name listed before',
  too_many: 'more than 20,000',
}

interface PausedVendor extends Pick<PausedProvider, 'reason'> {
  readonly vendor: string
  readonly until: string | null
}

/** Accounts of a vendor that were read at least once. */
interface FirstReadings {
  readonly vendor: string
  readonly readCount: number
  readonly toReadCount: number
}

interface NewNames extends Pick<UnknownNames, 'count' | 'names'> {
  readonly vendor: string
}

const refusals: Readonly<Record<PausedProvider['reason'], string>> = {
  throttled: 'it refused our queries (429)',
  blocked: 'it answered with a page that refuses our address',
  revoked: 'it has blocked an account',
}

export const sources = {
  waiting: { badge: 'Waiting', summary: 'Waiting for the first answer.' },
  waitingForKey: { badge: 'Waiting', summary: 'Waiting for the management key.' },
  noAccounts: { badge: 'Waiting', summary: 'No accounts yet.' },
  badges: { off: 'Off', good: 'OK', degraded: 'Degraded' },
  /** `verb` replaces "Answered" where needed, as "Read" for a file; `at` is worded for the middle of a sentence. */
  answered: ({ verb, at }: { readonly verb: string | undefined; readonly at: string }) =>
    `${verb ?? 'Answered'} ${at}.`,
  peerAt: (name: string, address: string) => `${name} at ${address}`,
  /** Reasons why a source is off, each with the way to switch it on. */
  off: {
    noStore: {
      summary: 'No history is kept, which this needs.',
      note: 'Set state_db to the file or database that shall hold the history.',
    },
    ownStore: {
      summary: 'No history is kept.',
      note: 'Set state_db to the file or database that shall hold the history.',
    },
    noKey: {
      summary: 'There is no management key, which this needs.',
      note: 'Set management_key_file.',
    },
    noFile: (key: string) => ({
      summary: 'No file is configured for it.',
      note: `Set ${key}, if you have such a file.`,
    }),
    noStatistics: {
      summary: 'The proxy records no usage.',
      note: 'Set usage-statistics-enabled: true in the configuration of the proxy (observability.usage.usage-statistics-enabled with config-version: 8).',
    },
    switchedOff: (key: string) => ({
      summary: 'Switched off in the configuration.',
      note: `Set ${key} to have it.`,
    }),
    standby: {
      summary: 'Another monitor of the same history sees to it.',
      note: 'Nothing to do: this one takes over when that one ends.',
    },
    askedElsewhere: {
      summary: 'Its accounts were asked about through another proxy.',
      note: 'Nothing to do: the proxies take turns.',
    },
  },
  /** `until` is null if the pause lasts until a restart or a reload. */
  pausedVendor: ({ vendor, until, reason }: PausedVendor) =>
    `${vendor} is not asked ${until === null ? 'before a restart or a reload' : `until ${until}`}: ${refusals[reason]}.`,
  firstReadings: ({ vendor, readCount, toReadCount }: FirstReadings) =>
    `${vendor}: ${countText(readCount)} of ${countedText(toReadCount, 'account')} read.`,
  together: (sentences: readonly string[]) => sentences.join(' '),
  /** `days` is null if unknown, and Infinity if the disk does not fill at this pace. */
  disk: ({ free, days }: { readonly free: string; readonly days: number | null }) => {
    if (days === null) return `${free} free; how long that lasts is not known yet.`
    if (days === Number.POSITIVE_INFINITY)
      return `${free} free, enough at the pace of the last week.`
    const time = days < 1 ? 'less than a day' : days < 2 ? 'a day' : `${Math.floor(days)} days`
    return `${free} free, full in ${time} at the pace of the last week.`
  },
  usageWays: {
    legacy: 'The usage tree is read.',
    http: 'The usage queue is read over HTTP.',
    lpop: 'The usage queue is read over a standing connection.',
    subscribe: 'Usage comes by subscription.',
    shared:
      'Usage comes by subscription: another program seems to subscribe too, and both get all.',
  } satisfies Record<UsageWayShown, string>,
  missed: (duration: string) => `In the last 24 h usage may be missing for ${duration} in all.`,
  benchmark: (findings: string) => `${findings} Shown only: nothing here follows from it.`,
  accounts: {
    /** `named` holds the first few of `count` entries. */
    skipped({ count, named }: { readonly count: number; readonly named: readonly SkippedEntry[] }) {
      const which = named.map(({ position, reason }) => `${position} (${skipReasons[reason]})`)
      const rest = count > named.length ? `, and ${count - named.length} more` : ''
      return `${countedText(count, 'entry', 'entries')} of the proxy's list ${count === 1 ? 'is' : 'are'} left out: number ${which.join(', ')}${rest}`
    },
    strangePlans: (count: number) =>
      `${countedText(count, 'account')} with a plan this monitor does not know: no part of the capacity`,
    /** `names` holds the first few of `count` names. */
    unknownNames: ({ vendor, count, names }: NewNames) =>
      `${vendor} names ${countedText(count, 'thing')} that this monitor does not know: ${names.join(', ')}${count > names.length ? `, and ${countText(count - names.length)} more` : ''}`,
    clockSkew: ({ duration, isAhead }: { readonly duration: string; readonly isAhead: boolean }) =>
      `The proxy's clock is ${duration} ${isAhead ? 'ahead of' : 'behind'} ours; its times are corrected`,
    sentences: (clauses: readonly string[]) => clauses.map((clause) => `${clause}.`).join(' '),
  },
  failures: ({ count, lastGood }: { readonly count: number; readonly lastGood: string | null }) =>
    `${countedText(count, 'failure')} in a row, ${lastGood === null ? 'none good so far' : `last good ${lastGood}`}.`,
}

/** Names of one source, plus the members shared by all languages. */
interface SourceRow extends SourceNames {
  readonly peer: Peer
  /** The setting that switches the source off; omitted if it is the peer's `addressKey`. */
  readonly switchKey?: string
}

const proxy: Peer = {
  name: 'the proxy',
  addressKey: 'upstream_url',
  isFile: false,
  reachable: 'Check that the proxy runs and that upstream_url is right.',
  calmer: 'Raise refresh_seconds if this stays.',
}

export const sourceRows: Readonly<Record<SourceId, SourceRow>> = {
  gateway: {
    title: 'gateway',
    peer: {
      ...proxy,
      // The second key defaults to a value derived from the first.
      addressKey: 'upstream_url / gateway_health_url',
      reachable:
        'Check that the proxy runs and that upstream_url is right, and gateway_health_url where it is set.',
    },
  },
  accounts: { title: 'account list', peer: proxy },
  direct_quota: {
    title: 'direct quota',
    switchKey: 'quota_transport',
    peer: {
      ...proxy,
      name: 'the vendor',
      reachable: 'Check that the proxy can reach the vendor.',
      calmer: 'Lower quota_probes_per_minute if this stays.',
    },
  },
  usage_statistics: { title: 'usage statistics', peer: proxy },
  usage: { title: 'usage records', peer: proxy, verb: 'Read', switchKey: 'usage_source' },
  history: {
    title: 'history store',
    peer: { ...proxy, name: 'the history store', addressKey: 'state_db', isFile: true },
    verb: 'Written',
  },
  client_labels: {
    title: 'client labels',
    peer: filePeer('the client labels', 'client_labels_file'),
    verb: 'Read',
  },
  benchmark: {
    title: 'benchmark summary',
    peer: filePeer('the benchmark summary', 'benchmark_summary'),
    verb: 'Read',
  },
}

export function sourceName(id: SourceId): string {
  return sourceRows[id].title
}

function filePeer(name: string, addressKey: string): Peer {
  const advice = `Check the file that ${addressKey} names.`
  return { name, addressKey, isFile: true, reachable: advice, calmer: advice }
}

/** Result of a benchmark run in one or two sentences. */
export function benchmarkText(
  { generatedAt, speedup, tokenOverheadRatio, weeklyToFiveHourMultiplier }: BenchmarkSummary,
  text: Zone,
): string {
  const findings = [
    speedup === null ? null : `median speed-up ${figure(speedup)}`,
    tokenOverheadRatio === null ? null : `${figure(tokenOverheadRatio)} of the tokens`,
    weeklyToFiveHourMultiplier === null
      ? null
      : `suggests weekly_to_five_hour_multiplier = ${weeklyToFiveHourMultiplier}`,
  ].filter((finding) => finding !== null)
  const run =
    generatedAt === null ? 'A run without a date' : `The run of ${text.dateText(generatedAt)}`
  return `${run}: ${findings.length === 0 ? 'no figures' : findings.join(', ')}.`
}

function figure(ratio: number): string {
  return `${Number(ratio.toPrecision(3))} ×`
}

/** State of a plugin and its remedy. */
interface SchedulerWords {
  readonly what: string
  /** Left out if there is nothing to do. */
  readonly remedy?: string
}

/** Scheduler plugins of proxies, which route by the ranking. */
export const schedulers = {
  title: (version: string) => `Scheduler plugin ${version}`,
  states: {
    routes: { what: 'Routes requests by the ranking.' },
    waits: { what: 'Follows the ranking and waits for a request.' },
    unreported: {
      what: 'Reads the ranking. This version does not report whether it routes by it.',
      remedy: 'Update the plugin.',
    },
    pauses: { what: 'Does not ask now. It pauses after five minutes without requests.' },
    silent: {
      what: 'Has stopped asking while requests come: they go by the strategy of the proxy.',
      remedy: 'Look at the log of the proxy, and at the url of the plugin.',
    },
    not_following: {
      what: 'Asks, and cannot use the answers: requests go by the strategy of the proxy.',
      remedy: 'The log of the proxy gives the reason.',
    },
    not_consulted: {
      what: 'Follows the ranking, and the proxy routes requests without it: another scheduler plugin comes first.',
      remedy: 'Give this plugin a higher priority, or switch the other one off.',
    },
    picks_nothing: {
      what: 'Leaves every request to the proxy: each account is blocked, or this service does not watch the accounts of the proxy.',
      remedy: 'Look at the list of accounts, and at the url and upstream of the plugin.',
    },
    refused_host: {
      what: 'Its questions are refused: the host in its url is not allowed.',
      remedy: 'Start the service with that host as --allowed-host.',
    },
    refused_upstream: {
      what: 'Its questions are refused: its setting upstream names a proxy that is not watched.',
      remedy: 'Set upstream to a name in the configuration of this service, or leave it out.',
    },
  } as Readonly<Record<SchedulerState, SchedulerWords>>,
}
