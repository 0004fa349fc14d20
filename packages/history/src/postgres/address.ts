import { readFileSync, statSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { HistoryError } from '../contract/history-error.ts'

const SCHEME = /^postgres(?:ql)?:\/\//

/** True where a location is the address of a database rather than the path of a file. */
export function isAddress(location: string): boolean {
  return SCHEME.test(location)
}

/** What the driver needs to connect. A socket's folder may stand in `?host=`. Throws HistoryError: cannot_open. */
export function connectionOf(location: string, passwordFile: string | null): ClientConfig {
  const url = new URL(location)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 5432),
    database: decodeURIComponent(url.pathname.slice(1)) || undefined,
    user: decodeURIComponent(url.username) || undefined,
    // Without one the driver asks PGPASSWORD and PGPASSFILE.
    password: passwordFile === null ? undefined : passwordIn(passwordFile),
    ssl: encryptionOf(url),
  }
}

/** Encrypted, and with a server that proves to be the one that is meant, unless the address says `sslmode=disable`, as the settings do of this machine. */
function encryptionOf({ searchParams }: URL): ClientConfig['ssl'] {
  if (searchParams.get('sslmode') === 'disable') return false
  const authorities = searchParams.get('sslrootcert')
  return {
    rejectUnauthorized: true,
    ca: authorities === null ? undefined : textOf(authorities, 'sslrootcert'),
  }
}

const WRITABLE_BY_OTHERS = 0o022

/** Read each time, so that a new password needs no restart. Who can write the file can have us log in as somebody else. */
function passwordIn(file: string): string {
  const text = textOf(file, 'state_db_password_file')
  if (process.platform !== 'win32' && (statSync(file).mode & WRITABLE_BY_OTHERS) !== 0)
    throw new HistoryError(
      'cannot_open',
      'others can write to the file that state_db_password_file names',
    )
  return text.replace(/\r?\n$/, '')
}

function textOf(file: string, setting: string): string {
  try {
    // A pipe would be waited for.
    if (!statSync(file).isFile()) throw new Error('not a file')
    return readFileSync(file, 'utf8')
  } catch {
    throw new HistoryError('cannot_open', `the file that ${setting} names cannot be read`)
  }
}
