import { type EpochMs, epochMs, type ReadingOrigin } from '@svc/core'
import type { CourseReading, CycleReading } from '@svc/core/account'
import {
  type AccountReadings,
  type CapacityPoint,
  type QuotaStore,
  type WindowReadingRecord,
  windowNamed,
} from '@svc/core/pool'
import { isMainWindowId } from '@svc/core/service'
import type { tablesIn } from '../schema/tables.ts'

// Rows of the course of the pool as every engine selects them, and their conversion. Windows this version does not know are skipped.

/** Number of newest changes that are kept, whatever their age. */
export const CHANGES_MAX = 500

type Tables = ReturnType<typeof tablesIn>
export type PointRow = Tables['capacityPoints']['$inferSelect']
type SampleRow = Tables['quotaSamples']['$inferSelect']
export function pointsOfRows(rows: readonly PointRow[]): readonly CapacityPoint[] {
  return rows.flatMap(({ windowId, atMs, usableUnits, ...units }) => {
    const window = windowNamed(windowId)
    const usable = usableUnits === null ? {} : { usableUnits }
    return window === null ? [] : [{ ...window, at: epochMs(atMs), ...units, ...usable }]
  })
}

/** Units of a window used in one hour, with the time of the hour's first point. `hour` is counted from 1970. */
export interface BurnRow {
  readonly windowId: string
  readonly hour: number
  readonly units: number
  readonly firstAtMs: number
}

/** Groups rows, which are ordered by hour, by window. Skips windows unknown to this version. */
export function burnHoursOfRows(
  rows: readonly BurnRow[],
): Awaited<ReturnType<QuotaStore['burnHours']>> {
  const byName = new Map<string, { unitsByHour: Map<number, number>; firstAt: EpochMs }>()
  for (const { windowId, hour, units, firstAtMs } of rows) {
    if (windowNamed(windowId) === null) continue
    const hours = byName.get(windowId) ?? { unitsByHour: new Map(), firstAt: epochMs(firstAtMs) }
    hours.unitsByHour.set(hour, units)
    byName.set(windowId, hours)
  }
  return byName
}

export interface ReadingRow extends Pick<SampleRow, 'windowId' | 'atMs' | 'percent' | 'resetAtMs'> {
  readonly accountKey: string
}

export function readingsOfRows(rows: readonly ReadingRow[]): readonly WindowReadingRecord[] {
  return rows.flatMap(({ windowId, atMs, resetAtMs, ...reading }) => {
    if (!isMainWindowId(windowId)) return []
    return [{ ...reading, windowId, at: epochMs(atMs), resetAt: instantOf(resetAtMs) }]
  })
}

/** A reading of any window, as input for cycles. */
export type CycleRow = ReadingRow & Pick<SampleRow, 'sampledAtMs'>

/** Readings of each account and window, from rows that are ordered by account, window and time. */
export function readingsByAccount(rows: readonly CycleRow[]): readonly AccountReadings[] {
  const accounts: (AccountReadings & { readonly readings: CycleReading[] })[] = []
  for (const { accountKey, windowId, ...row } of rows) {
    if (!isMainWindowId(windowId)) continue
    let last = accounts.at(-1)
    if (last?.accountKey !== accountKey || last.windowId !== windowId) {
      last = { accountKey, windowId, readings: [] }
      accounts.push(last)
    }
    last.readings.push(cycleReadingOf(row))
  }
  return accounts
}

/** Known origins of a reading; any other was written by a later version. */
const ORIGINS: readonly ReadingOrigin[] = ['direct', 'headers', 'error-body', 'status-message']

export function courseReadingOf(row: Omit<SampleRow, 'accountId' | 'windowId'>): CourseReading {
  return { ...cycleReadingOf(row), origin: ORIGINS.find((known) => known === row.origin) ?? null }
}

function cycleReadingOf(row: Omit<CycleRow, 'accountKey' | 'windowId'>) {
  const { atMs, percent, resetAtMs, sampledAtMs } = row
  const [resetAt, sampledAt] = [instantOf(resetAtMs), instantOf(sampledAtMs)]
  return { at: epochMs(atMs), percent, resetAt, sampledAt }
}

/** Time of a column that may be without one. */
export function instantOf(value: number | null | undefined): EpochMs | null {
  return value == null ? null : epochMs(value)
}
