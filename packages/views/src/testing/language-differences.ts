/** Words that Chinese texts may contain in Latin letters: products, units, protocols, commands and operator input. */
const LATIN = new Set(
  (
    'Codex Plus Pro Team Free Claude Gemini API Node SQLite WAL TLS DNS NTP UTC Token doctor chmod chown root ps D go-w B kB MB GB k M T h ' +
    'better-sqlite3 redis-usage-queue-retention-seconds MANAGEMENT_PASSWORD usage-statistics-enabled true off auto subscribe RESP ' +
    'PostgreSQL pg PGPASSFILE PGPASSWORD init postgres postgres-hba pg_hba.conf svc-quota-monitor GET omit optional sslrootcert ' +
    'remote-management.allow-remote remote-management.secret-key management.allow-remote management.secret-key config-version ' +
    'observability.usage.usage-statistics-enabled observability.usage.redis-usage-queue-retention-seconds CLIProxyAPI Home'
  ).split(' '),
)

/** Words of a text that are neither Chinese nor allowed. `names` matches names of the sample, which are ignored. */
export function foreignWordsIn(text: string, names: RegExp): readonly string[] {
  const words =
    text
      .replaceAll(names, '')
      .replaceAll(/\/api\/[\w/]+/g, '')
      .match(/[A-Za-z][\w.-]*/g) ?? []
  return words.map((word) => word.replace(/[.-]+$/, '')).filter((word) => !isAllowed(word))
}

/** Keys of settings are allowed. */
function isAllowed(word: string): boolean {
  return LATIN.has(word) || /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(word)
}

/** One text of a payload in two languages; `path` omits positions in lists. */
export interface TextPair {
  readonly path: string
  readonly one: string
  readonly other: string
}

/** Strings in which two payloads differ. Throws on any other difference: a member, a number, the length of a list. */
export function differingTexts(one: unknown, other: unknown, path = ''): readonly TextPair[] {
  if (typeof one === 'string' && typeof other === 'string')
    return one === other ? [] : [{ path, one, other }]
  if (!isComposite(one) || !isComposite(other)) {
    if (one !== other) throw new Error(`${path} is ${String(one)} and ${String(other)}`)
    return []
  }
  const keys = Object.keys(one)
  if (keys.join() !== Object.keys(other).join() || Array.isArray(one) !== Array.isArray(other))
    throw new Error(`${path} has ${keys.join()} and ${Object.keys(other).join()}`)
  return keys.flatMap((key) =>
    differingTexts(one[key], other[key], Array.isArray(one) ? path : `${path}.${key}`),
  )
}

export function stringsIn(body: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof body === 'string') return [[path, body]]
  if (!isComposite(body)) return []
  return Object.entries(body).flatMap(([key, member]) =>
    stringsIn(member, Array.isArray(body) ? path : `${path}.${key}`),
  )
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
