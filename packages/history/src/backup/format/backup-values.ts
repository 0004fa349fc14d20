import { DAY_MS, type EpochMs } from '@svc/core'
import { BackupError, type BackupRow } from './backup-format.ts'
import type { BackupLine } from './backup-reader.ts'

/** Maximum by which a recorded time may be ahead, because it may come from a proxy's clock. See docs/rules.md#usage-records. */
const AHEAD_MS_MAX = DAY_MS
/** 2020-01-01; no proxy has an older record. */
const TIME_MIN = 1_577_836_800_000
/** Longest time to the reset of any quota. */
const RESET_MS_MAX = 10 * 365 * DAY_MS

/** Columns of times, the milliseconds of their units, and the maximum by which they may be ahead. */
const TIMES = [
  ['atMs', 1, AHEAD_MS_MAX],
  ['fromMs', 1, AHEAD_MS_MAX],
  ['toMs', 1, AHEAD_MS_MAX],
  ['readAtMs', 1, AHEAD_MS_MAX],
  ['resetAtMs', 1, RESET_MS_MAX],
  ['bucketS', 1000, AHEAD_MS_MAX],
  ['day', DAY_MS, AHEAD_MS_MAX],
] as const

/** Facts about a backup's store, taken from its valid rows. */
export interface BackupMeta {
  readonly cut: EpochMs | null
  readonly firstPoll: EpochMs | null
  /** Omitted or null if its records always told their tier. */
  readonly tiersSince?: EpochMs | null
  readonly identity: ReadonlyMap<'instance' | 'fingerprint_key', string>
}

/** Checks what the row's schema cannot: possible times, and the order of rows. */
export function createRowCheck(now: EpochMs) {
  let newestAt: EpochMs | null = null
  let cut: EpochMs | null = null
  let firstPoll: EpochMs | null = null
  let tiersSince: EpochMs | null = null
  const identity = new Map<'instance' | 'fingerprint_key', string>()

  const possible = (line: number, at: number, allowedMs: number) => {
    if (at < TIME_MIN) throw refuse(line, 'a time before 2020')
    if (at > now + allowedMs)
      throw refuse(line, 'a time in the future, by the clock of this machine')
  }
  const checkMeta = ({ name, value }: BackupRow<'meta'>, line: number) => {
    if (name === 'cut_ms' || name === 'first_poll_ms' || name === 'tiers_since_ms') {
      const at = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      // The end of the day of a record that may itself be ahead.
      const aheadMs = name === 'tiers_since_ms' ? AHEAD_MS_MAX + DAY_MS : AHEAD_MS_MAX
      if (!(at <= now + aheadMs)) throw refuse(line, `${name} is not a time in the past`)
      if (name === 'cut_ms') cut = at as EpochMs
      else if (name === 'first_poll_ms') firstPoll = at as EpochMs
      else tiersSince = at as EpochMs
      return
    }
    if (!IDENTITY[name].test(value)) throw refuse(line, `${name} is not what a store gives itself`)
    identity.set(name, value)
  }

  return {
    /** Throws BackupError, which names the line. */
    check({ table, row, number: line }: BackupLine): void {
      if (table === 'meta') checkMeta(row, line)
      if (table === 'gaps' && row.fromMs > row.toMs)
        throw refuse(line, 'a gap that ends before it begins')
      if ((table === 'days' || table === 'rates') && (row.bucketS * 1000) % DAY_MS !== 0)
        throw refuse(line, 'not the start of a day')
      for (const [column, unitMs, aheadMs] of TIMES) {
        const at = (row as Partial<Record<typeof column, number | null>>)[column]
        if (at != null) possible(line, at * unitMs, aheadMs)
      }
      if (table !== 'usage') return
      if (row.atMs < (newestAt ?? 0)) throw refuse(line, 'not in the order of time')
      newestAt = row.atMs as EpochMs
    },
    meta: (): BackupMeta => ({ cut, firstPoll, tiersSince, identity }),
    /** Start time of the newest request; null without rows. */
    newestAt: () => newestAt,
  }
}

function refuse(line: number, why: string): BackupError {
  return new BackupError(`line ${line}: ${why}`)
}

/** Patterns of the values that `giveIdentity` creates. */
const IDENTITY = { instance: /^[0-9a-f]{16}$/, fingerprint_key: /^[0-9a-f]{64}$/ } as const
