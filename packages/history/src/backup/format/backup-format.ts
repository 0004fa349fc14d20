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
const flag = v.picklist([0, 1])
const milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000))
/** Classes of tokens: input without cache, read from cache, written to cache, output; or of failures: 401 or 403, 429, 5xx, other. */
const classes = <Schema>(one: Schema) => [one, one, one, one] as const
/** A signed 64-bit number as decimal text, because a number cannot hold it. */
const key = v.pipe(v.string(), v.regex(/^-?(?:0|[1-9]\d{0,18})$/))

/**
 * The tables of a backup, in file order. A row is a list of values; accounts, clients and models appear by name, because their numbers differ between
 * stores.
 */
export const backupTables = {
  /** instance, key, title */
  accounts: v.strictTuple([name, name, name]),
  /** time, key, instance, account, API name, model, tokens, failed, upstream, provider, four classes of tokens, latency, time to the first token, class of failure from 1 to 4, tier */
  usage: v.strictTuple([
    instant,
    key,
    name,
    name,
    name,
    name,
    count,
    flag,
    name,
    v.nullable(name),
    ...classes(v.nullable(count)),
    v.nullable(milliseconds),
    v.nullable(milliseconds),
    v.nullable(v.picklist([1, 2, 3, 4])),
    v.nullable(v.picklist([1, 2, 9])),
  ]),
  /** grouping, day (epoch seconds), instance, member, requests, tokens, failed, four classes of tokens, four of failures */
  days: v.strictTuple([
    v.picklist(['total', 'account', 'model', 'api', 'upstream', 'provider']),
    count,
    name,
    name,
    requestsOfDay,
    count,
    requestsOfDay,
    ...classes(count),
    ...classes(requestsOfDay),
  ]),
  /** grouping, day (epoch seconds), instance, account, API name or nothing, model, upstream, provider, tier, band, and measures as in `days` */
  rates: v.strictTuple([
    v.picklist(['account_rate', 'client_rate', 'total_rate']),
    count,
    name,
    name,
    name,
    name,
    name,
    v.picklist([0, 1, 2, 9]),
    v.picklist([0, 1, 2, 3, 9]),
    requestsOfDay,
    count,
    requestsOfDay,
    ...classes(count),
    ...classes(requestsOfDay),
  ]),
  /** day (since 1970), provider, upstream, instance, account, status, code, requests */
  failureCauses: v.strictTuple([
    dayNumber,
    name,
    name,
    name,
    name,
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999)),
    v.pipe(v.string(), v.regex(/^[a-z_.-]{1,101}$/)),
    requestsOfDay,
  ]),
  /** model, tier, band, first day (since 1970), four rates, kind, SHA-256 and time of the source */
  prices: v.strictTuple([
    name,
    v.picklist([0, 1, 2]),
    v.picklist([0, 1, 2, 3]),
    dayNumber,
    ...classes(v.nullable(count)),
    name,
    name,
    instant,
  ]),
  /** instance, account, window, time, percent, reset */
  quotaSamples: v.strictTuple([
    name,
    name,
    name,
    instant,
    v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
    v.nullable(instant),
  ]),
  /** window, time, known, tracked, unknown, burned, usable */
  capacityPoints: v.strictTuple([name, instant, units, units, units, units, v.nullable(units)]),
  /** time, tone, detail */
  recentChanges: v.strictTuple([
    instant,
    v.picklist(['good', 'warn', 'bad', 'unknown']),
    v.pipe(v.string(), v.maxLength(16_384)),
  ]),
  /** from, to, reason, upstream */
  gaps: v.strictTuple([instant, instant, name, name]),
  /** name, value; the cut, the first poll and the store's own keys */
  meta: v.strictTuple([
    v.picklist(['cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key']),
    name,
  ]),
} as const

export type BackupTable = keyof typeof backupTables
export type BackupRow<Table extends BackupTable = BackupTable> = v.InferOutput<
  (typeof backupTables)[Table]
>
export const backupTableNames = Object.keys(backupTables) as readonly BackupTable[]

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
