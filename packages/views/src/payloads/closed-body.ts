import * as v from 'valibot'

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
