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

// Rows of the course of the pool as every engine selects them, and their conversion. Windows this version does not know are skipped.

/** Number of newest changes that are kept, whatever their age. */
export const CHANGES_MAX = 500

export interface PointRow
  extends Omit<CapacityPoint, 'provider' | 'windowId' | 'at' | 'usableUnits'> {
  readonly windowId: string
  readonly atMs: number
  readonly usableUnits: number | null
}

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

export interface ReadingRow {
  readonly accountKey: string
  readonly windowId: string
  readonly atMs: number
  readonly percent: number
  readonly resetAtMs: number | null
}

export function readingsOfRows(rows: readonly ReadingRow[]): readonly WindowReadingRecord[] {
  return rows.flatMap(({ windowId, atMs, resetAtMs, ...reading }) => {
    if (!isMainWindowId(windowId)) return []
    const resetAt = resetAtMs === null ? null : epochMs(resetAtMs)
    return [{ ...reading, windowId, at: epochMs(atMs), resetAt }]
  })
}

export interface CourseRow extends Omit<ReadingRow, 'accountKey' | 'windowId'> {
  readonly origin: string | null
  readonly sampledAtMs: number | null
}

/** A reading of any window, as input for cycles. */
export interface CycleRow extends ReadingRow {
  readonly sampledAtMs: number | null
}

/** Readings of each account and window, from rows that are ordered by account, window and time. */
export function readingsByAccount(rows: readonly CycleRow[]): readonly AccountReadings[] {
  const accounts: (AccountReadings & { readonly readings: CycleReading[] })[] = []
  for (const { accountKey, windowId, atMs, percent, resetAtMs, sampledAtMs } of rows) {
    if (!isMainWindowId(windowId)) continue
    let last = accounts.at(-1)
    if (last?.accountKey !== accountKey || last.windowId !== windowId) {
      last = { accountKey, windowId, readings: [] }
      accounts.push(last)
    }
    last.readings.push({
      at: epochMs(atMs),
      percent,
      resetAt: resetAtMs === null ? null : epochMs(resetAtMs),
      sampledAt: sampledAtMs === null ? null : epochMs(sampledAtMs),
    })
  }
  return accounts
}

/** Known origins of a reading; any other was written by a later version. */
const ORIGINS: readonly ReadingOrigin[] = ['direct', 'headers', 'error-body', 'status-message']

export function courseReadingOf({
  atMs,
  percent,
  resetAtMs,
  origin,
  sampledAtMs,
}: CourseRow): CourseReading {
  return {
    at: epochMs(atMs),
    percent,
    resetAt: resetAtMs === null ? null : epochMs(resetAtMs),
    origin: ORIGINS.find((known) => known === origin) ?? null,
    sampledAt: sampledAtMs === null ? null : epochMs(sampledAtMs),
  }
}
