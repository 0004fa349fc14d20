import type { HealthAction } from '@svc/core'
import { BLOCKED_PROBE_SECONDS } from '@svc/core/account'
import { REFUSED_RETRY_SECONDS } from '@svc/core/service'
import { bytesText, capitalised, durationText, percentText } from '../../format/format.ts'
import {
  type ActionCondition,
  type ActionOf,
  storeVariant,
  storeVariants,
} from '../conditions/conditions.ts'
import { sharedWord } from '../names/names.ts'
import { storeWords } from './history-failures.ts'
import { namesIn, whoIn } from './names.ts'
import { notifyConditions } from './notices.ts'
import { loginWave, poolConditions } from './pool-actions.ts'
import { keyFileConditions, refusalRemedies } from './source-failures.ts'
import { sourceName, sources } from './sources.ts'
import { statuses } from './statuses.ts'

const OWN_FILE = 'Make it readable by this service alone (chmod 600).'
const RETENTION =
  'Raise redis-usage-queue-retention-seconds in the configuration of the proxy, up to 3600.'
const RETENTION_V8 =
  'Raise observability.usage.redis-usage-queue-retention-seconds in the configuration of the proxy, up to 3600 (redis-usage-queue-retention-seconds in a file without config-version: 8).'
const statusesIn = ({ accounts }: ActionOf<'quota_query_refused'>) => [
  ...new Set(accounts.map(({ httpStatus }) => httpStatus)),
]
const clockWitness: Readonly<Record<ActionOf<'clock_doubted'>['reason'], string>> = {
  proxy: 'the clock of the proxy',
  jump: 'the time it showed a moment ago',
  records: 'the newest record in the history',
}

