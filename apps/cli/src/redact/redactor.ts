import type { KnownValues } from './known-values.ts'
import { findPatterns } from './patterns.ts'
import { PSEUDONYM, type Pseudonyms, type SecretKind } from './pseudonyms.ts'

/** Replaces what must not stay in a text. */
export interface Redactor {
  /** The text with stand-ins; `spots` is what `find` has told of it, where that is known. */
  text(text: string, spots?: readonly Spot[]): string
  /** The same for the value of a named field, whose name alone may decide. */
  field(name: string, value: string): string
  /** Where something has to be replaced. */
  find(text: string): readonly Spot[]
}

export interface Spot {
  /** Where what tells it begins. */
  readonly from: number
  readonly start: number
  readonly end: number
  readonly value: string
  readonly kind: SecretKind
  readonly rule: string
}

export function createRedactor(known: KnownValues, pseudonyms: Pseudonyms): Redactor {
  /** Known values first; patterns where none of them stands. */
  const find = (text: string): readonly Spot[] => {
    const certain = known.find(text).map((hit): Spot => ({ ...hit, kind: 'known', rule: 'known value' }))
    if (certain.length === 0) return findPatterns(text)
    const overlaps = (spot: Spot) => certain.some(({ start, end }) => spot.start < end && start < spot.end)
    return [...certain, ...findPatterns(text).flatMap((spot) => (overlaps(spot) ? aroundKnown(spot, certain) : [spot]))].sort(
      (one, other) => one.start - other.start,
    )
  }
  const replaced = (text: string, spots = find(text)): string => {
    let out = ''
    let from = 0
    for (const { start, end, value, kind } of spots) {
      out += text.slice(from, start) + pseudonyms.of(kind, value)
      from = end
    }
    return from === 0 ? text : out + text.slice(from)
  }
  return {
    find,
    text: (text, spots) => (text.length < TEXT_LENGTH_MIN ? text : replaced(text, spots)),
    field(name, value) {
      const kind = kindOfField(name)
      if (kind === null || value === '' || PSEUDONYM.test(value) || HARMLESS.test(value))
        return value.length < TEXT_LENGTH_MIN ? value : replaced(value)
      if (kind === 'email' || /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value)) return pseudonyms.of('email', value.toLowerCase())
      return pseudonyms.of(kind, value)
    },
  }
}

/** What is left of a stretch beside the known values in it. */
function aroundKnown(spot: Spot, certain: readonly Spot[]): readonly Spot[] {
  const parts: Spot[] = []
  let from = spot.start
  for (const { start, end } of certain) {
    if (end <= spot.start || start >= spot.end) continue
    if (start > from) parts.push({ ...spot, start: from, end: start, value: spot.value.slice(from - spot.start, start - spot.start) })
    from = Math.max(from, end)
  }
  if (from < spot.end) parts.push({ ...spot, start: from, value: spot.value.slice(from - spot.start) })
  return parts.filter(({ value }) => value !== '')
}

/** Nothing that is looked for is shorter. */
const TEXT_LENGTH_MIN = 6

/** Words of our own payloads that stand under names which elsewhere hold secrets. */
const HARMLESS =
  /^(?:live|partial|stale|unavailable|demo|unknown|codex|claude|gemini|oauth|apikey|api-call|auth-files|set|not set|none|null|true|false)$/

const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...['token', 'secret', 'password', 'passwd', 'passphrase', 'apikey', 'apiname', 'authorization', 'cookie', 'setcookie', 'managementkey'],
  ...[
    'refresh',
    'idtoken',
    'accesstoken',
    'refreshtoken',
    'session',
    'privatekey',
    'source',
    'account',
    'accountid',
    'authname',
    'credential',
  ],
])
const SECRET_ENDINGS = /(?:token|secret|password|passwd|apikey|privatekey|cookie|authorization|managementkey|accountid)$/
const KIND_BY_NAME: Readonly<Record<string, SecretKind>> = {
  email: 'email',
  mail: 'email',
  useremail: 'email',
  path: 'path',
  ip: 'ip',
  clientip: 'ip',
  xforwardedfor: 'ip',
  useragent: 'agent',
}

/** What the value of a field is by its name alone; null where only its text can tell. Source: outputs-and-redaction 1.10, layer 2. */
export function kindOfField(name: string): SecretKind | null {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  return KIND_BY_NAME[plain] ?? (SECRET_NAMES.has(plain) || SECRET_ENDINGS.test(plain) ? 'secret' : null)
}
