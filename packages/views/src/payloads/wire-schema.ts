import { UPSTREAM_NAME } from '@svc/core/service'
import * as v from 'valibot'

/** An instant as ISO 8601 with offset. */
export const instantSchema = v.pipe(v.string(), v.isoTimestamp())
export const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
export const secondsSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
export const unitsSchema = v.pipe(v.number(), v.minValue(0))
/** Percent remaining. */
export const percentSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(100))
export const scoreSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))
/** A stable slug; unlike texts, slugs are never reworded. */
export const slugSchema = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/))
export const upstreamNameSchema = v.pipe(v.string(), v.regex(UPSTREAM_NAME))
/** Id of a window, as `5h` or `opus:week`. */
export const windowIdSchema = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9_:.-]*$/))
/** Slug of a blocking reason; that of a window ends with its id. */
export const blockSlugSchema = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_:.-]*$/))
/** Kind of answer that a quota reading came from. */
export const originSchema = v.picklist(['direct', 'headers', 'error-body', 'status-message'])
export const toneSchema = v.picklist(['good', 'warn', 'bad', 'unknown'])

/** A schema with a sentence for the contract. */
export function described<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text))
}

/** A member that may be omitted, with a sentence for the contract. */
export function optional<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.optional(described(schema, text))
}