/** Words of every health action, by code, in the order of docs/reference.md. */
export const actionConditions: {
  readonly [Wanted in HealthAction['code']]: ActionCondition<ActionOf<Wanted>>
} = {
  gateway_down: {
    kind: 'gateway',
    title: 'Gateway is down',
    badge: 'Down',
    summary: ({ since, address }, { now, text }) =>
      `${address === undefined ? 'The proxy' : sources.peerAt('The proxy', address)} has not answered its health check since ${text.momentText(since, now)}.`,
    remedy: 'Start the proxy, or correct upstream_url, or gateway_health_url where it is set.',
    more: 'The address must answer 2xx; proxies before v6.9.10 have no `/healthz`.',
  },
  management_key_missing: {
    kind: 'auth',
    title: 'No management key',
    badge: 'No key',
    summary: () => 'Without it neither accounts nor quota can be read.',
    remedy: 'Set management_key_file to the file that holds the management key of the proxy.',
  },
  management_key_unreadable: {
    kind: 'auth',
    title: 'Management key file cannot be used',
    badge: 'Key file',
    remedy: 'See on the Health page what is wrong with the file.',
    more: 'The reasons are below; no restart is needed.',
    detail: () => 'The monitor keeps trying; no restart is needed.',
    variants: keyFileConditions,
    variantOf: ({ reason }) => reason,
  },
  management_key_refused: {
    kind: 'auth',
    title: 'Management key refused',
    badge: 'Refused',
    summary: ({ at, failure }, { now, text }) =>
      `The proxy refused ${failure === 'forbidden' ? 'management from this address' : 'the management key'} ${text.whenText(at, now)}.`,
    detail: ({ nextAttemptAt }, { now, text }) =>
      `The next attempt is ${text.whenText(nextAttemptAt, now)}, or as soon as the key changes: more of them could make the proxy lock this host out.`,
    remedy: refusalRemedies.unauthorized,
    more: `The next attempt is after ${durationText(REFUSED_RETRY_SECONDS)}, or at once when the key changes.`,
    variants: {
      forbidden: {
        title: 'Management access refused',
        remedy: refusalRemedies.forbidden,
      },
    },
    variantOf: ({ failure }) => failure,
  },
  management_banned: {
    kind: 'auth',
    title: 'Banned by the proxy',
    badge: 'Banned',
    summary: ({ until }, { now, text }) =>
      `After too many wrong keys the proxy bans this address until ${text.momentText(until, now)}.`,
    detail: () => 'The monitor stays silent until then.',
    remedy: refusalRemedies.banned,
  },
  key_file_readable_by_others: {
    kind: 'config',
    title: 'Key file is open to others',
    badge: 'Key file',
    summary: () => 'Other users of this machine can read the management key file.',
    remedy: OWN_FILE,
  },
  labels_file_readable_by_others: {
    kind: 'config',
    title: 'Labels file is open to others',
    badge: 'Labels',
    summary: () =>
      'Other users of this machine can read the client-label file, which holds client keys.',
    remedy: OWN_FILE,
  },
  password_file_readable_by_others: {
    kind: 'config',
    title: 'Password file is open to others',
    badge: 'Password',
    summary: () =>
      'Other users of this machine can read state_db_password_file, which opens the history.',
    remedy: OWN_FILE,
  },
  auth_files_readable_by_others: {
    kind: 'config',
    title: 'Auth files are open to others',
    badge: 'Auth files',
    summary: () =>
      'Other users of this machine can read files in auth_dir, which hold account tokens.',
    remedy: 'Close the folder to others (chmod 700), or the files (chmod 600).',
  },
  clock_doubted: {
    kind: 'config',
    title: 'Clock cannot be trusted',
    badge: 'Clock',
    summary: ({ reason, aheadSeconds }) =>
      `The clock of this machine is ${durationText(Math.abs(aheadSeconds))} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} ${clockWitness[reason]}.`,
    detail: ({ reason }) =>
      `Until the clocks agree, no usage is taken out of the proxy and no history is deleted.${reason === 'proxy' ? '' : ' A clock that runs evenly for five minutes is trusted again.'}`,
    remedy: 'Set the clock right, here or on the proxy, and let NTP keep it.',
    more: 'Until then no usage is taken out of the proxy and no history is deleted.',
  },
  snapshot_partial: {
    kind: 'upstream',
    title: 'Some sources failed',
    badge: 'Partial',
    summary: ({ failedSources, failedAt = [], unread = [], old = [], othersCurrent }) =>
      [
        `${capitalised(failedSources.map(sourceName).join(', '))} failed${failedAt.length === 0 ? '' : ` at ${failedAt.join(', ')}`}.`,
        ...(unread.length === 0 ? [] : [`The accounts of ${unread.join(', ')} are not counted.`]),
        ...(old.length === 0 ? [] : [`The accounts of ${old.join(', ')} count as last read.`]),
        ...(othersCurrent ? ['Other numbers are current.'] : []),
      ].join(' '),
    remedy: 'Look at the failed source for what to do about it.',
  },
  snapshot_stale: {
    kind: 'upstream',
    title: 'Old account list',
    badge: 'Stale',
    summary: ({ sampledAt }, { now, text }) =>
      `The account list was last read ${text.whenText(sampledAt, now)}; that one is still shown.`,
    remedy: 'Look at the account list among the sources for what to do about it.',
  },
  snapshot_unavailable: {
    kind: 'upstream',
    title: 'No data yet',
    badge: 'No data',
    summary: () => 'No account list has been read so far.',
    remedy: 'Look at the sources for what is missing.',
  },
  auth_invalid: {
    kind: 'auth',
    title: statuses.names.auth_invalid,
    badge: statuses.names.auth_invalid,
    summary: (action) => `${whoIn(action)}: the login is no longer accepted.`,
    detail: namesIn,
    remedy: 'Log in again on the proxy.',
  },
  deactivated: {
    kind: 'auth',
    title: statuses.names.deactivated,
    badge: statuses.names.deactivated,
    summary: (action) => `${whoIn(action)}: the plan or workspace has ended.`,
    detail: namesIn,
    remedy: 'Renew the plan, or remove the account from the proxy.',
  },
  login_wave: loginWave,
  account_unavailable: {
    kind: 'upstream',
    title: statuses.names.unavailable,
    badge: statuses.names.unavailable,
    summary: (action) => `${whoIn(action)}: reported unavailable by the proxy.`,
    detail: namesIn,
    remedy: "Look at the proxy's log.",
  },
  quota_hit: {
    kind: 'quota',
    title: statuses.names.quota_hit,
    titleOf: ({ accounts }) => sharedWord(accounts, statuses),
    badge: statuses.names.quota_hit,
    summary: (action) => `${whoIn(action)}: no reset time is known.`,
    detail: namesIn,
    remedy: `Look at the account at the vendor; its quota is queried again every ${BLOCKED_PROBE_SECONDS / 60} min.`,
  },
  quota_query_refused: {
    kind: 'quota',
    title: 'Quota queries refused',
    badge: 'Refused',
    summary: (action) =>
      `${whoIn(action)}: the vendor refuses to tell the quota (status ${statusesIn(action).join(', ')}).`,
    detail: namesIn,
    remedy:
      'Look at the account at the vendor; if it no longer works, log in again on the proxy, or remove it there.',
    more: 'A refusal (HTTP 4xx) that the monitor does not know, repeated for an hour. It alone takes no account out of use.',
  },
  ...poolConditions,
  direct_quota_degraded: {
    kind: 'quota',
    title: 'Direct quota degraded',
    badge: 'Degraded',
    summary: ({ recentFailed, recentCount }) =>
      `${recentFailed} of the last ${recentCount} direct quota queries failed.`,
    remedy: 'Check that the proxy can reach the vendor.',
  },
  history_failing: {
    kind: 'history',
    title: 'History is not written',
    badge: 'Store',
    remedy: 'See on the Health page why, or run doctor, which checks the store.',
    more: 'The reasons are below. Nothing is taken out of the proxy meanwhile; quota goes on.',
    detail: ({ since }, { now, text }) =>
      `Since ${text.momentText(since, now)}. Reading from the proxy's queue is paused; the monitor keeps retrying.`,
    variants: storeVariants(storeWords),
    variantOf: ({ reason, engine }) => storeVariant(storeWords, reason, engine),
  },
  history_unreadable: {
    kind: 'history',
    title: 'History is not read',
    badge: 'Store',
    summary: () => 'Reading the store fails, and the reader cannot tell why.',
    remedy: 'Run doctor, which checks the store; restart the service if it finds nothing.',
    more: 'The reasons are below. Usage is stored as before, but charts and totals are missing or older.',
    detail: ({ since }, { now, text }) =>
      `Since ${text.momentText(since, now)}. Usage is stored as before. Charts and totals are missing, or older than that.`,
    variants: storeVariants(storeWords),
    variantOf: ({ reason, engine }) => storeVariant(storeWords, reason, engine),
  },
  history_wal_large: {
    kind: 'history',
    title: 'WAL file of the history grows',
    badge: 'Store',
    summary: ({ walBytes }) =>
      `It holds ${bytesText(walBytes)}, because another program keeps reading the store.`,
    remedy: 'Close the program that keeps the history database open.',
  },
  history_disk_filling: {
    kind: 'history',
    title: 'Disk of the history fills up',
    badge: 'Disk',
    summary: ({ freeBytes, days }) => sources.disk({ free: bytesText(freeBytes), days }),
    remedy: 'Make room on the disk of state_db, or lower usage_retention_days.',
  },
  history_backlog: {
    kind: 'history',
    title: 'Old history is deleted slowly',
    badge: 'Backlog',
    summary: ({ backlogSeconds }) =>
      `The oldest rows are ${durationText(backlogSeconds)} older than usage_retention_days keeps them.`,
    detail: () => 'They are deleted little by little, so that new usage never waits.',
    remedy: 'Wait; where this stays, give the store faster storage.',
    more: 'After an import, or with a shorter retention, this is expected for a while.',
  },
  history_lagging: {
    kind: 'history',
    title: 'Charts lag behind',
    badge: 'Lag',
    summary: ({ lagSeconds }) =>
      `The standby that charts are read from is ${durationText(lagSeconds)} behind.`,
    detail: () => 'Usage is stored as before; charts and totals show it later.',
    remedy: 'Remove what holds the standby up, or leave state_db_replica out.',
    more: 'A long query there, a slow network or a slow disk holds a standby up; pg_stat_replication of the primary says how far it is.',
  },
  prices_stale: {
    kind: 'history',
    title: 'Prices are out of date',
    badge: 'Prices',
    summary: ({ share }) => `${percentText(100 * share)} of the tokens of 7 days have no price.`,
    detail: () => 'The view Prices and GET /api/v1/prices list their models, most tokens first.',
    remedy: 'Fetch a newer price_file, or give those models a price in price_overrides.',
    more: 'Shows once more than 10 % had no price for a day, which begins anew with a restart. The view Prices and `GET /api/v1/prices` list the models.',
  },
  usage_failing: {
    kind: 'history',
    title: 'Usage is not read',
    badge: 'Usage',
    summary: ({ since }, { now, text }) =>
      `No usage has been read since ${text.momentText(since, now)}, though the proxy answers.`,
    detail: () => 'What the proxy no longer keeps counts as missed, while this lasts.',
    remedy: 'Look at the usage records among the sources for what to do about it.',
    more: 'It shows once usage has failed for 5 min; what the proxy no longer keeps counts as missed meanwhile.',
  },
  usage_missed: {
    kind: 'history',
    title: 'Usage was missed',
    badge: 'Gap',
    summary: ({ missedSeconds }) =>
      `In the last 24 h usage may be missing for ${durationText(missedSeconds)} in all.`,
    detail: () =>
      'Nobody asked the proxy for longer than it keeps records, a batch was lost on its way, or another program took records.',
    remedy:
      'Raise redis-usage-queue-retention-seconds in the configuration of the proxy, up to 3600 (observability.usage.redis-usage-queue-retention-seconds with config-version: 8).',
  },
  usage_statistics_off: {
    kind: 'history',
    title: 'Usage statistics are off',
    badge: 'Off',
    summary: () => 'The proxy records no usage, so there is none to keep.',
    remedy: 'Set usage-statistics-enabled: true in the configuration of the proxy.',
    variants: {
      v8: {
        remedy:
          'Set observability.usage.usage-statistics-enabled: true in the configuration of the proxy (usage-statistics-enabled in a file without config-version: 8).',
      },
    },
    variantOf: ({ generation = null }) => generation,
  },
  usage_rival: {
    kind: 'history',
    title: 'Usage goes elsewhere',
    badge: 'Shared queue',
    summary: () =>
      'The proxy has counted more requests than its usage queue handed to this monitor: another program seems to read it.',
    detail: () =>
      'The queue gives each record to one reader only. What is missing is counted. The action stays until ten minutes have passed without a loss. Requests that only count tokens leave no record either.',
    remedy:
      'Make both subscribe: usage_source = "subscribe" here, and the other tool by its own setting; or let one program alone read the queue.',
    more: 'What is missing is counted, and the action stays until ten minutes have passed without a loss. Requests that only count tokens leave no record either.',
  },
  usage_way_lost: {
    kind: 'history',
    title: 'Usage is not subscribed to',
    badge: 'Popped',
    summary: () =>
      'usage_source asks for a subscription, but the proxy speaks no RESP at this address: its queue is read instead.',
    detail: () => 'Beside a program that subscribes, the queue gives nothing.',
    remedy:
      'Set upstream_url to the port of the proxy itself, without a gateway or a path, or usage_source = "auto".',
    more: 'RESP is tried again every 15 min. Beside a program that subscribes, the queue gives nothing.',
  },
  subscriber_dropped: {
    kind: 'history',
    title: 'Usage was read too slowly',
    badge: 'Dropped',
    summary: () =>
      'The proxy ended the subscription because its records were not read fast enough; usage may be missing.',
    detail: () => 'The gap is recorded, and the subscription has begun again.',
    remedy: 'Look at the disk or the database of the history: it stores too slowly.',
    more: 'It shows for ten minutes. The gap is recorded, and the subscription begins again by itself.',
  },
  usage_retention_short: {
    kind: 'history',
    title: 'Usage is kept too briefly',
    badge: 'Retention',
    summary: ({ retentionSeconds, neededSeconds }) =>
      `The proxy keeps unread usage for ${durationText(retentionSeconds)}; less than ${durationText(neededSeconds)} loses some at the first hiccup.`,
    remedy: RETENTION,
    variants: { v8: { remedy: RETENTION_V8 } },
    variantOf: ({ generation = null }) => generation,
  },
  risky_listener: {
    kind: 'config',
    title: 'Open to the network',
    badge: 'Open',
    summary: ({ host }) => `The service listens on ${host} and asks no reader for a password.`,
    remedy: 'Listen on 127.0.0.1, or let an authenticated reverse proxy stand in front.',
  },
  notify_failing: {
    kind: 'config',
    title: 'Messages do not arrive',
    badge: 'Messages',
    remedy: 'See on the Health page why, or run notify --test.',
    more: 'The reasons are below. A target is never told that it fails; the others are.',
    detail: ({ target, since }, { now, text }) =>
      `No message has reached ${target} since ${text.momentText(since, now)}.`,
    variants: notifyConditions,
    variantOf: ({ failure }) => failure,
  },
  evaluation_stalled: {
    kind: 'config',
    title: 'Data is no longer evaluated',
    badge: 'Stalled',
    summary: ({ since }, { now, text }) =>
      `Everything shown is as of ${text.momentText(since, now)}. The monitor restarts its evaluation and keeps trying.`,
    remedy: 'If this stays or comes back, look at the log and report it.',
  },
}

/** Codes of all actions: a closed set, so that metrics and documents can list them. */
export const healthActionCodes = Object.keys(actionConditions) as readonly HealthAction['code'][]
