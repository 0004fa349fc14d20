import { basename } from 'node:path'
import {
  type Config,
  type ConfigRow,
  describeConfig,
  isDatabaseAddress,
  isOnThisMachine,
  NAME_IN_PATH,
  type ResolvedConfig,
  upstreamsOf,
} from '@svc/config'

/** Quotes a word for a shell command if needed. */
export function shellWord(value: string): string {
  return /^[\w./:@+,=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}

/** Quotes a word for a unit's line that systemd splits into words. Escapes `%`, which would start a specifier. */
export function unitWord(value: string): string {
  const escaped = unitLine(value)
  return /[\s"'\\;]/.test(escaped) ? `'${escaped.replaceAll(/[\\']/g, '\\$&')}'` : escaped
}

/** Escapes the rest of a unit's line in which systemd takes quotes literally. `%` would start a specifier. */
export function unitLine(value: string): string {
  return value.replaceAll('%', '%%')
}

/** Formats a command for a unit. Escapes `$`, which would start a variable, except in the program name, where systemd expands none. */
export function unitCommand([program = '', ...args]: readonly string[]): string {
  return [unitWord(program), ...args.map((arg) => unitWord(arg).replaceAll('$', '$$$$'))].join(' ')
}

/** Reason a unit cannot contain this path; null if it can. */
export function unitPathRefusal(path: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that would end a line of a unit, or that systemd refuses.
  if (/[\u0000-\u001f\u007f]/.test(path))
    return 'has a line break or another control character in its name'
  return /[\s\\]$/.test(path) ? 'ends in a blank or a backslash' : null
}

/** Inputs of all artifacts, without secrets: the resolved configuration and the paths of the program. */
export interface Installation {
  readonly config: Config
  /** Every key with its value and the source of that value. */
  readonly rows: readonly ConfigRow[]
  readonly version: string
  /** Paths of Node and the program, as a service manager starts them. */
  readonly nodePath: string
  readonly programPath: string
  /** The configuration file the service will read. */
  readonly configPath: string
  /** Whether this file exists and was the source of the artifacts. */
  readonly hasConfig: boolean
  /** Host name that people type into their browser; an IPv6 address is in brackets. */
  readonly publicName: string
  /** Port typed after the host name; null for the default port. */
  readonly publicPort: number | null
  /** Address of the service on this machine, as in `127.0.0.1:4515`. */
  readonly address: string
  /** Home of the user who runs init; no service can start a program from there. */
  readonly homeDir: string
}

/** Placeholder until allowed_hosts lists a real name. */
const EXAMPLE_NAME = 'quota.example.com'
const DEFAULT_CONFIG_PATH = '/etc/svc-quota-monitor/config.toml'

/** The installation, from the configuration in force and the program that runs `init`. */
export function installationOf(
  resolved: ResolvedConfig,
  program: Pick<Installation, 'version' | 'nodePath' | 'programPath' | 'homeDir'>,
): Installation {
  const { config, file } = resolved
  const everywhere = config.server.host === '0.0.0.0' || config.server.host === '::'
  const host = everywhere
    ? '127.0.0.1'
    : config.server.host.includes(':')
      ? `[${config.server.host}]`
      : config.server.host
  const publicHost = config.server.allowedHosts[0]?.host ?? EXAMPLE_NAME
  const configPath = file ?? DEFAULT_CONFIG_PATH
  const isUsable = basename(configPath) === 'config.toml'
  return {
    config,
    rows: describeConfig(resolved),
    ...program,
    // Neither a tag of an image nor the name of a package has the commit.
    version: program.version.replace(/\+.*$/, ''),
    // A service cannot start from a user's home directory.
    configPath: isUsable ? configPath : DEFAULT_CONFIG_PATH,
    hasConfig: file !== null && isUsable,
    publicName: publicHost.includes(':') ? `[${publicHost}]` : publicHost,
    publicPort: config.server.allowedHosts[0]?.port ?? null,
    address: `${host}:${config.server.port}`,
  }
}

/** Whether a setting was given in any way rather than left at its default. */
export function isGiven({ rows }: Installation, key: string): boolean {
  return rows.some((row) => row.key === key && row.source !== 'default')
}

/** Path of the history file: the configured one, or `usual` if none is configured; null if the history is off or in a database. */
export function storePath(installation: Installation, usual: string): string | null {
  const { stateDb } = installation.config.history
  if (!isGiven(installation, 'state_db')) return usual
  return stateDb !== null && isDatabaseAddress(stateDb) ? null : stateDb
}

interface StoreDatabase {
  readonly address: string
  readonly passwordFile: string | null
  readonly replica: string | null
  /** Local files and folders named in the addresses: sockets and CA certificates. */
  readonly places: readonly string[]
  /** Whether one of the addresses is a TCP port of this machine. */
  readonly isOnThisMachine: boolean
}

export function storeDatabase({ config }: Pick<Installation, 'config'>): StoreDatabase | null {
  const { stateDb, stateDbPasswordFile, stateDbReplica } = config.history
  if (stateDb === null || !isDatabaseAddress(stateDb)) return null
  const urls = [stateDb, ...(stateDbReplica === null ? [] : [stateDbReplica])].map(
    (address) => new URL(address),
  )
  const named = urls.flatMap(({ searchParams }) => [
    searchParams.get('host'),
    searchParams.get('sslrootcert'),
  ])
  return {
    address: stateDb,
    passwordFile: stateDbPasswordFile,
    replica: stateDbReplica,
    places: [...new Set(named.filter((place) => place !== null))],
    isOnThisMachine: urls.some((url) => !url.searchParams.has('host') && isOnThisMachine(url)),
  }
}

/** A file passed to the service under a different path. */
export interface HandedFile {
  /** Name of the file in the folder for passed files. */
  readonly name: string
  readonly file: string
}

/** Files of the watched proxies that a unit or a container passes to the service. */
interface HandedProxies {
  /** The key file of each proxy. */
  readonly keys: readonly HandedFile[]
  /** Name of the key file in the folder for passed files; with `[[upstream]]` tables it contains a placeholder for the proxy's name. */
  readonly keyFile: string
  /** The file with `[[upstream]]` tables; null if the configuration file has them, or there are none. */
  readonly tables: HandedFile | null
  /** Folders of auth files, without duplicates. */
  readonly authDirs: readonly string[]
}

export function handedProxies({ config }: Installation, usualKeyFile: string): HandedProxies {
  const { upstreams, upstreamsFile } = config.fleet
  const KEY = 'management-key'
  const authDirs = upstreamsOf(config).flatMap(({ quota }) => quota.authDir ?? [])
  return {
    keys: upstreamsOf(config).map(({ name, upstream }) => ({
      name: upstreams.length === 0 ? KEY : `${KEY}-${name}`,
      file: upstream.managementKeyFile ?? usualKeyFile,
    })),
    keyFile: upstreams.length === 0 ? KEY : `${KEY}-${NAME_IN_PATH}`,
    tables: upstreamsFile === null ? null : { name: 'upstreams.toml', file: upstreamsFile },
    authDirs: [...new Set(authDirs)],
  }
}

/**
 * Files with the addresses of notification receivers. The configuration names each without a folder, so that the service finds it beside its own copy
 * of the configuration.
 */
export function handedAddresses({ config }: Installation): readonly HandedFile[] {
  const files = new Set(config.notify.targets.map(({ urlFile }) => urlFile))
  return [...files].map((file) => ({ name: basename(file), file }))
}

/** Reason the address files cannot be passed on by their names; null if they can. */
export function addressRefusal(installation: Installation): string | null {
  const handed = handedAddresses(installation)
  const odd = handed.find(
    ({ name }, index) =>
      !/^[\w.-]+$/.test(name) || handed.findIndex((other) => other.name === name) !== index,
  )
  return odd === undefined
    ? null
    : `url_file ${JSON.stringify(odd.file)} needs a name of its own, of letters, digits, ., _ and -: rename it`
}
