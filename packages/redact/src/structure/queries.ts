import { isHarmless } from '../names/harmless.ts'
import type { Span } from '../span.ts'

/** Names that are too common to hide any value elsewhere; in the query of a URL they hold a key, a signature or the state of a login. */
const PARAMETER =
  /(?:[?&]|&amp;|\\{1,8}u0026|%3[fF]|%26)(?:key|k|sig|signature|state|code|x-amz-signature|x-goog-signature)(?:=|%3[dD])([^ \t\r\n&"'`<>#\\,;)\]}%]{2,4096}(?:%(?!26)[^ \t\r\n&"'`<>#\\,;)\]}%]{0,512}){0,64})/gi

/** Secrets in the queries of URLs whose names say little. */
export function queriesIn(text: string): Span[] {
  return [...text.matchAll(PARAMETER)].flatMap((match) => {
    const value = match[1] ?? ''
    if (isHarmless(value) || /^\d{1,3}$/.test(value) || /^[$%{[]/.test(value)) return []
    const start = match.index + match[0].length - value.length
    // A word means nothing elsewhere.
    return [
      {
        start,
        end: start + value.length,
        kind: 'secret',
        value,
        certainty: /^[A-Za-z]+$/.test(value) ? 'here' : 'named',
      } as const,
    ]
  })
}
