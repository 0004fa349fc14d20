import { ASSUMED_PROVIDER } from '@svc/core/service'
import type { QuarantinedRecord, TokenClasses } from '@svc/core/usage'
import {
  displayText,
  isRecord,
  numberFrom,
  textFrom,
  type WireRecord,
} from '../wire/wire-fields.ts'

const NAME_LENGTH_MAX = 256

/** The first usable name, in the form that is stored and shown; `unknown` without one. */
export function nameFrom(...candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const name = typeof candidate === 'string' ? displayText(candidate, NAME_LENGTH_MAX) : ''
    if (name !== '') return name
  }
  return 'unknown'
}

/** Whether a name contains NUL, which some stores cannot keep. Dropping the NUL would change the name to another one. */
export function isRefusedName(candidate: unknown): boolean {
  return typeof candidate === 'string' && candidate.includes('\0')
}

const SHAPE_FIELDS_MAX = 40
const FIELD_NAME = /^[a-z_][a-z0-9_]{0,39}$/

/** A refused record, reduced to the names and types of its fields. */
export function quarantined(reason: QuarantinedRecord['reason'], wire: unknown): QuarantinedRecord {
  return { reason, shape: shapeOf(wire, true) }
}

function shapeOf(wire: unknown, withFields: boolean): string {
  if (!isRecord(wire) || !withFields)
    return Array.isArray(wire) ? 'list' : wire === null ? 'null' : typeof wire
  const fields = Object.entries(wire)
    .slice(0, SHAPE_FIELDS_MAX)
    .map(
      ([name, value]) =>
        `${FIELD_NAME.test(name) ? name : '?'}:${shapeOf(value, name === 'tokens')}`,
    )
  return `{${fields.join(' ')}}`
}

/** Tokens of one request. `saturated`: the number is too large to be exact. */
interface TokenCount {
  readonly tokens: number
  readonly saturated: boolean
  /** Classes that add up to `tokens`; null if the record has no classes or contradicts itself. */
  readonly classes: TokenClasses | null
}

/** Providers that count reasoning separately from the output. See docs/upstream.md#usage-records. */
const REASONING_APART = /^(?:gemini|antigravity|vertex)/

/** The record's tokens from its most precise fields; null if a number among them cannot be a count. */
export function tokensOf(wire: WireRecord, provider: string): TokenCount | null {
  const { tokens, token_breakdown } = wire
  const breakdown = knownBreakdown(token_breakdown)
  const family = familyOf(wire, provider)
  const quality = textFrom(breakdown?.quality) ?? COMPLETE
  if (breakdown !== null && quality !== 'inconsistent') {
    const total = countIn(breakdown, 'total_tokens')
    const classes = quality === COMPLETE ? classesIn(breakdown) : null
    if (total !== null && total !== undefined)
      return tokenCountOf(total, withInput(classes, family))
  }
  if (tokens === undefined || tokens === null) return tokenCountOf(0, null)
  if (!isRecord(tokens)) return null
  const total = countIn(tokens, 'total_tokens')
  const input = countIn(tokens, 'input_tokens')
  const output = countIn(tokens, 'output_tokens')
  const reasoning = countIn(tokens, 'reasoning_tokens')
  if (total === null || input === null || output === null || reasoning === null) return null
  const sum = (input ?? 0) + (output ?? 0) + (REASONING_APART.test(provider) ? (reasoning ?? 0) : 0)
  // Counts of Codex add up even where the proxy says that its breakdown does not.
  const maySplit = quality === COMPLETE || provider === ASSUMED_PROVIDER
  return tokenCountOf(
    total !== undefined && total > 0 ? total : sum,
    maySplit ? withInput(classesByFamily(tokens, family), family) : null,
  )
}

/** The quality of a breakdown with distinguishable parts. */
const COMPLETE = 'complete'

/** The breakdown, if it has the known version; null for anything else. */
function knownBreakdown(wire: unknown): WireRecord | null {
  return isRecord(wire) && wire.schema_version === 2 ? wire : null
}

