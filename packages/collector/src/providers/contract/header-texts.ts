import { isRecord } from '../../wire/wire-fields.ts'

const HEADERS_MAX = 200

/** Headers given as a text or a list of texts, by their names in lower case; all others are dropped. */
export function headerTextsOf(headers: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, values] of Object.entries(isRecord(headers) ? headers : {}).slice(
    0,
    HEADERS_MAX,
  )) {
    const value: unknown = Array.isArray(values) ? values[0] : values
    if (typeof value === 'string') texts.set(name.toLowerCase(), value)
  }
  return texts
}
