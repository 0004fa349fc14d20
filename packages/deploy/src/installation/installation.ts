import { basename } from 'node:path'
import {
  type Config,
  type ConfigRow,
  describeConfig,
  isDatabaseAddress,
  isLoopbackHost,
  type ResolvedConfig,
} from '@svc/config'

/** What the artifacts are made from: the resolved configuration and where the program stands. No secret is in it. */
export interface Installation {
  readonly config: Config
  /** Every key with its value and where it comes from. */
  readonly rows: readonly ConfigRow[]
  readonly version: string
  /** Node and the program, as a service manager starts them. */
  readonly nodePath: string
  readonly programPath: string
  /** The configuration file the service will read. */
  readonly configPath: string
  /** Name people type into their browser, an IPv6 address in brackets. */
  readonly publicName: string
  /** The port they type behind it; null for the usual one. */
  readonly publicPort: number | null
  /** Where the service can be reached on this machine, as in `127.0.0.1:4515`. */
  readonly address: string
  /** Folder of the person who runs init, in which no service can start a program. */
  readonly homeDir: string
}

/** Used until a real name is listed in allowed_hosts. */
const EXAMPLE_NAME = 'quota.example.com'
const DEFAULT_CONFIG_PATH = '/etc/svc-quota-monitor/config.toml'

/** What the artifacts are made from, given the configuration in force and the program that `init` is run as. */
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
  return {
    config,
    rows: describeConfig(resolved),
    ...program,
    // A service cannot start from a user's home directory.
    configPath: basename(configPath) === 'config.toml' ? configPath : DEFAULT_CONFIG_PATH,
    publicName: publicHost.includes(':') ? `[${publicHost}]` : publicHost,
    publicPort: config.server.allowedHosts[0]?.port ?? null,
    address: `${host}:${config.server.port}`,
  }
}

/** Whether a setting was given, by whatever means, and not left at its default. */
export function isGiven({ rows }: Installation, key: string): boolean {
  return rows.some((row) => row.key === key && row.source !== 'default')
}

/** The file that the service keeps its history in: the configured one, none if it is off or a database, else one in the usual folder. */
export function storePath(installation: Installation, usual: string): string | null {
  const { stateDb } = installation.config.history
  if (!isGiven(installation, 'state_db')) return usual
  return stateDb !== null && isDatabaseAddress(stateDb) ? null : stateDb
}

/** The database that the service keeps its history in; null where it keeps a file or nothing. */
export interface StoreDatabase {
  readonly address: string
  readonly passwordFile: string | null
  readonly replica: string | null
  /** Files and folders of this machine that the addresses name: sockets, and certificates of authorities. */
  readonly places: readonly string[]
  /** Whether one of the addresses is a port of this machine. */
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
    isOnThisMachine: urls.some(
      ({ hostname, searchParams }) =>
        !searchParams.has('host') && isLoopbackHost(hostname.replace(/^\[|\]$/g, '')),
    ),
  }
}

/** Why what is made for the files of one proxy is not made for several, in one line; null for one. */
export function severalProxiesRefusal({ config }: Installation): string | null {
  return config.fleet.upstreams.length === 0
    ? null
    : 'the configuration lists several proxies: make it with --config off, and add the files of each proxy'
}
