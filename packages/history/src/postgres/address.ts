import { readPlainFile, readSecretLine } from '@svc/secret-files'
import type { ClientConfig } from 'pg'
import { databaseError } from './postgres-error.ts'

const SCHEME = /^postgres(?:ql)?:\/\//

export function isAddress(location: string): boolean {
  return SCHEME.test(location)
}

/** Connection settings for the driver. The folder of a socket may be given in `?host=`. Throws HistoryError: cannot_open. */
export async function connectionOf(
  location: string,
  passwordFile: string | null,
): Promise<ClientConfig> {
  const url = new URL(location)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 5432),
    database: decodeURIComponent(url.pathname.slice(1)) || undefined,
    user: decodeURIComponent(url.username) || undefined,
    // Without a password file the driver reads PGPASSWORD and PGPASSFILE.
    password: passwordFile === null ? undefined : await passwordIn(passwordFile),
    ssl: await encryptionOf(url),
  }
}

/** Requires encryption and a verified server, unless the address has `sslmode=disable`, the default for this machine. */
async function encryptionOf({ searchParams }: URL): Promise<ClientConfig['ssl']> {
  if (searchParams.get('sslmode') === 'disable') return false
  const authorities = searchParams.get('sslrootcert')
  return {
    rejectUnauthorized: true,
    ca: authorities === null ? undefined : await certificateIn(authorities),
  }
}

/** Reads the password at each connection, so that a changed password needs no restart. */
async function passwordIn(file: string): Promise<string> {
  const reading = await readSecretLine(file)
  if (reading.kind === 'text') return reading.text
  throw databaseError(
    'cannot_open',
    `the file that state_db_password_file names is not used (${reading.reason})`,
    'Run doctor, which says what to do about the file.',
  )
}

async function certificateIn(file: string): Promise<string> {
  const reading = await readPlainFile(file)
  if (reading.kind === 'text') return reading.text
  throw databaseError(
    'cannot_open',
    `the file that sslrootcert names cannot be used (${reading.reason})`,
    'Correct its path in state_db, and let the user of the service read it.',
  )
}
