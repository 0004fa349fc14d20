import type { Span } from '../span.ts'
import { bytesAmong, stretchesOf } from './stretches.ts'
import { isRandomText } from './tokens.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SEPARATORS = ['-', ':', '_', '.'] as const
const RUN = bytesAmong(`${LETTERS}${SEPARATORS.join('')}`)
/** Twenty letters and digits in three groups. */
const LENGTH_MIN = 22
const GROUP_LENGTH_MIN = 4
const GROUPS_MIN = 3
/** So many groups have a digit at least. */
const NUMBERED_MIN = 2

/** Random texts that are written in groups of one length, the last of which may be shorter. UUIDs and addresses are found by their own shapes. */
export function groupedRunsIn(text: string): Span[] {
  return stretchesOf(text, RUN, LENGTH_MIN).flatMap(({ start, end }) => {
    // Behind a backslash the first letter belongs to an escape.
    const from = text[start - 1] === '\\' && /[nrtbf]/.test(text[start] ?? '') ? start + 1 : start
    const run = text.slice(from, end).replace(/[-:_.]+$/, '')
    return SEPARATORS.flatMap((separator) =>
      run.includes(separator) ? groupsIn(run, from, separator) : [],
    )
  })
}

function groupsIn(run: string, offset: number, separator: string): readonly Span[] {
  const spans: Span[] = []
  const parts = run.split(separator)
  let start = offset
  for (let first = 0; first < parts.length; ) {
    const groups = groupsFrom(parts, first)
    const value = groups.join(separator)
    if (groups.length >= GROUPS_MIN && isRandomInGroups(groups))
      spans.push({ start, end: start + value.length, kind: 'secret', value, certainty: 'shape' })
    start += value.length + 1
    first += groups.length
  }
  return spans
}

/** The first part, and those behind it that are as long; at the end of the run one that is shorter. */
function groupsFrom(parts: readonly string[], first: number): readonly string[] {
  const { length = 0 } = parts[first] ?? {}
  let end = first + 1
  if (length >= GROUP_LENGTH_MIN && isGroup(parts[first]))
    while (isGroup(parts[end]) && parts[end]?.length === length) end += 1
  if (
    end - first >= 2 &&
    end === parts.length - 1 &&
    isGroup(parts[end]) &&
    (parts[end]?.length ?? 0) < length
  )
    end += 1
  return parts.slice(first, end)
}

function isGroup(part: string | undefined): boolean {
  return part !== undefined && /^[A-Za-z0-9]+$/.test(part)
}

/** Words may be as long as each other, one with a digit among them, and so may numbers. */
function isRandomInGroups(groups: readonly string[]): boolean {
  const joined = groups.join('')
  return (
    groups.filter((group) => /\d/.test(group)).length >= NUMBERED_MIN &&
    /[A-Za-z]/.test(joined) &&
    isRandomText(joined)
  )
}
