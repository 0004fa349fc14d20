import { isAbsolute, join } from 'node:path'
import {
  ConfigError,
  isDatabaseAddress,
  looksLikeAddress,
  readAddress,
  resolveConfig,
  unexpandedIn,
} from '@svc/config'
import type { CliContext } from './cli-context.ts'
import { configInput, type ParsedOptions, wrongValue } from './flags.ts'

/** Location of a store and its password. */
export interface StoreLocation {
  /** Path of a file, or address of a database. */
  readonly location: string
  /** File with the password of a database; null without one. */
  readonly passwordFile: string | null
}

/** Stands for standard output or standard input in place of a file name. */
export const PIPE = '-'

/** The store given on the command line, else the configured one; null without either. Throws ConfigError. */
export function storeOf(options: ParsedOptions, context: CliContext): StoreLocation | null {
  const given = options.stateDb?.at(-1)
  if (given !== undefined && looksLikeAddress(given))
    return databaseAt(given, '--state-db', options, context)
  const path = pathIn(context, given)
  if (path !== null) return { location: path, passwordFile: null }
  const { stateDb, stateDbPasswordFile } = resolveConfig(configInput(options, context)).config
    .history
  return stateDb === null ? null : { location: stateDb, passwordFile: stateDbPasswordFile }
}

/** The database at an address given as a flag. Throws ConfigError, which never repeats the address because it may contain a password. */
export function databaseAt(
  given: string,
  flag: string,
  options: ParsedOptions,
  context: CliContext,
): StoreLocation {
  const read = readAddress(given)
  if ('why' in read) {
    const code = read.isSecret ? 'secret_not_allowed' : 'invalid_value'
    throw new ConfigError({ code, message: `${flag}: ${read.why}` })
  }
  const passwordFile =
    pathIn(context, options.stateDbPasswordFile?.at(-1)) ??
    pathIn(context, context.env[PASSWORD_FILE_ENV])
  return { location: read.address, passwordFile }
}

const PASSWORD_FILE_ENV = 'SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE'

/** True for a store in a database rather than in a file. */
export function isDatabase({ location }: StoreLocation): boolean {
  return isDatabaseAddress(location)
}

/** Resolves a path against the working directory; null if none was given. Throws ConfigError for one that only a shell would expand. */
export function pathIn({ cwd }: CliContext, path: string | undefined): string | null {
  if (path === undefined || path === '') return null
  const why = unexpandedIn(path)
  if (why !== null) throw wrongValue(`${JSON.stringify(path)}: ${why}`)
  return isAbsolute(path) || path === PIPE ? path : join(cwd, path)
}
