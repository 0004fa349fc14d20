import type { EvaluatedAccount } from '@svc/core'
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

export const metricItemSchema = described(
  v.object({ label: v.string(), value: v.string(), detail: v.optional(v.string()) }),
  'One figure, formatted for display.',
)

/** Figures in display order. */
export const itemsSchema = v.array(metricItemSchema)

/** The body of an action by its closed schema, whose values hold no object. Null for any other text, and for a body that names a member twice. */
export function closedBodyOf<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): { readonly body: v.InferOutput<Schema>; readonly memberCount: number } | null {
  try {
    const parsed: unknown = JSON.parse(text)
    const body = v.safeParse(schema, parsed)
    // The schema accepts a list as an object without members.
    if (!body.success || Array.isArray(parsed)) return null
    const memberCount = Object.keys(parsed as object).length
    return repeatsMember(text, memberCount) ? null : { body: body.output, memberCount }
  } catch {
    return null
  }
}

/** Whether a valid body names a member twice: its values contain no object, so each member has exactly one colon outside of strings. */
function repeatsMember(text: string, memberCount: number): boolean {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 > memberCount
}

/** Identifies one account. A closed object, so that it can never contain a path, a token or a key. */
export const accountSelectorSchema = described(
  v.strictObject({ authName: v.string(), authIndex: v.string(), accountKey: v.string() }),
  'Identity of one account, without file paths, tokens or keys. Closed object. `accountKey` is the stable identity.',
)

/** Copies field by field, so that nothing else can get in. */
export function accountSelector({
  selector,
}: EvaluatedAccount): v.InferOutput<typeof accountSelectorSchema> {
  return {
    authName: selector.authName,
    authIndex: selector.authIndex,
    accountKey: selector.accountKey,
  }
}
