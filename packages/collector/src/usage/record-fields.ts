import type { QuarantinedRecord } from '@svc/core/usage'
import { displayText, isRecord } from '../wire/wire-fields.ts'

const NAME_LENGTH_MAX = 256

/** The first usable name, in the form that is stored and shown; `unknown` without one. */
export function nameFrom(...candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const name = typeof candidate === 'string' ? displayText(candidate, NAME_LENGTH_MAX) : ''
    if (name !== '') return name
  }
  return 'unknown'
}

/** Whether a name contains NUL, which some stores cannot keep; dropping the NUL would make it another name. */
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
