import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientLabelsIn } from '@svc/collector'
import { type Config, isDatabaseAddress, type Upstream, upstreamsOf } from '@svc/config'
import {
  type CollectedValues,
  collectAuthFile,
  collectStore,
  type RedactOutcome,
} from '@svc/redact'

/** The note for the reader if there were too many values to remember. */
export function leftOutLines(leftOut: RedactOutcome['leftOut']): readonly string[] {
  return leftOut === 0
    ? []
    : [
        `${leftOut} secrets were too many to be remembered. They are hidden where their name stands, and were NOT looked for elsewhere. Redact fewer files at once.`,
      ]
}

/** Limit on auth files, far above the size of any pool. */
const AUTH_FILES_MAX = 20_000
const BYTES_MAX = 64 * 1024 * 1024

/**
 * Collects every secret that this machine's configuration leads to: the management key, database passwords, addresses of receivers of
 * messages, the contents of auth files, API names and labels of clients, names and titles in the store. Also reads files that the service would refuse, such as a key file that
 * others can write. Resolves with one line for each source that could not be read in full.
 */
export async function collectConfigured(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  collected: CollectedValues,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const { clientLabelsFile } = config.usage
  const { stateDb, stateDbPasswordFile } = config.history
  const problems: string[] = []
  const tried = (source: string, collect: () => void) => {
    try {
      collect()
    } catch (error) {
      if (stop.aborted) throw error
      problems.push(`${source} ${reasonOf(error)}: what it holds is not looked for`)
    }
  }
  for (const upstream of upstreamsOf(config)) collectUpstream(upstream, collected, tried)
  if (clientLabelsFile !== null)
    tried('client_labels_file', () => collectLabels(textOf(bytesIn(clientLabelsFile)), collected))
  for (const { urlFile } of config.notify.targets)
    tried('url_file', () => collectAddress(textOf(bytesIn(urlFile)), collected))
  collectDatabasePasswords(config.history, env, collected, tried)
  if (stateDb !== null && isDatabaseAddress(stateDb)) {
    const refused = await collectDatabase(stateDb, stateDbPasswordFile, collected)
    if (refused !== null) problems.push(`state_db ${refused}: what it holds is not looked for`)
  } else if (stateDb !== null)
    tried('state_db', () =>
      collectStore({ path: stateDb, temporaryFolder: tmpdir() }, collected, stop),
    )
  return problems
}

/** Collects the database password from every possible source; the address contains none. */
function collectDatabasePasswords(
  { stateDb, stateDbPasswordFile }: Config['history'],
  env: Readonly<Record<string, string | undefined>>,
  collected: CollectedValues,
  tried: (source: string, collect: () => void) => void,
): void {
  if (stateDbPasswordFile !== null)
    tried('state_db_password_file', () =>
      collectKeys(textOf(bytesIn(stateDbPasswordFile)), collected),
    )
  if (stateDb === null || !isDatabaseAddress(stateDb)) return
  const { PGPASSWORD: password = '', PGPASSFILE: passFile = '' } = env
  if (password !== '') collected.addConfigured(password)
  if (passFile !== '')
    tried('PGPASSFILE', () => collectPassFile(textOf(bytesIn(passFile)), collected))
}

/** Parses lines of host, port, database, user and password, in which a backslash escapes a literal colon. */
function collectPassFile(text: string, collected: CollectedValues): void {
  for (const line of text.split(/[\r\n]+/)) {
    const written = /^(?:(?:[^:\\]|\\.)*:){4}(.+)$/.exec(line)?.[1]
    if (written === undefined || line.startsWith('#')) continue
    for (const password of [written, written.replaceAll(/\\(.)/g, '$1')])
      collected.addConfigured(password)
  }
}