/** The classes; null if the proxy has missed the input, because a stream of Claude may state it too early. */
function withInput(classes: TokenClasses | null, family: Family | null): TokenClasses | null {
  if (classes === null || family !== 'input-without-cache') return classes
  const { tokensIn, tokensCached, tokensWritten, tokensOut } = classes
  return tokensOut > 0 && tokensIn + tokensCached + tokensWritten === 0 ? null : classes
}

/** Classes in a breakdown; they never overlap, for any vendor. */
function classesIn({ input, output }: WireRecord): TokenClasses | null {
  if (!isRecord(input) || !isRecord(output)) return null
  return classesFrom({
    uncached: countIn(input, 'uncached_tokens'),
    read: countIn(input, 'cache_read_tokens'),
    written: countIn(input, 'cache_write_tokens'),
    output: countIn(output, 'total_tokens'),
  })
}

/** Families of vendors by what their counts include. See docs/upstream.md#usage-records. */
type Family = 'input-without-cache' | 'input-with-cache' | 'reasoning-apart'

const FAMILY_WORDS: readonly (readonly [RegExp, Family])[] = [
  [/claude|anthropic/, 'input-without-cache'],
  [/gemini|aistudio|antigravity|vertex|interaction/, 'reasoning-apart'],
  [/openai|codex|xai|grok|kimi|qwen|deepseek|openrouter/, 'input-with-cache'],
]

/** The family by the proxy's rule (words in the names of provider and executor); null if none matches. */
function familyOf({ executor_type }: WireRecord, provider: string): Family | null {
  const name = `${provider} ${textFrom(executor_type) ?? ''}`.toLowerCase()
  return FAMILY_WORDS.find(([words]) => words.test(name))?.[1] ?? null
}

/** Classes of a record without a breakdown, as written by proxies before v7.2.97. */
function classesByFamily(tokens: WireRecord, family: Family | null): TokenClasses | null {
  if (family === null) return null
  const [input, output, reasoning, written, read, cached] = COUNTS.map((name) =>
    countIn(tokens, name),
  )
  if ([input, output, reasoning, written, read, cached].includes(null)) return null
  // In this family `cached_tokens` means written tokens if no tokens were read.
  if (family === 'input-without-cache')
    return classesFrom({ uncached: input ?? 0, read, written: written ?? 0, output: output ?? 0 })
  const fromCache = read ?? cached ?? 0
  return classesFrom({
    uncached: (input ?? 0) - fromCache - (written ?? 0),
    read: fromCache,
    written: written ?? 0,
    output: (output ?? 0) + (family === 'reasoning-apart' ? (reasoning ?? 0) : 0),
  })
}

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'cached_tokens',
] as const

interface StatedClasses {
  readonly uncached: number | null | undefined
  readonly read: number | null | undefined
  readonly written: number | null | undefined
  readonly output: number | null | undefined
}

/** The classes; null unless each is a count. */
function classesFrom({ uncached, read, written, output }: StatedClasses): TokenClasses | null {
  if (uncached == null || read == null || written == null || output == null) return null
  if (uncached < 0) return null
  return { tokensIn: uncached, tokensCached: read, tokensWritten: written, tokensOut: output }
}

/** A whole number >= 0, also as text; undefined if absent, null if it is anything else. */
function countIn(wire: WireRecord, name: string): number | null | undefined {
  const value = wire[name]
  if (value === undefined || value === null) return undefined
  const number = numberFrom(value)
  return number === null || number < 0 || !Number.isInteger(number) ? null : number
}

/** The count with its classes, dropped unless they add up to the total. */
function tokenCountOf(total: number, classes: TokenClasses | null): TokenCount {
  if (total > Number.MAX_SAFE_INTEGER)
    return { tokens: Number.MAX_SAFE_INTEGER, saturated: true, classes: null }
  return { tokens: total, saturated: false, classes: addsUpTo(total, classes) ? classes : null }
}

function addsUpTo(total: number, classes: TokenClasses | null): boolean {
  if (classes === null) return false
  const { tokensIn, tokensCached, tokensWritten, tokensOut } = classes
  return tokensIn + tokensCached + tokensWritten + tokensOut === total
}
