import { basename } from 'node:path'
import { type Config, type ConfigRow, describeConfig, type ResolvedConfig } from '@svc/config'

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
  /** Name people type into their browser. */
  readonly publicName: string
  /** Where the service can be reached on this machine, as in `127.0.0.1:4515`. */
  readonly address: string
}

/** Used until a real name is listed in allowed_hosts. */
const EXAMPLE_NAME = 'quota.example.com'
const DEFAULT_CONFIG_PATH = '/etc/svc-quota-monitor/config.toml'

export function installationOf(
  resolved: ResolvedConfig,
  { version, nodePath, programPath }: { readonly version: string; readonly nodePath: string; readonly programPath: string },
): Installation {
  const { config, file } = resolved
  const everywhere = config.host === '0.0.0.0' || config.host === '::'
  const host = everywhere ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host
  const configPath = file ?? DEFAULT_CONFIG_PATH
  return {
    config,
    rows: describeConfig(resolved),
    version,
    nodePath,
    programPath,
    // What stands elsewhere in the file tree of a user is no place for a service.
    configPath: basename(configPath) === 'config.toml' ? configPath : DEFAULT_CONFIG_PATH,
    publicName: config.allowedHosts[0]?.host ?? EXAMPLE_NAME,
    address: `${host}:${config.port}`,
  }
}
