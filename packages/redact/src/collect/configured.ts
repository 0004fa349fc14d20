import { bytesOf } from '../byte-text.ts'
import { createCells } from '../database/cells.ts'
import { type DatabaseSource, visitDatabase } from '../database/redact-database.ts'
import { createDocumentReader } from '../document/document.ts'
import { NOTHING_KNOWN } from '../known/known-values.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import type { CollectedValues } from './collected-values.ts'

/** Members whose value is looked for however short or common it is. */
const MEMBERS = [
  ...(['label', 'email', 'note', 'organization_name'] as const).map(
    (name) => [name, 'user'] as const,
  ),
  ...(
    ['account_id', 'account_uuid', 'organization_uuid', 'sub', 'device_id', 'project_id'] as const
  ).map((name) => [name, 'secret'] as const),
]

/** Collects what an account's auth file holds: tokens, the address, the identity at the vendor, the label, and the owner in the file name. */
export function collectAuthFile(name: string, text: string, collected: CollectedValues): void {
  const reader = createDocumentReader({ kind: 'json', isSettings: true, known: NOTHING_KNOWN })
  for (const part of [...reader.push(bytesOf(text)), ...reader.end()]) {
    if (part.kind === 'hidden') for (const span of part.all) collected.addFound(span)
  }
  for (const [member, kind] of MEMBERS) {
    const value = memberOf(text, member)
    if (value !== null) collected.addConfigured(bytesOf(value), kind)
  }
  // Other documents may lie in the same folder.
  if (
    !['type', 'email', 'access_token', 'refresh_token'].some(
      (member) => memberOf(text, member) !== null,
    )
  )
    return
  const owner =
    /^(?:kimi-ai-|[a-z]+-)?(?:[0-9a-f]{8}-)?(.*?)(?:-(?:plus|team|pro|prolite|free|go|business|enterprise|edu))?\.json$/.exec(
      name,
    )?.[1]
  if (owner !== undefined)
    collected.addConfigured(bytesOf(owner), owner.includes('@') ? 'email' : 'user')
}

function memberOf(text: string, member: string): string | null {
  try {
    const value = (JSON.parse(text) as Record<string, unknown>)[member]
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** Collects the client keys and titles of accounts in a store, and values whose names mark them as secrets. Throws RedactError. */
export function collectStore(
  source: DatabaseSource,
  collected: CollectedValues,
  stop: AbortSignal,
): void {
  const cells = createCells(NOTHING_KNOWN, createPseudonyms({ keepMap: false }))
  visitDatabase({ ...source, stop, onRows: () => undefined }, (table, column, value, row) => {
    if (typeof value !== 'string') return
    if (
      (table === 'accounts' && column === 'title') ||
      (table === 'api_names' && column === 'name')
    )
      collected.addConfigured(bytesOf(value), column === 'title' ? 'user' : 'secret')
    else for (const span of cells.spansOf(table, column, value, row)) collected.addFound(span)
  })
}