/** Collects names and titles from a database. Resolves with null, or with the reason the database cannot be read. */
async function collectDatabase(
  address: string,
  passwordFile: string | null,
  collected: CollectedValues,
): Promise<string | null> {
  const { databaseNames } = await import('@svc/history')
  try {
    const { apiNames, accountTitles, kept } = await databaseNames(address, passwordFile)
    for (const name of [...apiNames, ...kept]) collected.addConfigured(name)
    for (const title of accountTitles) collected.addConfigured(title)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

/** Collects the key of one proxy, possible passwords in its addresses, and its auth files. */
function collectUpstream(
  { upstream, quota: { authDir } }: Upstream,
  collected: CollectedValues,
  tried: (source: string, collect: () => void) => void,
): void {
  const { managementKey, managementKeyFile, upstreamUrl, gatewayHealthUrl, upstreamUiUrl } =
    upstream
  if (managementKey !== null) collectKeys(managementKey.reveal(), collected)
  else if (managementKeyFile !== null)
    tried('management_key_file', () => collectKeys(textOf(bytesIn(managementKeyFile)), collected))
  for (const url of [upstreamUrl, gatewayHealthUrl, upstreamUiUrl]) collectUserInfo(url, collected)
  if (authDir !== null) tried('auth_dir', () => collectAuthFiles(authDir, collected, tried))
}

/** Reason for a failure, without file content: for file system errors only the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read'
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message
}

/** Collects every line, and the value after a name in the line, because the file may contain more than the key. */
function collectKeys(text: string, collected: CollectedValues): void {
  for (const line of [text, ...text.split(/[\r\n]+/)]) {
    const value = /^[ \t]*(?:export[ \t]+)?[\w.-]{1,64}[ \t]*[=:](.*)$/.exec(line)?.[1]
    for (const part of value === undefined ? [line] : [line, value]) {
      collected.addConfigured(part)
      const quoted = /^\s*(["'])(.*)\1\s*$/s.exec(part)?.[2]
      if (quoted !== undefined) collected.addConfigured(quoted)
    }
  }
}

/** Minimum length of a part of an address that counts as a token rather than a word. */
const TOKEN_LENGTH_MIN = 16

/** Collects the address of a message receiver, and also its tokens, because a log may contain a token alone. */
function collectAddress(text: string, collected: CollectedValues): void {
  collectKeys(text, collected)
  collectUserInfo(text.trim(), collected)
  // Scheme and host come first.
  for (const part of text.split(/[\s/?&=]+/).slice(2))
    if (part.length >= TOKEN_LENGTH_MIN) collected.addConfigured(part)
}

function collectUserInfo(url: string, collected: CollectedValues): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  for (const text of [password, username]) {
    if (text === '') continue
    collected.addConfigured(text)
    try {
      collected.addConfigured(decodeURIComponent(text))
    } catch {
      // The text was not percent-encoded.
    }
  }
}

function collectClient(name: string, label: string, collected: CollectedValues): void {
  collected.addConfigured(name)
  collected.addConfigured(label)
}

function collectLabels(text: string, collected: CollectedValues): void {
  let labels: ReadonlyMap<string, string>
  try {
    labels = clientLabelsIn(text).byName
  } catch {
    collectBrokenLabels(text, collected)
    return
  }
  for (const [name, label] of labels) collectClient(name, label, collected)
}

/** Collects API names and labels from a labels file that the service would refuse. Always throws, because the file may contain more. */
function collectBrokenLabels(text: string, collected: CollectedValues): void {
  const found = [
    ...text.matchAll(/"(api_?name|label)"\s{0,64}:\s{0,64}"((?:[^"\\]|\\.){1,4096})"/gi),
  ]
  for (const [, , value = ''] of found) collected.addConfigured(unquote(value))
  throw new Error(
    found.length === 0
      ? 'is not as it must be'
      : 'is not as it must be, and may hold more than what was found in it',
  )
}

function unquote(value: string): string {
  try {
    return String(JSON.parse(`"${value}"`))
  } catch {
    return value
  }
}

function collectAuthFiles(
  authDir: string,
  collected: CollectedValues,
  tried: (source: string, collect: () => void) => void,
): void {
  const names = readdirSync(authDir).filter((name) => name.endsWith('.json'))
  for (const name of names.slice(0, AUTH_FILES_MAX))
    tried('a file in auth_dir', () =>
      collectAuthFile(name, textOf(bytesIn(join(authDir, name))), collected),
    )
  if (names.length > AUTH_FILES_MAX) throw new Error(`holds more than ${AUTH_FILES_MAX} files`)
}

/** O_NONBLOCK does not exist on Windows. Without it, opening a named pipe would block. */
const OPEN_FLAGS = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)

/** Contents of a regular file. Throws an Error with one readable line, or the error of the file system. */
function bytesIn(path: string): Buffer {
  const file = openSync(realpathSync(path), OPEN_FLAGS)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('is not a regular file')
    if (stats.size > BYTES_MAX) throw new Error('is too large')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Decodes UTF-16 if there is a byte order mark for it, else UTF-8. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2)
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le', 2)
  return bytes.toString('utf8').replace(/^\ufeff/, '')
}
