import type { EpochMs, HealthAction, KeyFileProblem, NamedAccount } from '@svc/core'
import { type ActionWords, historyActionWords } from './history-words.ts'
import { sourceName } from './source-text.ts'
import { capitalised, countedText, durationText, unitsText, type WireText } from './wire-text.ts'

/** What a faulty part of the setup or the pool asks of the operator. */
export function actionWords(action: HealthAction, now: EpochMs, text: WireText): ActionWords {
  switch (action.code) {
    case 'gateway_down':
      return {
        kind: 'gateway',
        title: 'Gateway is down',
        badge: 'Down',
        summary: `The proxy has not answered its health check since ${text.momentText(action.since, now)}.`,
        note: 'Start the proxy, or correct gateway_health_url.',
      }
    case 'management_key_missing':
      return {
        kind: 'auth',
        title: 'No management key',
        badge: 'No key',
        summary: 'Without it neither accounts nor quota can be read.',
        note: 'Set management_key_file to the file that holds the management key of the proxy.',
      }
    case 'management_key_unreadable':
      return {
        kind: 'auth',
        title: 'Management key file cannot be used',
        badge: 'Key file',
        ...keyFileWords[action.reason],
        detail: 'It is tried again by itself; no restart is needed.',
      }
    case 'management_key_refused':
      return managementRefused(action, now, text)
    case 'management_banned':
      return {
        kind: 'auth',
        title: 'Banned by the proxy',
        badge: 'Banned',
        summary: `After too many wrong keys the proxy bans this address until ${text.momentText(action.until, now)}.`,
        detail: 'The monitor stays silent until then.',
        note: 'Correct the management key before the ban ends.',
      }
    case 'key_file_readable_by_others':
      return {
        kind: 'config',
        title: 'Key file is open to others',
        badge: 'Key file',
        summary: 'Other users of this machine can read the management key file.',
        note: 'Make it readable by this service alone (chmod 600).',
      }
    case 'labels_file_readable_by_others':
      return {
        kind: 'config',
        title: 'Labels file is open to others',
        badge: 'Labels',
        summary: 'Other users of this machine can read the client-label file, which holds client keys.',
        note: 'Make it readable by this service alone (chmod 600).',
      }
    case 'auth_files_readable_by_others':
      return {
        kind: 'config',
        title: 'Auth files are open to others',
        badge: 'Auth files',
        summary: 'Other users of this machine can read files in auth_dir, which hold account tokens.',
        note: 'Take the folder from others (chmod 700), or the files (chmod 600).',
      }
    case 'clock_doubted':
      return clockDoubted(action)
    case 'history_failing':
    case 'history_unreadable':
    case 'history_wal_large':
    case 'history_backlog':
    case 'usage_missed':
    case 'usage_statistics_off':
    case 'usage_rival':
    case 'usage_retention_short':
      return historyActionWords(action, now, text)
    case 'snapshot_partial':
      return {
        kind: 'upstream',
        title: 'Some sources failed',
        badge: 'Partial',
        summary: `${capitalised(action.failedSources.map(sourceName).join(', '))} failed. Other numbers are current.`,
        note: 'Look at the failed source for what to do about it.',
      }
    case 'snapshot_stale':
      return {
        kind: 'upstream',
        title: 'Old account list',
        badge: 'Stale',
        summary: `The proxy last answered ${text.whenText(action.sampledAt, now)}; its last data is still shown.`,
        note: 'Check that the proxy runs and can be reached.',
      }
    case 'snapshot_unavailable':
      return {
        kind: 'upstream',
        title: 'No data yet',
        badge: 'No data',
        summary: 'No account list has been read so far.',
        note: 'See the other actions and the sources for what is missing.',
      }
    case 'auth_invalid':
      return accountTrouble(action.accounts, {
        kind: 'auth',
        title: 'Auth invalid',
        summaryOf: (who) => `${who}: the login is no longer accepted.`,
        note: 'Log in again on the proxy.',
      })
    case 'deactivated':
      return accountTrouble(action.accounts, {
        kind: 'auth',
        title: 'Deactivated',
        summaryOf: (who) => `${who}: the plan or workspace has ended.`,
        note: 'Renew the plan, or remove the account from the proxy.',
      })
    case 'account_unavailable':
      return accountTrouble(action.accounts, {
        kind: 'upstream',
        title: 'Unavailable',
        summaryOf: (who) => `${who}: reported unavailable by the proxy.`,
        note: "Look at the proxy's log.",
      })
    case 'quota_hit':
      return accountTrouble(action.accounts, {
        kind: 'quota',
        title: 'Quota hit',
        summaryOf: (who) => `${who}: used up, and no reset time is known.`,
        note: 'Look at the account at the vendor; its quota is queried again every 5 min.',
      })
    case 'nothing_routable':
      return nothingRoutable(action, now, text)
    case 'five_hour_below_minimum':
    case 'weekly_below_minimum':
      return {
        kind: 'threshold',
        title: `${action.code === 'weekly_below_minimum' ? 'Weekly' : '5h'} quota below the minimum`,
        badge: 'Low',
        summary: `${unitsText(action.knownUnits)} Plus left, the minimum is ${unitsText(action.minimumUnits)}.`,
        note: 'Slow down, or add accounts.',
      }
    case 'routable_below_minimum':
      return {
        kind: 'threshold',
        title: 'Too few routable accounts',
        badge: 'Few',
        summary: `${countedText(action.routableCount, 'routable account')}, the minimum is ${action.minimumCount}.`,
        note: 'Bring blocked accounts back, or add accounts.',
      }
    case 'direct_quota_degraded':
      return {
        kind: 'quota',
        title: 'Direct quota degraded',
        badge: 'Degraded',
        summary: `${action.recentFailed} of the last ${action.recentCount} direct quota queries failed.`,
        note: 'Check that the proxy can reach the vendor.',
      }
    case 'evaluation_stalled':
      return {
        kind: 'config',
        title: 'Data is no longer evaluated',
        badge: 'Stalled',
        summary: `Everything shown is as of ${text.momentText(action.since, now)}. The monitor restarts its evaluation and keeps trying.`,
        note: 'If this stays or comes back, look at the log and report it.',
      }
    case 'risky_listener':
      return {
        kind: 'config',
        title: 'Open to the network',
        badge: 'Open',
        summary: `The service listens on ${action.host} and asks no reader for a password.`,
        note: 'Listen on 127.0.0.1, or let an authenticated reverse proxy stand in front.',
      }
    default:
      return action satisfies never
  }
}

