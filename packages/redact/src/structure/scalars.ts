import { quoteAt, quotedValue } from './value-end.ts'

/** Range of a value without its quotes, and whether it was quoted. */
export interface Scalar {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

const LENGTH_MAX = 256 * 1024
const OPEN = '[{('
const CLOSE = ']})'

/** Every value between the bracket at `at` and the one that closes it, or up to the limit. Names of members are left out. */
export function scalarsInBrackets(
  text: string,
  at: number,
  lengthMax = LENGTH_MAX,
): { readonly scalars: readonly Scalar[]; readonly end: number } {
  const scalars: Scalar[] = []
  const limit = Math.min(text.length, at + lengthMax)
  let depth = 0
  let index = at
  while (index < limit) {
    const sign = text[index] ?? ''
    if (OPEN.includes(sign)) {
      depth += 1
      index += 1
    } else if (CLOSE.includes(sign)) {
      depth -= 1
      index += 1
      if (depth === 0) return { scalars, end: index }
    } else if (/[ \t\r\n,;]/.test(sign)) index += 1
    else if (sign === '#' && /[ \t\r\n]/.test(text[index - 1] ?? ' ')) index = skipLine(text, index)
    else {
      const scalar = scalarAt(text, index, limit)
      index = Math.max(index + 1, scalar.next)
      if (scalar.end > scalar.start && !isName(text, scalar))
        scalars.push({ start: scalar.start, end: scalar.end, isQuoted: scalar.isQuoted })
    }
  }
  return { scalars, end: index }
}

function scalarAt(text: string, at: number, limit: number): Scalar & { readonly next: number } {
  const prefixed = /^[bruf$]{1,2}(?=["'])/.exec(text.slice(at, at + 3))?.[0].length ?? 0
  const quote = quoteAt(text, at + prefixed)
  if (quote !== null) {
    const value = quotedValue(text, at + prefixed, quote)
    return {
      start: value.start,
      end: value.end,
      isQuoted: true,
      next: value.end + (value.quote?.length ?? 0),
    }
  }
  let end = at
  while (end < limit && !/[ \t\r\n,;[\]{}()"'`]/.test(text[end] ?? ' ')) end += 1
  // A bare word may contain single blanks, like a plain scalar of YAML.
  while (
    end < limit &&
    /[ \t]/.test(text[end] ?? '') &&
    /[^ \t\r\n,;[\]{}()#"'`]/.test(text[end + 1] ?? ' ')
  ) {
    end += 1
    while (end < limit && !/[ \t\r\n,;[\]{}()"'`]/.test(text[end] ?? ' ')) end += 1
  }
  // `name: value` and `name=value` without quotes.
  const name = /^[\w.-]{1,64}(?:[:=]|=>)[ \t]*/.exec(text.slice(at, end))
  const start = name === null ? at : at + name[0].length
  return { start, end, isQuoted: false, next: Math.max(end, at + 1) }
}

/** True for a name, which is followed by a colon or an arrow. */
function isName(text: string, { end, isQuoted }: Scalar): boolean {
  const rest = text.slice(end, end + 24)
  return isQuoted
    ? /^(?:\\{0,16}["'`]|&quot;|%22)[ \t\r\n]{0,8}(?::|=>|=)(?!:)/.test(rest)
    : /^[ \t\r\n]{0,8}(?::|=>)(?!\/\/)/.test(rest)
}

function skipLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
