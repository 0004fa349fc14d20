import { canonicalHost, isLoopbackHost, isUnspecifiedHost, parsePort } from './authority.ts'
import { unexpandedIn } from './config-input.ts'

export const ADDRESS_FORM = 'postgres://host/database'

/** Canonical spelling of an address, or the reason to refuse it. The reason repeats no part of the address. */
export type ReadAddress =
  | { readonly address: string }
  | { readonly why: string; readonly isSecret: boolean }

const PARAMETERS = ['host', 'sslmode', 'sslrootcert']
/** libpq modes that do not encrypt a connection, or may fail to. */
const PLAIN_MODES = ['disable', 'allow', 'prefer']
/** libpq modes that encrypt without verifying the server. */
const BLIND_MODES = ['require', 'verify-ca']

const NO_PASSWORD =
  'a password may not stand in an address; put it into a file named by state_db_password_file, or into PGPASSFILE or PGPASSWORD'

/** True for a resolved `state_db` that is the address of a database rather than the path of a file. */
export function isDatabaseAddress(location: string): boolean {
  return location.startsWith('postgres://')
}

/**
 * True for text that cannot be meant as a path, because it starts with a scheme or is a connection string. Text that starts with `./` or `/` is a
 * path.
 */
export function looksLikeAddress(text: string): boolean {
  if (/^\s*(?:\.{0,2}\/(?!\/)|~)/.test(text)) return false
  return (
    // A Windows drive has a single letter.
    /^\s*[a-z][a-z\d+.-]+:/i.test(text) || mayHoldPassword(text) || /(?:^|\s)dbname=/i.test(text)
  )
}

/** Schemes that other programs put before a file, such as `sqlite:`, `sqlite+aiosqlite:`, `jdbc:sqlite:` and `file:`. */
const FILE_SCHEME = /^\s*(?:jdbc:)?(?:sqlite\d?|file)(?:\+\w+)?:/i

/** Matches a user and password without a preceding scheme. */
const LOGIN = /^(?:\/\/)?[^/\s@:]+:(?!\/\/)[^@\s]*@[\w.[-]/

/** Parses a database address. The result always states the encryption, so that no default of the driver decides it. */
export function readAddress(text: string): ReadAddress {
  const refused = (why: string, isSecret = false) => ({ why, isSecret })
  // Checked first: a text that may contain a password is refused as a secret, whatever other mistakes it has.
  if (mayHoldPassword(text)) return refused(NO_PASSWORD, true)
  if (FILE_SCHEME.test(text)) return refused('a file is named by its path alone, without a scheme')
  if (!/^postgres(?:ql)?:\/\//i.test(text) || !URL.canParse(text))
    return refused(`expected ${ADDRESS_FORM}`)
  const url = new URL(text)
  const parameters = [...url.searchParams.keys()]
  if (url.hash !== '' || parameters.some((name) => !PARAMETERS.includes(name)))
    return refused(`expected no parameters but ${PARAMETERS.join(', ')}`)
  if (new Set(parameters).size < parameters.length) return refused('expected no parameter twice')
  const database = decode(url.pathname.slice(1))
  if (database === null || database === '' || database.includes('/'))
    return refused(`expected ${ADDRESS_FORM}, with the name of the database`)
  const host = hostOf(url)
  if (host === null)
    return refused(
      `expected ${ADDRESS_FORM}, with one host name or IP address, or with the folder of a socket as in postgres:///database?host=/run/postgresql`,
    )
  const user = decode(url.username)
  const port = url.port === '' ? 5432 : parsePort(url.port)
  if (user === null || port === undefined) return refused(`expected ${ADDRESS_FORM}`)
  const encryption = encryptionOf(url.searchParams, host)
  return 'why' in encryption
    ? encryption
    : { address: addressOf({ user, host, port, database, parameters: encryption.parameters }) }
}

/** Host of an address: the folder of a socket, or a name or IP address without brackets. This machine if none is given; null if invalid. */
function hostOf({ hostname, searchParams }: URL): string | null {
  const folder = searchParams.get('host') ?? decode(hostname)
  if (folder === null || folder === '') return folder === '' ? 'localhost' : null
  // A URL with a user or a port must have a host, so socket addresses use `localhost` as a stand-in.
  if (searchParams.has('host') && hostname !== '' && hostname !== 'localhost') return null
  if (folder.startsWith('/')) return folder
  return searchParams.has('host') ? null : canonicalHost(hostname)
}

/** Encryption parameters of an address, or the reason to refuse it. The default is no encryption on this machine and `verify-full` elsewhere. */
function encryptionOf(
  given: URLSearchParams,
  host: string,
): { readonly parameters: URLSearchParams } | { readonly why: string; readonly isSecret: false } {
  const refused = (why: string) => ({ why, isSecret: false }) as const
  const isHere = host.startsWith('/') || isLoopbackHost(host) || isUnspecifiedHost(host)
  const mode = given.get('sslmode') ?? (isHere ? 'disable' : 'verify-full')
  const authorities = given.get('sslrootcert')
  if (PLAIN_MODES.includes(mode)) {
    if (!isHere)
      return refused(
        'sslmode must be verify-full for another machine: without it anybody on the way can read the history and the password',
      )
    if (authorities !== null) return refused('sslrootcert needs sslmode=verify-full')
    return { parameters: new URLSearchParams({ sslmode: 'disable' }) }
  }
  if (BLIND_MODES.includes(mode))
    return refused(
      'sslmode must be verify-full: the other modes encrypt without asking who answers; sslrootcert names the certificate of an authority of your own',
    )
  if (mode !== 'verify-full') return refused('expected sslmode verify-full')
  if (host.startsWith('/')) return refused('sslmode verify-full has no meaning for a socket')
  if (authorities === null) return { parameters: new URLSearchParams({ sslmode: mode }) }
  return authorities.startsWith('/')
    ? { parameters: new URLSearchParams({ sslmode: mode, sslrootcert: authorities }) }
    : refused(unexpandedIn(authorities) ?? 'expected sslrootcert to be a whole path')
}

function addressOf(parts: {
  readonly user: string
  readonly host: string
  readonly port: number
  readonly database: string
  readonly parameters: URLSearchParams
}): string {
  const { user, host, port, database, parameters } = parts
  const isSocket = host.startsWith('/')
  const name = isSocket ? '' : host.includes(':') ? `[${host}]` : host
  const userInfo = user === '' ? '' : `${encodeURIComponent(user)}@`
  const all = isSocket ? [['host', host], ...parameters] : [...parameters]
  const query = all.map(([key, value = '']) => `${key}=${shownValue(value)}`).join('&')
  const authority = isSocket && (user !== '' || port !== 5432) ? 'localhost' : name
  return `postgres://${userInfo}${authority}${port === 5432 ? '' : `:${port}`}/${encodeURIComponent(database)}?${query}`
}

function shownValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%2F', '/')
}

/**
 * Whether text may hold a password: a colon between the scheme and the last `@`, or a password parameter. Checks the text itself, because a parser
 * would split a password at `/` or `#`.
 */
function mayHoldPassword(text: string): boolean {
  return (
    LOGIN.test(text) ||
    /^[^:]*:\/*[^@]*?(?::|%3a).*@/is.test(text) ||
    /(?:^|[?&#;\s])[^=&]{0,32}(?:password|passwd|pwd|secret|sslkey|passfile)[^=&]{0,32}=/i.test(
      text,
    )
  )
}

/** Decodes percent escapes; null if a percent sign is not followed by two hex digits. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
