import type { OpenApiDocument } from '@svc/views/openapi'

/** Payloads that the client checks; the schemas that they refer to are added. */
const CHECKED = [
  ...[
    'AccountDetail',
    'CapacityParts',
    'Health',
    'Pick',
    'Recommendations',
    'Prices',
    'StatsSeries',
    'StatusSnapshot',
  ],
  ...['SnapshotEvent', 'HealthItem', 'ActionEvent'],
]
const PLACE = '#/components/schemas/'
/** Replaces each enumeration except that of tones, because a newer service may know more words. */
const aWord = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }
const LEFT_OUT = new Set(['description', 'minimum', 'maximum'])

/** Source of the client's module with the contract schemas that it checks, one per line. */
export function clientSchemas({ components }: OpenApiDocument): string {
  const lines = new Map([['Word', JSON.stringify(aWord)]])
  const add = (name: string) => {
    if (lines.has(name)) return
    const text = JSON.stringify(components.schemas?.[name], looser)
    lines.set(name, text)
    for (const [, inner = ''] of text.matchAll(/"\$ref":"(\w+)"/g)) add(inner)
  }
  CHECKED.forEach(add)
  const entries = [...lines].map(([name, text]) => `  ${name}: ${text},\n`)
  return `// Written by \`npm run openapi\`.
import type { Schema } from './schema.ts'

/** Schemas of the answers and of what they refer to, by name. */
export const payloadSchemas: Readonly<Record<string, Schema>> = {
${entries.join('')}}
`
}

function looser(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).slice(PLACE.length)
  if (LEFT_OUT.has(key) && typeof value !== 'object') return undefined
  const { enum: words } = Object(value) as { readonly enum?: readonly unknown[] }
  if (!Array.isArray(words) || words.includes('good')) return value
  return words.every((word) => typeof word === 'string')
    ? { $ref: `${PLACE}Word` }
    : { type: typeof words[0] }
}
