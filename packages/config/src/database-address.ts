import { canonicalHost, parsePort } from './authority.ts'
import { isLoopbackHost } from './loopback-host.ts'

/** How an address of a database is written. */
export const ADDRESS_FORM = 'postgres://host/database'

/** An address in the one spelling that is handed on, or why it is refused, which repeats nothing of it. */
export type ReadAddress =
  | { readonly address: string }
  | { readonly why: string; readonly isSecret: boolean }

const PARAMETERS = ['host', 'sslmode', 'sslrootcert']
/** Of libpq, those that may or do leave a connection unencrypted. */
const PLAIN_MODES = ['disable', 'allow', 'prefer']
/** Of libpq, those that encrypt without asking who answers. */
const BLIND_MODES = ['require', 'verify-ca']

const NO_PASSWORD =
  'a password may not stand in an address; put it into a file named by state_db_password_file, or into PGPASSFILE or PGPASSWORD'

/** True of a resolved `state_db` that is the address of a database rather than the path of a file. */
export function isDatabaseAddress(location: string): boolean {
  return location.startsWith('postgres://')
}

/** True of a text that nobody means as the path of a file: any URL, user and password in front of a host, what libpq calls a connection string. */
export function looksLikeAddress(text: string): boolean {
  return (
    /^\s*(?:[a-z][a-z\d+.-]+:\/\/|postgres(?:ql)?:)/i.test(text) ||
    LOGIN.test(text) ||
    /^(?:.*\s)?(?:dbname|password)=/i.test(text)
  )
}

/** User and password without a scheme in front. */
const LOGIN = /^[^/\s@:]+:(?!\/\/)[^@\s]*@[\w.[-]/

/** Reads an address. Nothing of it is kept but what the driver is to obey, so that no default of the driver decides about encryption. */
export function readAddress(text: string): ReadAddress {
  const refused = (why: string, isSecret = false) => ({ why, isSecret })
  // Before anything else is judged: whatever else is wrong, what may be a password is refused as one.
  if (mayHoldPassword(text)) return refused(NO_PASSWORD, true)
  if (!/^postgres(?:ql)?:\/\//i.test(text) || !URL.canParse(text))
    return refused(`expected ${ADDRESS_FORM}`)
  const url = new URL(text)
  const parameters = [...url.searchParams.keys()]
  if (url.hash !== '' || parameters.some((name) => !PARAMETERS.includes(name)))
    return refused(`expected no parameters but ${PARAMETERS.join(', ')}`)
  if (new Set(parameters).size < parameters.length) return refused('expected no parameter twice')
  const database = decoded(url.pathname.slice(1))
  if (database === null || database === '' || database.includes('/'))
    return refused(`expected ${ADDRESS_FORM}, with the name of the database`)
  const host = hostOf(url)
  if (host === null)
    return refused(
      `expected ${ADDRESS_FORM}, with one host name or IP address, or with the folder of a socket as in postgres:///database?host=/run/postgresql`,
    )
  const user = decoded(url.username)
  const port = url.port === '' ? 5432 : parsePort(url.port)
  if (user === null || port === undefined) return refused(`expected ${ADDRESS_FORM}`)
  const encryption = encryptionOf(url.searchParams, host)
  return 'why' in encryption
    ? encryption
    : { address: addressOf({ user, host, port, database, parameters: encryption.parameters }) }
}

/** The folder of a socket, or a name or IP address without brackets; null for anything else. This machine where none is given. */
function hostOf({ hostname, searchParams }: URL): string | null {
  const folder = searchParams.get('host') ?? decoded(hostname)
  if (folder === null || folder === '') return folder === '' ? 'localhost' : null
  // A URL with a user or a port must have a host, so those of a socket stand behind the name of this machine.
  if (searchParams.has('host') && hostname !== '' && hostname !== 'localhost') return null
  if (folder.startsWith('/')) return folder
  return searchParams.has('host') ? null : canonicalHost(hostname)
}

/** What the address says of encryption: none on this machine unless it is asked for, everywhere else a server that proves to be the one that is meant. */
function encryptionOf(
  given: URLSearchParams,
  host: string,
): { readonly parameters: URLSearchParams } | { readonly why: string; readonly isSecret: false } {
  const refused = (why: string) => ({ why, isSecret: false }) as const
  const isHere = host.startsWith('/') || isLoopbackHost(host)
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
    : refused('expected sslrootcert to be a whole path')
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

/** A value of a parameter, with slashes as they are typed. */
function shownValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%2F', '/')
}

/** A colon between the scheme and the last `@`, or a parameter for it. Decided on the text, because a password with `/` or `#` in it is cut up by a parser. */
function mayHoldPassword(text: string): boolean {
  return (
    LOGIN.test(text) ||
    /^[^:]*:\/*[^@]*?(?::|%3a).*@/is.test(text) ||
    /(?:^|[?&#;\s])[^=&]{0,32}(?:password|passwd|pwd|secret|sslkey|passfile)[^=&]{0,32}=/i.test(
      text,
    )
  )
}

/** Null where a percent sign is not followed by two digits. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
