import { type EpochMs, type EvaluatedAccount, instantToIso } from '@svc/core'
import { UPSTREAM_NAME } from '@svc/core/service'
import * as v from 'valibot'

/** An instant as ISO 8601 with offset. */
export const instantSchema = v.pipe(v.string(), v.isoTimestamp())
export const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
export const secondsSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
export const unitsSchema = v.pipe(v.number(), v.minValue(0))
export const percentSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(100))
export const scoreSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))
/** A stable slug; unlike texts, slugs are never reworded. */
export const slugSchema = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/))
export const upstreamNameSchema = v.pipe(v.string(), v.regex(UPSTREAM_NAME))
/** Id of a window, as in `5h` or `opus:week`. */
export const windowIdSchema = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9_:.-]*$/))
export const windowStateSchema = v.picklist(['known', 'exhausted', 'unknown', 'absent'])
/** Slug of a blocking reason; slugs of windows end with the window id. */
export const blockSlugSchema = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_:.-]*$/))
/** Kind of answer that a reading came from. */
export const originSchema = v.picklist(['direct', 'headers', 'error-body', 'status-message'])
export const toneSchema = v.picklist(['good', 'warn', 'bad', 'unknown'])

/** The instant as the wire has it; null stays null. */
export function isoOrNull(at: EpochMs | null): string | null {
  return at === null ? null : instantToIso(at)
}

/** Adds a description for the API contract to a schema. */
export function described<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text))
}

/** Optional member with a description for the API contract. */
export function optional<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.optional(described(schema, text))
}

export const metricItemSchema = described(
  v.object({ label: v.string(), value: v.string(), detail: v.optional(v.string()) }),
  'One figure, formatted for display.',
)

/** Figures in display order. */
export const itemsSchema = v.array(metricItemSchema)

/** Parses an action's body by its closed schema, whose values hold no objects. Null for any other text, or a body that repeats a member. */
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

/** Whether a valid body repeats a member: without nested objects, each member has exactly one colon outside strings. */
function repeatsMember(text: string, memberCount: number): boolean {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 > memberCount
}

/** Identifies one account. Closed, so that it can never contain a path, token or key. */
export const accountSelectorSchema = described(
  v.strictObject({ authName: v.string(), authIndex: v.string(), accountKey: v.string() }),
  'Identity of one account, without file paths, tokens or keys. Closed object. `accountKey` is the stable identity.',
)

/** Copies only the known fields, so that no others can get in. */
export function accountSelector({
  selector,
}: EvaluatedAccount): v.InferOutput<typeof accountSelectorSchema> {
  return {
    authName: selector.authName,
    authIndex: selector.authIndex,
    accountKey: selector.accountKey,
  }
}
