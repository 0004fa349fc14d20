import { type ChangedMembers, type Run, secondsLater, type ValueChange } from './apply-changes.ts'

/** Rows created one at a time, so that a list of thousands never exists as a whole. */
export interface Rows {
  readonly count: number
  /** Key that identifies a row across two lists. Rows with the same key are matched in order. */
  keyAt(index: number): string
  rowAt(index: number): unknown
}

/**
 * Change that turns the first value, advanced by `seconds`, into the second; null if they are equal. An undefined member counts as missing,
 * as in JSON.
 */
export function changeOf(before: unknown, after: unknown, seconds = 0): ValueChange | null {
  if (before === after && (seconds === 0 || typeof before !== 'object' || before === null))
    return null
  if (isList(before) && isList(after)) return listChange(rowsOf(before), rowsOf(after), seconds)
  if (!isMembers(before) || !isMembers(after)) return [after]
  // Created only when needed, because most objects do not change.
  let changes: Map<string, ValueChange> | null = null
  for (const member in before) {
    const value = before[member]
    const held = typeof value === 'number' ? secondsLater(member, value, seconds) : value
    const next = ownMember(after, member)
    if (held === next && typeof held !== 'object') continue
    const change = memberChange(held, next, seconds)
    if (change !== null) changes = (changes ?? new Map()).set(member, change)
  }
  for (const member in after) {
    if (ownMember(before, member) !== undefined || after[member] === undefined) continue
    changes = (changes ?? new Map()).set(member, [after[member]])
  }
  return changes === null ? null : Object.fromEntries(changes)
}

/** Change that turns the first list, advanced by `seconds`, into the second; null if they are equal. Reads each list once. */
export function listChange(before: Rows, after: Rows, seconds = 0): ChangedMembers | null {
  if (isAligned(before, after)) return rowChanges(before, after, seconds)
  const placesByKey = placesOf(before)
  const runs: [first: number, count: number][] = []
  const changes: Record<string, ValueChange> = {}
  for (let index = 0; index < after.count; index += 1) {
    const place = placesByKey.get(after.keyAt(index))?.pop() ?? NEW
    addTo(runs, place)
    const row = after.rowAt(index)
    const change = place === NEW ? [row] : changeOf(before.rowAt(place), row, seconds)
    if (change !== null) changes[index] = change
  }
  if (!isWhole(runs, before.count)) changes.from = runs
  return Object.keys(changes).length === 0 ? null : changes
}

/** Whether both lists have the same keys in the same order. */
function isAligned(before: Rows, after: Rows): boolean {
  if (before.count !== after.count) return false
  for (let index = 0; index < after.count; index += 1)
    if (before.keyAt(index) !== after.keyAt(index)) return false
  return true
}

function rowChanges(before: Rows, after: Rows, seconds: number): ChangedMembers | null {
  let changes: Record<string, ValueChange> | null = null
  for (let index = 0; index < after.count; index += 1) {
    const change = changeOf(before.rowAt(index), after.rowAt(index), seconds)
    if (change === null) continue
    changes ??= {}
    changes[index] = change
  }
  return changes
}

/** Position that marks a row missing from the old list. */
const NEW = -1

/** Positions of each key, in descending order. */
function placesOf({ count, keyAt }: Rows): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let index = count - 1; index >= 0; index -= 1) {
    const key = keyAt(index)
    const known = places.get(key)
    if (known === undefined) places.set(key, [index])
    else known.push(index)
  }
  return places
}

function addTo(runs: [first: number, count: number][], place: number): void {
  const last = runs.at(-1)
  const goesOn = last !== undefined && place === (last[0] === NEW ? NEW : last[0] + last[1])
  if (goesOn) last[1] += 1
  else runs.push([place, 1])
}

/** Whether the runs cover all rows in order. */
function isWhole(runs: readonly Run[], count: number): boolean {
  const [run, ...others] = runs
  if (run === undefined) return count === 0
  return others.length === 0 && run[0] === 0 && run[1] === count
}

/**
 * Length from which texts are matched by value, because those of a long list (such as the accounts of an action) mostly stay or move. For
 * shorter lists, positions take less space.
 */
const LONG_LIST = 10

function rowsOf(list: readonly unknown[]): Rows {
  const isLong = list.length >= LONG_LIST
  return {
    count: list.length,
    keyAt(index) {
      const row = list[index]
      return isLong && typeof row === 'string' ? row : keyOf(row)
    },
    rowAt: (index) => list[index],
  }
}

const NAMES = ['id', 'slug', 'at', 'authIndex'] as const

function keyOf(row: unknown): string {
  if (!isMembers(row)) return ''
  for (const name of NAMES) {
    const key = row[name]
    if (typeof key === 'string') return key
  }
  return ''
}

function memberChange(before: unknown, after: unknown, seconds: number): ValueChange | null {
  if (after === undefined) return before === undefined ? null : []
  return before === undefined ? [after] : changeOf(before, after, seconds)
}

/** Reads an own member. The ownership check is slow, so it is made only for names and values that every object may inherit. */
function ownMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = members[name]
  const isDoubtful = typeof value === 'function' || name === '__proto__'
  return isDoubtful && !Object.hasOwn(members, name) ? undefined : value
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
