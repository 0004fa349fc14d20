import { inspectSecretFile } from '@svc/collector'
import type { Config } from '@svc/config'
import { type EpochMs, plusMs } from '@svc/core'
import { type HistoryFailureCode, type KeyFileProblem, LAG_SECONDS_MAX } from '@svc/core/service'
import type { DatabaseInspection } from '@svc/history'
import {
  actionConditions,
  clauseOf,
  databaseConditions,
  storeCondition,
  storeConditions,
} from '@svc/views/messages'
import {
  type CheckId,
  fail,
  ok,
  skip,
  skippedBecause,
  type Verdict,
  type Verdicts,
  warn,
} from './finding.ts'

/** What is judged of a database alone. */
export const databaseCheckIds = [
  'state_db.reachable',
  'state_db.tls',
  'state_db.role',
  'state_db.version',
  'state_db.lag',
  'state_db.partitions',
] as const satisfies readonly CheckId[]

type DatabaseCheck = (typeof databaseCheckIds)[number]

/** Every one of these checks with the same verdict. */
export function databaseVerdicts(verdict: Verdict): Record<DatabaseCheck, Verdict> {
  return Object.fromEntries(databaseCheckIds.map((id) => [id, verdict])) as Record<
    DatabaseCheck,
    Verdict
  >
}

/** Which check a failure to log in is about: those before it succeeded. */
const CHECK_OF_FAILURE: Readonly<Partial<Record<HistoryFailureCode, DatabaseCheck>>> = {
  not_trusted: 'state_db.tls',
  login_refused: 'state_db.role',
  not_permitted: 'state_db.role',
  server_too_old: 'state_db.version',
  newer_version: 'state_db.partitions',
}
const IN_ORDER: readonly DatabaseCheck[] = [
  'state_db.reachable',
  'state_db.tls',
  'state_db.role',
  'state_db.version',
  'state_db.partitions',
]

/** The database that keeps the history. It is logged in to once, and to its standby once where that succeeds. */
export async function databaseChecks(
  { stateDb, stateDbPasswordFile, stateDbReplica, usageRetentionDays }: Config['history'],
  now: EpochMs,
): Promise<Verdicts> {
  const address = stateDb ?? ''
  const state_db = await passwordVerdict(address, stateDbPasswordFile)
  if (state_db.status === 'fail')
    return { state_db, ...databaseVerdicts(skippedBecause('state_db')) }
  const found = await inspected(address, stateDbPasswordFile)
  if ('code' in found) return { state_db, ...failedAt(found.code, address) }
  const { version, days, hasTables } = found
  return {
    state_db,
    'state_db.reachable': ok('it answers'),
    'state_db.tls': encryptionVerdict(address),
    'state_db.role': roleVerdict(found),
    'state_db.version': ok(`PostgreSQL ${version}`),
    'state_db.lag':
      stateDbReplica === null
        ? skip('state_db_replica is not set')
        : await standbyVerdict(stateDbReplica, stateDbPasswordFile),
    'state_db.partitions': hasTables
      ? daysVerdict(days, usageRetentionDays, now)
      : ok('the tables will be made at the first start', 'not_made_yet'),
  }
}

async function inspected(
  address: string,
  passwordFile: string | null,
): Promise<DatabaseInspection | { readonly code: HistoryFailureCode }> {
  const { HistoryError, inspectDatabase } = await import('@svc/history')
  try {
    return await inspectDatabase(address, passwordFile)
  } catch (error) {
    if (error instanceof HistoryError) return error
    throw error
  }
}

/** Why a password is not taken from its file, and what helps. */
const passwordProblems: Readonly<Record<KeyFileProblem, readonly [what: string, remedy: string]>> =
  {
    missing: ['does not exist', 'Create the file, or correct state_db_password_file.'],
    unreadable: ['cannot be read', 'Let the user of the service read it.'],
    not_a_file: ['is not a regular file', 'Point state_db_password_file at a regular file.'],
    foreign_owner: [
      'belongs to another user, who could change it',
      'Give it to the user of this service, or to root (chown).',
    ],
    writable_by_others: [
      'can be written by other users, or its folder can',
      'Remove write permission for others from the file and the folders above it (chmod go-w).',
    ],
    too_large: ['is too large to hold a password', 'Put nothing but the password into the file.'],
    empty: ['is empty', 'Put the password into the file.'],
  }

