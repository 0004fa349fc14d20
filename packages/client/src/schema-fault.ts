import { payloadSchemas } from './payload-schemas.ts'
import type { Schema } from './schema.ts'

/**
 * Path of the first value in a payload that violates its schema, such as `items[3].title`; null if the payload is valid. Members without a schema may
 * have any value.
 */
export function faultIn(payload: unknown, name: string): string | null {
  return faultAt('', payload, { $ref: name })
}

function faultAt(at: string, value: unknown, schema: Schema): string | null {
  const { $ref, anyOf, items = {} } = schema
  if ($ref !== undefined) return faultAt(at, value, payloadSchemas[$ref] ?? {})
  if (anyOf !== undefined) {
    const faults = anyOf.map((one) => faultAt(at, value, one))
    return faults.includes(null) ? null : (faults.find((fault) => fault !== at) ?? at)
  }
  if (!isOfType(value, schema)) return at
  if (Array.isArray(value))
    return firstOf(value.entries(), ([index, one]) => faultAt(`${at}[${index}]`, one, items))
  return typeof value === 'object' && value !== null ? faultInMembers(at, value, schema) : null
}

function isOfType(value: unknown, schema: Schema): boolean {
  const { type, enum: words } = schema
  if (words !== undefined) return words.includes(value)
  switch (type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'string':
      return typeof value === 'string' && value.length <= TEXT_LENGTH_MAX && hasForm(value, schema)
    default:
      return typeof value === type
  }
}

/** Length limit of a text, above any text of the service. */
const TEXT_LENGTH_MAX = 64 * 1024
/** An instant with its offset, in the format of the contract. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]{5,24}(?:Z|[+-]\d\d:\d\d)$/
const forms = new Map<string, RegExp>()

function hasForm(text: string, { pattern, format }: Schema): boolean {
  if (format === 'date-time') return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
  if (pattern === undefined) return true
  const form = forms.get(pattern) ?? new RegExp(pattern)
  forms.set(pattern, form)
  return form.test(text)
}

function faultInMembers(at: string, value: object, schema: Schema): string | null {
  const { properties = {}, required = [], additionalProperties: other } = schema
  const placeOf = (name: string) => (at === '' ? name : `${at}.${name}`)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return placeOf(missing)
  return firstOf(Object.entries(value), ([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known !== undefined) return faultAt(placeOf(name), member, known)
    // Names that are no part of the contract are not repeated.
    return typeof other === 'object' ? faultAt(placeOf('*'), member, other) : null
  })
}

function firstOf<Of>(all: Iterable<Of>, faultOf: (one: Of) => string | null): string | null {
  for (const one of all) {
    const fault = faultOf(one)
    if (fault !== null) return fault
  }
  return null
}