const keyFileWords: Readonly<Record<KeyFileProblem, Pick<ActionWords, 'summary' | 'note'>>> = {
  missing: { summary: 'The file named by management_key_file does not exist.', note: 'Create the file, or correct management_key_file.' },
  unreadable: { summary: 'The key file cannot be read.', note: 'Give this service read access to the key file.' },
  not_a_file: { summary: 'management_key_file does not name a regular file.', note: 'Point management_key_file at a regular file.' },
  foreign_owner: {
    summary: 'The key file belongs to another user, who could change it, so its key is not used.',
    note: 'Give the key file to the user of this service, or to root (chown).',
  },
  writable_by_others: {
    summary: 'Other users can write the key file or its folder, so its key is not used.',
    note: 'Let nobody but this user and root write the key file and the folders above it (chmod go-w, chown).',
  },
  too_large: { summary: 'The key file is too large to hold a key.', note: 'Put nothing but the management key into the file.' },
  empty: { summary: 'The key file is empty.', note: 'Put the management key into the file.' },
}

type ActionOf<Code extends HealthAction['code']> = Extract<HealthAction, { readonly code: Code }>

function managementRefused(action: ActionOf<'management_key_refused'>, now: EpochMs, text: WireText): ActionWords {
  const at = text.whenText(action.at, now)
  const nextAttempt = text.whenText(action.nextAttemptAt, now)
  const base = { kind: 'auth', badge: 'Refused', detail: `The next attempt is ${nextAttempt}, or as soon as the key changes.` } as const
  if (action.failure === 'forbidden') {
    return {
      ...base,
      title: 'Management access refused',
      summary: `The proxy refused management from this address ${at}.`,
      note: 'Allow remote management on the proxy, or run the monitor beside it.',
    }
  }
  return {
    ...base,
    title: 'Management key refused',
    summary: `The proxy refused the management key ${at}.`,
    note: 'Set the management key that the proxy is configured with.',
  }
}

const clockWitness: Readonly<Record<ActionOf<'clock_doubted'>['reason'], string>> = {
  proxy: 'the clock of the proxy',
  jump: 'the time it showed a moment ago',
  records: 'the newest record in the history',
}

function clockDoubted({ reason, aheadSeconds }: ActionOf<'clock_doubted'>): ActionWords {
  return {
    kind: 'config',
    title: 'Clock cannot be trusted',
    badge: 'Clock',
    summary: `The clock of this machine is ${durationText(Math.abs(aheadSeconds))} ${aheadSeconds > 0 ? 'ahead of' : 'behind'} ${clockWitness[reason]}.`,
    detail: `Until the clocks agree no usage is taken out of the proxy and no history is deleted.${reason === 'proxy' ? '' : ' A clock that runs evenly for five minutes is trusted again.'}`,
    note: 'Set the clock right, here or on the proxy, and let NTP keep it.',
  }
}

function nothingRoutable(action: ActionOf<'nothing_routable'>, now: EpochMs, text: WireText): ActionWords {
  const base = { kind: 'threshold', title: 'Nothing routable', badge: 'Blocked' } as const
  if (action.blockedCount === 0) {
    return {
      ...base,
      summary: 'No account can take work: the proxy has no Codex accounts.',
      note: 'Log a Codex account in on the proxy.',
    }
  }
  return {
    ...base,
    summary: `No account can take work: ${action.blockedCount === 1 ? 'the only one is' : `all ${action.blockedCount} are`} blocked.`,
    detail:
      action.firstBackAt === null
        ? 'None of them has a known time to come back.'
        : `First back ${text.whenText(action.firstBackAt, now)}, in ${durationText((action.firstBackAt - now) / 1000)}.`,
    note: 'Add an account, or wait for the first one to come back.',
  }
}

/** Accounts of a group that are named; the rest is counted. */
const NAMED_ACCOUNTS_MAX = 5

interface AccountTrouble {
  readonly kind: ActionWords['kind']
  readonly title: string
  readonly summaryOf: (who: string) => string
  readonly note: string
}

/** One account by its name; a group by its size, with the first few names. */
function accountTrouble(accounts: readonly NamedAccount[], { summaryOf, ...words }: AccountTrouble): ActionWords {
  const [first, ...others] = accounts
  if (first !== undefined && others.length === 0) return { ...words, badge: words.title, summary: summaryOf(first.title) }
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX).map((account) => account.title)
  const unnamedCount = accounts.length - named.length
  return {
    ...words,
    badge: words.title,
    summary: summaryOf(countedText(accounts.length, 'account')),
    detail: unnamedCount === 0 ? named.join(', ') : `${named.join(', ')} and ${unnamedCount} more`,
  }
}