/** The file of the password, which is not sent where it cannot be right. The address holds none. */
async function passwordVerdict(address: string, passwordFile: string | null): Promise<Verdict> {
  if (passwordFile === null)
    return ok(`${address}; the password is that of PGPASSFILE or PGPASSWORD, if any`)
  const seen = await inspectSecretFile(passwordFile)
  if ('problem' in seen) {
    const [what, remedy] = passwordProblems[seen.problem]
    return fail(seen.problem, `the password file ${passwordFile} ${what}`, remedy)
  }
  return seen.readableByOthers
    ? warn(
        'readable_by_others',
        `${address}; other users of this machine can read its password in ${passwordFile}`,
        actionConditions.password_file_readable_by_others.remedy,
      )
    : ok(`${address}, with the password of ${passwordFile}`)
}

/** The checks before the one that a failure is about have succeeded, those after it cannot be judged. */
function failedAt(code: HistoryFailureCode, address: string): Verdicts {
  const failed = CHECK_OF_FAILURE[code] ?? 'state_db.reachable'
  const { summary, remedy } = wordsOf(code)
  const verdicts: Record<DatabaseCheck, Verdict> = databaseVerdicts(skippedBecause(failed))
  for (const id of IN_ORDER.slice(0, IN_ORDER.indexOf(failed)))
    verdicts[id] = id === 'state_db.tls' ? encryptionVerdict(address) : ok('it answers')
  verdicts[failed] = fail(code, clauseOf(summary), remedy)
  return verdicts
}

const wordsOf = (code: HistoryFailureCode) =>
  storeCondition({ file: storeConditions, database: databaseConditions }, code, 'postgres')

/** The driver obeys the address, so that what is agreed on is what stands there. */
function encryptionVerdict(address: string): Verdict {
  return new URL(address).searchParams.get('sslmode') === 'verify-full'
    ? ok('encrypted, and the server has proved its name')
    : ok('not encrypted, on this machine', 'not_encrypted')
}

function roleVerdict({
  role,
  isSuperuser,
  mayMakeTables,
  ownsTables,
  isStandby,
}: DatabaseInspection): Verdict {
  if (isStandby) return fail('read_only', 'the server is a standby', wordsOf('read_only').remedy)
  if (!mayMakeTables || !ownsTables)
    return fail(
      'not_permitted',
      mayMakeTables
        ? `tables of the history belong to another role than ${role}`
        : `${role} may make no tables in the schema svc_quota_monitor`,
      wordsOf('not_permitted').remedy,
    )
  return isSuperuser
    ? warn(
        'superuser',
        `${role} is a superuser: its password opens every database of the server`,
        'Use a role that owns the schema svc_quota_monitor and nothing else; init postgres writes how.',
      )
    : ok(role)
}

async function standbyVerdict(address: string, passwordFile: string | null): Promise<Verdict> {
  const found = await inspected(address, passwordFile)
  if ('code' in found) {
    const { summary, remedy } = wordsOf(found.code)
    return fail(found.code, `state_db_replica: ${clauseOf(summary)}`, remedy)
  }
  if (!found.isStandby)
    return warn(
      'not_a_standby',
      'state_db_replica is no standby: it repeats nothing of state_db',
      'Name a standby of state_db, or remove state_db_replica.',
    )
  const lag = `${Math.round(found.lagSeconds)} s behind`
  return found.lagSeconds > LAG_SECONDS_MAX
    ? warn('behind', lag, 'Look why the standby does not keep up; charts are as old as that.')
    : ok(lag)
}

const DAY_MS = 86_400_000

function daysVerdict(days: readonly string[], retentionDays: number, now: EpochMs): Verdict {
  const [oldest] = days
  if (oldest === undefined) return ok('no requests are kept yet', 'not_made_yet')
  const detail = `${days.length} ${days.length === 1 ? 'day' : 'days'} of single requests, the oldest of ${oldest.replace(/^(.*)(..)(..)$/, '$1-$2-$3')}`
  // A day is forgotten once all of it is too old, and is then left for one more.
  const kept = new Date(plusMs(now, -(retentionDays + 2) * DAY_MS)).toISOString().slice(0, 10)
  return oldest < kept.replaceAll('-', '')
    ? warn(
        'behind',
        `${detail}: older than usage_retention_days`,
        'Look for what keeps reading the table usage, which must be left alone for a moment.',
      )
    : ok(detail)
}
