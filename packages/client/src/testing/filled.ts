import { payloadSchemas } from '../payload-schemas.ts'
import type { Schema } from '../schema.ts'

type Given = Readonly<Record<string, unknown>>

/** The least payload of this schema with these members; what is missing of them, and of what is in them, is filled in. */
export function filled(name: string, given: object = {}): Given {
  return filledAs({ $ref: name }, given) as Given
}

function filledAs(schema: Schema, given: unknown): unknown {
  const { $ref, anyOf, type, items, properties = {}, required = [] } = schema
  if ($ref !== undefined) return filledAs(payloadSchemas[$ref] ?? {}, given)
  if (anyOf !== undefined) {
    const isNull = ({ type: one }: Schema) => one === 'null'
    if (given == null && anyOf.some(isNull)) return null
    return filledAs(anyOf.find((one) => !isNull(one)) ?? {}, given)
  }
  if (Array.isArray(given)) return given.map((one: unknown) => filledAs(items ?? {}, one))
  if (type === 'object' && (given === undefined || isObject(given))) {
    const least = required.map((member) => [member, undefined] as const)
    const members = { ...Object.fromEntries(least), ...withoutUndefined(given) }
    return Object.fromEntries(
      Object.entries(members).map(([member, value]) => [
        member,
        filledAs(properties[member] ?? {}, value),
      ]),
    )
  }
  return given === undefined ? leastOf(schema) : given
}

function leastOf({ type, enum: words, format }: Schema): unknown {
  if (words !== undefined) return words[0]
  if (type === 'string') return format === 'date-time' ? '2026-11-20T12:00:00.000Z' : 'a'
  if (type === 'integer' || type === 'number') return 0
  return type === 'boolean' ? false : type === 'array' ? [] : null
}

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null

const withoutUndefined = (given: Given = {}) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
