/**
 * A change from one JSON value to another. In list form, `[value]` replaces the old value and `[]` removes the member. An object changes
 * the members it names, each by its own change. For a list, the members are positions in the new list, and `from` gives the old rows that
 * make up the new list, unless these are the same rows in the same order: runs of `[first, count]`, with `first` -1 for new rows.
 */
export type ValueChange = readonly unknown[] | ChangedMembers

export interface ChangedMembers {
  readonly [member: string]: ValueChange
}

/** Rows that are adjacent in both the old and the new list. */
export type Run = readonly [first: number, count: number]

/** A step from one status to the next: first the seconds advance, then the change applies. */
export interface StatusStep {
  readonly laterSeconds: number
  readonly change: ValueChange
}

/** Thrown if a change does not fit the document. */
export class MisfitError extends Error {
  constructor() {
    super('these changes belong to another document')
    this.name = 'MisfitError'
  }
}

/** The document after all steps. Unchanged parts stay the same objects. Throws MisfitError. */
export function afterSteps<Document>(document: Document, steps: readonly StatusStep[]): Document {
  return steps.reduce<unknown>(
    (before, { laterSeconds, change }) => changed(countedOn(before, laterSeconds), change),
    document,
  ) as Document
}

/**
 * The value `seconds` later: each `resetsInSeconds` in it decreases and each `ageSeconds` increases by that much, never below 0. Parts
 * without such members stay the same objects.
 */
export function countedOn(value: unknown, seconds: number): unknown {
  if (!isObject(value) || seconds === 0) return value
  let later: Record<string, unknown> | null = null
  for (const member in value) {
    const before = value[member]
    const after =
      typeof before === 'number'
        ? secondsLater(member, before, seconds)
        : countedOn(before, seconds)
    if (after === before) continue
    later ??= (isList(value) ? [...value] : { ...value }) as Record<string, unknown>
    later[member] = after
  }
  return later ?? value
}

/** The value of a member with this name, `seconds` later. */
export function secondsLater(member: string, count: number, seconds: number): number {
  if (member === 'resetsInSeconds') return Math.max(0, count - seconds)
  return member === 'ageSeconds' ? Math.max(0, count + seconds) : count
}

/** The value with the change applied. Throws MisfitError. */
export function changed(value: unknown, change: ValueChange): unknown {
  if (isList(change)) return change[0]
  if (isList(value)) return changedList(value, change)
  if (!isObject(value)) throw new MisfitError()
  // A map, because a member may have any name.
  const members = new Map(Object.entries(value))
  for (const [member, inner] of Object.entries(change)) {
    if (isList(inner) && inner.length === 0) members.delete(member)
    else members.set(member, changed(members.get(member), inner))
  }
  return Object.fromEntries(members)
}

function changedList(rows: readonly unknown[], { from, ...changes }: ChangedMembers): unknown[] {
  const list = from === undefined ? [...rows] : (from as readonly Run[]).flatMap(runIn(rows))
  for (const [position, change] of Object.entries(changes)) {
    const index = Number(position)
    if (!(index in list)) throw new MisfitError()
    list[index] = changed(list[index], change)
  }
  return list
}

const runIn =
  (rows: readonly unknown[]) =>
  ([first, count]: Run): unknown[] => {
    if (first < 0) return Array.from({ length: count })
    if (first + count > rows.length) throw new MisfitError()
    return rows.slice(first, first + count)
  }

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
