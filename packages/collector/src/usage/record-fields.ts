import type { QuarantinedRecord } from '@svc/core/usage'
import { displayText } from '../wire/display-text.ts'
import { isRecord, numberFrom, type WireRecord } from '../wire/wire-fields.ts'

/** Tokens of one request; `saturated` when there were more than a number holds exactly. */
export interface TokenCount {
  readonly tokens: number
  readonly saturated: boolean
}

/** Providers that count reasoning apart from the output. See docs/upstream.md#usage-records. */
const REASONING_APART = /^(?:gemini|antigravity|vertex)/

/** The record's tokens, from the best of its statements; null when a number in it is none a count can be. */
export function tokensOf(tokens: unknown, breakdown: unknown, provider: string): TokenCount | null {
  if (
    isRecord(breakdown) &&
    breakdown.schema_version === 2 &&
    breakdown.quality !== 'inconsistent'
  ) {
    const total = countIn(breakdown, 'total_tokens')
    if (total !== null && total !== undefined) return saturated(total)
  }
  if (tokens === undefined || tokens === null) return { tokens: 0, saturated: false }
  if (!isRecord(tokens)) return null
  const total = countIn(tokens, 'total_tokens')
  const input = countIn(tokens, 'input_tokens')
  const output = countIn(tokens, 'output_tokens')
  const reasoning = countIn(tokens, 'reasoning_tokens')
  if (total === null || input === null || output === null || reasoning === null) return null
  if (total !== undefined && total > 0) return saturated(total)
  return saturated(
    (input ?? 0) + (output ?? 0) + (REASONING_APART.test(provider) ? (reasoning ?? 0) : 0),
  )
}

/** A whole number, >= 0, also as text; undefined when it is not stated, null when it is nothing of the kind. */
function countIn(wire: WireRecord, name: string): number | null | undefined {
  const value = wire[name]
  if (value === undefined || value === null) return undefined
  const number = numberFrom(value)
  return number === null || number < 0 || !Number.isInteger(number) ? null : number
}

function saturated(count: number): TokenCount {
  return count > Number.MAX_SAFE_INTEGER
    ? { tokens: Number.MAX_SAFE_INTEGER, saturated: true }
    : { tokens: count, saturated: false }
}

const NAME_LENGTH_MAX = 256

/** A name as it is kept and shown; `unknown` when there is none. */
export function nameFrom(...candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const name = typeof candidate === 'string' ? displayText(candidate, NAME_LENGTH_MAX) : ''
    if (name !== '') return name
  }
  return 'unknown'
}

const SHAPE_FIELDS_MAX = 40
const FIELD_NAME = /^[a-z_][a-z0-9_]{0,39}$/

/** A record that is not kept, reduced to the names and types of its fields. */
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
