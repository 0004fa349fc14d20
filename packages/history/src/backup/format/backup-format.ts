import * as v from 'valibot'

/** Called regularly with the number of rows done so far; `total` is null while the file is read that will tell it. */
export type Progress = (done: { readonly rows: number; readonly total: number | null }) => void

/** A backup that cannot be written or read. The message is one line with problem and place, and quotes nothing of the content. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** Converts an error to BackupError if reading or writing the backup has failed; null for other failures, such as those of the store. */
export function backupErrorOf(error: unknown): BackupError | null {
  if (error instanceof BackupError) return error
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null
  const { syscall, code } = error
  if (syscall === 'read') return new BackupError(`the backup cannot be read (${String(code)})`)
  return syscall === 'write' || syscall === 'fsync'
    ? new BackupError(`the backup cannot be written (${String(code)})`)
    : null
}

export const BACKUP_FORMAT = 'svc-quota-monitor-history'
/** Version of the format. Backups of `EARLIER_FORMAT` are read too: they lack `NEW_TABLES`, and the last value of some rows. */
export const BACKUP_FORMAT_VERSION = 4
export const EARLIER_FORMAT = 3

const instant = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15))
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))
/**
 * Requests of a day. The maximum, over 100,000 a second, exceeds any real count and keeps the sum of all days in a file below 63 bits. Token sums
 * need no maximum, because they stop growing.
 */
const requestsOfDay = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e10))
/** 275,760-09-13, the last day of a date. */
const dayNumber = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000_000))
const name = v.pipe(v.string(), v.maxLength(1024))
const units = v.pipe(v.number(), v.finite(), v.minValue(0))
const rate = v.nullable(count)
const flag = v.picklist([0, 1])
const milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000))
const classes = <Schema>(one: Schema) => {
  return { tokensIn: one, tokensCached: one, tokensWritten: one, tokensOut: one }
}
/** Measures of a bucket. */
const measures = {
  ...{ requests: requestsOfDay, tokens: count, failed: requestsOfDay },
  ...classes(count),
  ...{ failedAuth: requestsOfDay, failedLimit: requestsOfDay },
  ...{ failedVendor: requestsOfDay, failedOther: requestsOfDay },
}
/** A signed 64-bit number as decimal text, because a number cannot hold it. */
const key = v.pipe(v.string(), v.regex(/^-?(?:0|[1-9]\d{0,18})$/))

/**
 * The tables of a backup, in file order, with their columns in the order of a row. A row is a list of values; accounts, clients and models appear by
 * name, because their numbers differ between stores. A `bucketS` is the start of a day in epoch seconds, a `day` counts UTC days from 1970.
 */
export const backupTables = {
  accounts: v.object({ instance: name, account: name, title: name }),
  usage: v.object({
    ...{ atMs: instant, key, instance: name, account: name, apiName: name, model: name },
    ...{ tokens: count, failed: flag, upstream: name, provider: v.nullable(name) },
    ...classes(v.nullable(count)),
    latencyMs: v.nullable(milliseconds),
    firstTokenMs: v.nullable(milliseconds),
    failure: v.nullable(v.picklist([1, 2, 3, 4])),
    tier: v.nullable(v.picklist([1, 2, 9])),
  }),
  days: v.object({
    grouping: v.picklist(['total', 'account', 'model', 'api', 'upstream', 'provider']),
    ...{ bucketS: count, instance: name, member: name },
    ...measures,
  }),
  /** The member is an account, an API name or nothing. */
  rates: v.object({
    grouping: v.picklist(['account_rate', 'client_rate', 'total_rate']),
    ...{ bucketS: count, instance: name, member: name },
    ...{ model: name, upstream: name, provider: name },
    tier: v.picklist([0, 1, 2, 9]),
    band: v.picklist([0, 1, 2, 3, 9]),
    ...measures,
  }),
  failureCauses: v.object({
    ...{ day: dayNumber, provider: name, upstream: name, instance: name, account: name },
    status: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999)),
    code: v.pipe(v.string(), v.regex(/^[a-z_.-]{1,101}$/)),
    requests: requestsOfDay,
  }),
  /** With kind, SHA-256 and time of the source. */
  prices: v.object({
    model: name,
    tier: v.picklist([0, 1, 2]),
    band: v.picklist([0, 1, 2, 3]),
    fromDay: dayNumber,
    ...{ rateIn: rate, rateRead: rate, rateWrite: rate, rateOut: rate },
    ...{ kind: name, sha256: name, readAtMs: instant },
  }),
  quotaSamples: v.object({
    ...{ instance: name, account: name, windowId: name, atMs: instant },
    percent: v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
    resetAtMs: v.nullable(instant),
  }),
  capacityPoints: v.object({
    ...{ windowId: name, atMs: instant, knownUnits: units, trackedUnits: units },
    ...{ unknownUnits: units, burnedUnits: units, usableUnits: v.nullable(units) },
  }),
  recentChanges: v.object({
    atMs: instant,
    tone: v.picklist(['good', 'warn', 'bad', 'unknown']),
    detail: v.pipe(v.string(), v.maxLength(16_384)),
  }),
  gaps: v.object({ fromMs: instant, toMs: instant, reason: name, upstream: name }),
  /** The cut, the first poll and the store's own keys. */
  meta: v.object({
    name: v.picklist(['cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key']),
    value: name,
  }),
} as const

export type BackupTable = keyof typeof backupTables
export type BackupRow<Table extends BackupTable = BackupTable> = v.InferOutput<
  (typeof backupTables)[Table]
>
export const backupTableNames = Object.keys(backupTables) as readonly BackupTable[]

/** The values of a row by the names of their columns, unchecked. */
export function namedRow<Table extends BackupTable>(
  table: Table,
  values: readonly unknown[],
): BackupRow<Table> {
  // A copy has room for all columns at once.
  const row: Record<string, unknown> = { ...backupTables[table].entries }
  let index = 0
  for (const column in row) row[column] = values[index++]
  return row as BackupRow<Table>
}

/** Tables that backups of `EARLIER_FORMAT` lack. */
export const NEW_TABLES: ReadonlySet<BackupTable> = new Set(['rates', 'failureCauses', 'prices'])
/** Tables whose rows lack their last value there. */
export const LONGER_ROWS: ReadonlySet<BackupTable> = new Set(['usage', 'capacityPoints'])

/** Schema of the members before the tables. */
export const headSchema = v.object({
  format: v.literal(BACKUP_FORMAT),
  formatVersion: v.pipe(v.number(), v.integer(), v.minValue(1)),
  exportedAt: name,
  appVersion: name,
  schemaVersion: v.pipe(v.number(), v.integer(), v.minValue(1)),
  containsSecrets: v.literal(true),
  counts: v.strictObject(
    Object.fromEntries(
      backupTableNames.map((table) => [
        table,
        NEW_TABLES.has(table) ? v.optional(count, 0) : count,
      ]),
    ) as Record<BackupTable, typeof count>,
  ),
})
