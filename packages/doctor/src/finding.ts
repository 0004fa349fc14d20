import type { PriceFileFault } from '@svc/collector'
import type { ConfigErrorCode } from '@svc/config'
import type { Tone } from '@svc/core'
import type {
  HistoryFailureCode,
  KeyFileProblem,
  SchedulerState,
  SourceFailureCode,
  UpstreamName,
} from '@svc/core/service'
import { secretFileProblems } from '@svc/secret-files'

/** Verdict on a refused file. `what` names the file, `key` the setting. */
export function refusedFile(reason: KeyFileProblem, what: string, key: string): CheckVerdict {
  const [why, remedy] = secretFileProblems[reason]
  return fail(reason, `${what} ${why}`, remedy.replace('KEY', key))
}

/** One line of the doctor's report. */
export interface Finding {
  /** Id of the check. Stable, for scripts. */
  readonly id: CheckId
  /** Proxy of the finding; left out if only one is watched, and for findings about all proxies. */
  readonly upstream?: UpstreamName
  /** Target of messages of the finding; left out for all others. */
  readonly target?: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  /** Result code. Stable, for scripts. */
  readonly code: FindingCode
  readonly title: string
  /** Result as text; never contains a secret. */
  readonly detail: string
  /** Advice to the operator; empty if there is nothing to do. */
  readonly hint: string
}

/** Result codes specific to doctor, in addition to the failure codes of core and the configuration. */
type OwnCode =
  /* Nothing to do. */
  | 'ok'
  | 'not_used'
  | 'not_judged'
  | 'not_told'
  | 'not_read'
  | 'not_running'
  | 'not_made_yet'
  | 'already_running'
  /* Files and folders. */
  | 'writable_by_others'
  | 'readable_by_others'
  | 'dangling_link'
  | 'shared_file_system'
  | 'disk_low'
  | 'outgrown'
  | 'not_a_folder'
  | 'no_files'
  | 'unreadable_files'
  | 'broken_files'
  | 'foreign_files'
  | 'unlisted_files'
  | 'two_labels'
  | 'no_known_files'
  /* The management key. */
  | 'not_set'
  | 'hashed_key'
  | 'quoted_key'
  | 'named_key'
  | 'bearer_key'
  | 'placeholder_key'
  /* The connection to the proxy. */
  | 'path_in_url'
  | 'own_port'
  | 'another_monitor'
  | 'plain_http'
  | 'extra_ca_unreadable'
  | 'extra_ca_no_certificate'
  | 'certificates_unchecked'
  | 'unspecified_address'
  | 'login_in_front'
  | 'forbidden_in_front'
  | 'web_page'
  | 'speaks_tls'
  | 'speaks_no_tls'
  | 'certificate_unknown_authority'
  | 'certificate_expired'
  | 'certificate_wrong_name'
  | 'connection_refused'
  | 'not_found'
  | 'slow'
  /* Targets of messages. */
  | 'bad_address'
  | 'unknown_host'
  /* The proxy and its usage. */
  | 'unknown'
  | 'unreadable_entries'
  | 'no_accounts'
  | 'apart'
  | 'not_offered'
  | 'wrong_source'
  | 'off'
  | 'not_loaded'
  | 'not_asking'
  | SchedulerState
  | 'short'
  | 'short_for_database'
  | 'usage_rival'
  | 'way_lost'
  /* The database of the history. */
  | 'superuser'
  | 'not_encrypted'
  | 'not_a_standby'
  | 'behind'
  /* The listener and the configuration. */
  | 'in_use'
  | 'not_permitted'
  | 'foreign_address'
  | 'cannot_listen'
  | 'open_refresh'
  | 'open_listener'
  | 'public_suffix'
  | 'squatted'
  | 'price_overrides_invalid'
  | 'several_mistakes'
  | 'untested'

/** Every result code. The union is closed, so that no check can use an unknown code. */
export type FindingCode =
  | OwnCode
  | SourceFailureCode
  | HistoryFailureCode
  | KeyFileProblem
  | PriceFileFault
  | ConfigErrorCode
  /** State of the running service. */
  | Tone

/** Result of one check; the other members of a finding follow from the check's id. */
export type CheckVerdict = Pick<Finding, 'status' | 'code' | 'detail' | 'hint'>

export type Verdicts = Partial<Record<CheckId, CheckVerdict>>

/** Every check, in the order of the report. */
export const checkTitles = {
  'config.file': 'Configuration',
  node: 'Node',
  time_zone: 'Time zone',
  management_key: 'Management key',
  'upstream.address': 'Address of the proxy',
  'upstream.health': 'Gateway',
  'upstream.transport': 'Way to the proxy',
  'upstream.management': 'Management API',
  'upstream.providers': 'Providers',
  'upstream.version': 'Version of the proxy',
  'upstream.generation': 'Generation of the management API',
  'upstream.plugins': 'Plugins of the proxy',
  'upstream.clock': 'Clocks',
  'upstream.usage': 'Usage records',
  'upstream.usage_statistics': 'Usage statistics',
  'upstream.queue_retention': 'Queue retention',
  'upstream.queue_rival': 'Second reader of the queue',
  auth_dir: 'Auth directory',
  sqlite: 'SQLite',
  state_db: 'History store',
  'state_db.disk': 'Disk of the store',
  'state_db.file_system': 'File system of the store',
  'state_db.outgrown': 'Size of the store',
  'state_db.reachable': 'Database',
  'state_db.tls': 'Encryption to the database',
  'state_db.role': 'Role in the database',
  'state_db.version': 'Version of the database',
  'state_db.lag': 'Standby of the database',
  'state_db.partitions': 'Days in the database',
  bind: 'Listener',
  service: 'Running service',
  listen_risk: 'Who can reach it',
  allowed_hosts: 'Allowed hosts',
  localhost: 'Name localhost',
  client_labels: 'Client labels',
  benchmark: 'Benchmark summary',
  price_file: 'Price file',
  price_overrides: 'Own prices',
  notify: 'Messages',
} as const
export type CheckId = keyof typeof checkTitles
export const checkIds = Object.keys(checkTitles) as readonly CheckId[]

export const ok = (detail: string, code: FindingCode = 'ok'): CheckVerdict => ({
  status: 'ok',
  code,
  detail,
  hint: '',
})
export const warn = (code: FindingCode, detail: string, hint: string): CheckVerdict => ({
  status: 'warn',
  code,
  detail,
  hint,
})
export const fail = (code: FindingCode, detail: string, hint: string): CheckVerdict => ({
  status: 'fail',
  code,
  detail,
  hint,
})
export const skip = (why: string, code: FindingCode = 'not_used'): CheckVerdict => ({
  status: 'skip',
  code,
  detail: why,
  hint: '',
})
/** Verdict of a check that cannot be judged because check `id` did not succeed. */
export const skippedBecause = (id: CheckId): CheckVerdict =>
  skip(`skipped: needs ${id}`, 'not_judged')
