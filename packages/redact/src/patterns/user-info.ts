import type { Span } from '../span.ts'
import { credentialsIn } from './shapes.ts'

const SCHEME = /:(?:\\?\/){2}/g
const LENGTH_MAX = 512
/** A password with blanks or quotes ends at most this far behind the scheme. */
const LOOSE_LENGTH_MAX = 128
const HOST = /^(?:[A-Za-z0-9]|\[[0-9A-Fa-f:]|[_%$-])/

/** User and password in front of the host of a URL, up to the last `@` before the path, whatever the password holds. */
export function userInfoIn(text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: scheme, index } of text.matchAll(SCHEME)) {
    const start = index + scheme.length
    const length = userInfoLength(lineFrom(text, start))
    if (length === 0) continue
    const value = text.slice(start, start + length)
    spans.push({
      start,
      end: start + length,
      kind: 'secret',
      value,
      certainty: 'named',
      parts: credentialsIn(value).concat(lastPart(value)),
    })
  }
  return spans
}

function lineFrom(text: string, start: number): string {
  const line = text.slice(start, start + LENGTH_MAX)
  const end = line.search(/[\r\n]/)
  return end < 0 ? line : line.slice(0, end)
}

function userInfoLength(line: string): number {
  const tight = line.slice(0, endOf(line, /[ \t"'`<>]/))
  const authority = tight.slice(0, endOf(tight, /[/?#\\|]/))
  const inAuthority = lastSign(authority)
  if (inAuthority > 0) return inAuthority
  // A colon with a number behind it stands before a port, any other before a password.
  if (!/^[^:[\]@ \t"'<>/]{1,64}:(?!\d{0,5}(?:[/?#\\|"'`<>,;)\]} \t]|$))/.test(line)) return 0
  const inTight = lastSign(tight)
  if (inTight > 0) return inTight
  const loose = line.slice(0, LOOSE_LENGTH_MAX)
  return Math.max(0, lastSign(loose.slice(0, endOf(loose, /["'`][ \t]*(?:[,:;}\])]|$)|:\/\//))))
}

function endOf(text: string, sign: RegExp): number {
  const at = text.search(sign)
  return at < 0 ? text.length : at
}

/** The last `@` that a host follows. */
function lastSign(text: string): number {
  let at = text.lastIndexOf('@')
  while (at > 0 && !HOST.test(text.slice(at + 1, at + 4))) at = text.lastIndexOf('@', at - 1)
  return at
}

/** The password of a user that is an address: `me@h.example:password`. */
function lastPart(value: string): readonly string[] {
  const at = value.indexOf('@')
  const colon = value.indexOf(':', at)
  return at > 0 && colon > at ? [value.slice(colon + 1)] : []
}
