import type { Config } from '@svc/config'
import { DAY_MS, type EpochMs, plusMs } from '@svc/core'
import { LAG_SECONDS_MAX } from '@svc/core/health'
import type { HistoryFailureCode } from '@svc/core/service'
import type { DatabaseInspection, HistoryError } from '@svc/history'
import { readSecretLine } from '@svc/secret-files'
import {
  actionConditions,
  databaseConditions,
  storeCondition,
  storeConditions,
  storeErrorText,
} from '@svc/views/messages'
import {
  type CheckId,
  type CheckVerdict,
  fail,
  ok,
  refusedFile,
  skip,
  skippedBecause,
  type Verdicts,
  warn,
} from './finding.ts'

export const databaseCheckIds = [
  'state_db.reachable',
  'state_db.tls',
  'state_db.role',
  'state_db.version',
  'state_db.lag',
  'state_db.partitions',
] as const satisfies readonly CheckId[]

type DatabaseCheck = (typeof databaseCheckIds)[number]

/** Gives every database check the same verdict. */
export function databaseVerdicts(verdict: CheckVerdict): Record<DatabaseCheck, CheckVerdict> {
  return Object.fromEntries(databaseCheckIds.map((id) => [id, verdict])) as Record<
    DatabaseCheck,
    CheckVerdict
  >
}

/** The check that reports each login failure; all checks before it succeeded. */
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

/** Checks the history database: one login, and one more to its standby if the first succeeds. */
export async function databaseChecks(
  { stateDb, stateDbPasswordFile, stateDbReplica, usageRetentionDays }: Config['history'],
  now: EpochMs,
): Promise<Verdicts> {
  const address = stateDb ?? ''
  const state_db = await passwordVerdict(address, stateDbPasswordFile)
  if (state_db.status === 'fail')
    return { state_db, ...databaseVerdicts(skippedBecause('state_db')) }
  const found = await inspect(address, stateDbPasswordFile)
  if ('code' in found) return { state_db, ...failedAt(found, address) }
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

async function inspect(
  address: string,
  passwordFile: string | null,
): Promise<DatabaseInspection | HistoryError> {
  const { HistoryError, inspectDatabase } = await import('@svc/history')
  try {
    return await inspectDatabase(address, passwordFile)
  } catch (error) {
    if (error instanceof HistoryError) return error
    throw error
  }
}

/** Checks the password file. A password of invalid form is not sent. The address never contains a password. */
async function passwordVerdict(
  address: string,
  passwordFile: string | null,
): Promise<CheckVerdict> {
  if (passwordFile === null)
    return ok(`${address}; the password is that of PGPASSFILE or PGPASSWORD, if any`)
  const seen = await readSecretLine(passwordFile)
  if (seen.kind === 'problem')
    return refusedFile(seen.reason, `the password file ${passwordFile}`, 'state_db_password_file')
  return seen.readableByOthers
    ? warn(
        'readable_by_others',
        `${address}; other users of this machine can read its password in ${passwordFile}`,
        actionConditions.password_file_readable_by_others.remedy,
      )
    : ok(`${address}, with the password of ${passwordFile}`)
}

/** Verdicts after a failure: the checks before the failed one succeeded, those after it cannot be judged. */
function failedAt(error: HistoryError, address: string): Verdicts {
  const failed = CHECK_OF_FAILURE[error.code] ?? 'state_db.reachable'
  const verdicts: Record<DatabaseCheck, CheckVerdict> = databaseVerdicts(skippedBecause(failed))
  for (const id of IN_ORDER.slice(0, IN_ORDER.indexOf(failed)))
    verdicts[id] = id === 'state_db.tls' ? encryptionVerdict(address) : ok('it answers')
  verdicts[failed] = failure(error, address)
  return verdicts
}

function failure(error: HistoryError, address: string): CheckVerdict {
  const { code, remedy } = error
  return fail(code, `${address}: ${storeErrorText(error)}`, remedy ?? wordsOf(code).remedy)
}

const wordsOf = (code: HistoryFailureCode) =>
  storeCondition({ file: storeConditions, database: databaseConditions }, code, 'postgres')

/** Verdict on the encryption of the connection. The driver follows the `sslmode` of the address, so the address alone is enough. */
function encryptionVerdict(address: string): CheckVerdict {
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
  isReadOnly,
}: DatabaseInspection): CheckVerdict {
  if (isStandby) return fail('read_only', 'the server is a standby', wordsOf('read_only').remedy)
  if (isReadOnly)
    return fail(
      'read_only',
      `every transaction of ${role} only reads: default_transaction_read_only is on for the database, the role or the server`,
      'Take it back with ALTER DATABASE ... RESET default_transaction_read_only, or ALTER ROLE, where it was set.',
    )
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

async function standbyVerdict(address: string, passwordFile: string | null): Promise<CheckVerdict> {
  const found = await inspect(address, passwordFile)
  if ('code' in found) return failure(found, address)
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

function daysVerdict(days: readonly string[], retentionDays: number, now: EpochMs): CheckVerdict {
  const [oldest] = days
  if (oldest === undefined) return ok('no requests are kept yet', 'not_made_yet')
  const detail = `${days.length} ${days.length === 1 ? 'day' : 'days'} of single requests, the oldest of ${oldest.replace(/^(.*)(..)(..)$/, '$1-$2-$3')}`
  // A day is deleted once all of it has expired; one more day of grace is given.
  const kept = new Date(plusMs(now, -(retentionDays + 2) * DAY_MS)).toISOString().slice(0, 10)
  return oldest < kept.replaceAll('-', '')
    ? warn(
        'behind',
        `${detail}: older than usage_retention_days`,
        'Look for what keeps reading the table usage, which must be left alone for a moment.',
      )
    : ok(detail)
}
