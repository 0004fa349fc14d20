import { createCells } from '../database/cells.ts'
import { type DatabaseReading, visitDatabase } from '../database/redact-database.ts'
import { createJsonRedactor } from '../json/redact-json.ts'
import type { CollectedValues } from '../known/collected-values.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import type { Redaction } from '../redaction/redact-line.ts'

/** Members of an auth file whose value is looked for however short or common it is. */
const MEMBERS = [
  ...['label', 'email', 'note', 'organization_name'],
  ...['account_id', 'account_uuid', 'organization_uuid', 'sub', 'device_id', 'project_id'],
]

const TELLING = ['type', 'email', 'access_token', 'refresh_token']

/** The first pass: what is named as a secret is collected, and nothing replaced. */
export function collecting(collected: CollectedValues): Redaction {
  return {
    known: createKnownValues([]),
    pseudonyms: createPseudonyms({ keepMap: false }),
    collected,
  }
}

/** Collects what an account's auth file holds: tokens, the address, the identity at the vendor, the label, and the owner in the file name. */
export function collectAuthFile(name: string, text: string, collected: CollectedValues): void {
  createJsonRedactor(collecting(collected))(text, true)
  const members = membersOf(text)
  for (const member of MEMBERS) {
    const value = members[member]
    if (typeof value === 'string') collected.addConfigured(value)
  }
  // Other documents may lie in the same folder.
  if (!TELLING.some((member) => typeof members[member] === 'string')) return
  const owner =
    /^(?:kimi-ai-|[a-z]+-)?(?:[0-9a-f]{8}-)?(.*?)(?:-(?:plus|team|pro|prolite|free|go|business|enterprise|edu))?\.json$/.exec(
      name,
    )?.[1]
  if (owner !== undefined) collected.addConfigured(owner)
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {}
  } catch {
    return {}
  }
}

/** Collects the client keys and titles of accounts in a store, and values whose names mark them as secrets. Throws RedactError. */
export function collectStore(
  store: Pick<DatabaseReading, 'path' | 'temporaryFolder'>,
  collected: CollectedValues,
  stop: AbortSignal,
): void {
  const cells = createCells(collecting(collected))
  visitDatabase({ ...store, stop, onRead: () => undefined }, (table, column, value, row) => {
    if (typeof value !== 'string') return
    if (`${table}.${column}` === 'accounts.title' || `${table}.${column}` === 'api_names.name')
      collected.addConfigured(value)
    else cells.replaced(table, column, value, row)
  })
}
