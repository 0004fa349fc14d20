import { type Config, settingIn, type Upstream } from './config.ts'
import {
  type ConfigError,
  type ConfigInput,
  type ConfigProblem,
  type ConfigSource,
  type Given,
  shownRaw,
} from './config-input.ts'
import { settings } from './config-schema.ts'
import { MANAGEMENT_KEY_ENV, propertyOf, type Setting } from './setting.ts'
import { type GivenTable, givenTables, type ReadKey, readTables, type TableForm } from './tables.ts'
import { tomlDocumentAt } from './toml-document.ts'

/** The flat key for each key of an `[[upstream]]` table. */
const flatKeys = {
  url: 'upstream_url',
  gateway_health_url: 'gateway_health_url',
  ui_url: 'upstream_ui_url',
  management_key_file: 'management_key_file',
  refresh_seconds: 'refresh_seconds',
  upstream_timeout_seconds: 'upstream_timeout_seconds',
  auth_dir: 'auth_dir',
  quota_transport: 'quota_transport',
  usage_source: 'usage_source',
} as const

type TableKey = keyof typeof flatKeys

const tableKeys = Object.keys(flatKeys) as readonly TableKey[]
const REQUIRED: readonly TableKey[] = ['url', 'management_key_file']
/** Keys that identify one proxy, so a table does not inherit them. Every other key defaults to its flat key. */
const OF_ONE_PROXY: ReadonlySet<TableKey> = new Set([...REQUIRED, 'gateway_health_url', 'ui_url'])
/** Placeholder for the proxy's name in a management_key_file shared by all tables. */
export const NAME_IN_PATH = '{name}'

const form: TableForm = {
  table: 'upstream',
  max: 200,
  keys: tableKeys,
  secret: { key: 'management_key', what: 'a key', file: 'management_key_file' },
}

function settingOfTableKey(key: TableKey): Setting {
  const setting = settings.find((one) => one.key === flatKeys[key])
  if (setting === undefined) throw new Error(`no setting ${flatKeys[key]}`)
  return setting
}

/** Keys of an `[[upstream]]` table other than its name, in display order. */
export const upstreamKeys = tableKeys

/** The tables of the config file or of `upstreams_file`, and every mistake about where tables may be. */
export function upstreamTablesOf(
  fromConfigFile: readonly GivenTable[],
  upstreamsFile: string | null,
  { readTextFile }: ConfigInput,
): { readonly tables: readonly GivenTable[]; readonly problems: readonly ConfigProblem[] } {
  if (upstreamsFile === null) return { tables: fromConfigFile, problems: [] }
  const refused = (code: ConfigError['code'], message: string) => ({
    tables: [],
    problems: [{ code, message }],
  })
  const document = tomlDocumentAt(upstreamsFile, 'upstreams_file', readTextFile)
  if (document === null)
    return refused('missing_file', `upstreams_file does not exist: ${upstreamsFile}`)
  if ('problem' in document) return { tables: [], problems: [document.problem] }
  const tables = givenTables('upstream', upstreamsFile, document)
  const foreign = Object.keys(document.values).find((key) => key !== 'upstream')
  if (foreign !== undefined || tables.length === 0) {
    const found = foreign === undefined ? '' : `, not ${shownRaw(foreign)}`
    return refused('unknown_key', `${upstreamsFile}: expected [[upstream]] tables alone${found}`)
  }
  if (fromConfigFile[0] !== undefined)
    return refused(
      'conflict',
      `upstreams_file and ${fromConfigFile[0].place} both list proxies: remove one of the lists`,
    )
  return { tables, problems: [] }
}

/** Flat keys that describe a single proxy and so have no meaning next to tables. */
export const keysOfOneProxy: ReadonlySet<string> = new Set(
  [...OF_ONE_PROXY].map((key) => flatKeys[key]),
)

/** Conflicts between `[[upstream]]` tables and flat keys that identify a proxy; each such key must be removed. */
export function flatConflicts(
  [first]: readonly GivenTable[],
  givenByKey: ReadonlyMap<string, Given>,
  keyFromEnvironment: boolean,
): readonly ConfigProblem[] {
  if (first === undefined) return []
  const problems: ConfigProblem[] = []
  for (const key of OF_ONE_PROXY) {
    const given = givenByKey.get(flatKeys[key])
    if (given === undefined || isKeyFileOfAll(key, given)) continue
    const message = `${flatKeys[key]} from ${given.place} and ${first.place}: remove ${flatKeys[key]}, or the tables; in a table it is ${key}`
    problems.push({ code: 'conflict', message })
  }
  if (keyFromEnvironment) {
    const message = `${MANAGEMENT_KEY_ENV} and ${first.place}: remove the variable, or the tables; each table names a management_key_file`
    problems.push({ code: 'conflict', message })
  }
  return problems
}

/**
 * True for a key file path that contains the name placeholder and is not set in a file. A unit or a container passes the key files under paths other
 * than those in the tables.
 */
function isKeyFileOfAll(key: TableKey, { raw, source }: Given): boolean {
  return key === 'management_key_file' && source !== 'file' && String(raw).includes(NAME_IN_PATH)
}

export interface ReadUpstreams {
  readonly upstreams: readonly Upstream[]
  /** Source of each value, by `upstream.<name>.<key>`. */
  readonly sourceByKey: ReadonlyMap<string, ConfigSource>
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads the tables. A key left out of a table takes its value from `config` and its source from `flatSources`. So does `management_key_file` if one
 * path is given for all tables.
 */
export function readUpstreams(
  tables: readonly GivenTable[],
  config: Config,
  flatSources: ReadonlyMap<string, ConfigSource>,
): ReadUpstreams {
  const { read, problems: mistakes } = readTables(form, tables, (name, valueAt) =>
    upstreamOf(name, valueAt, config),
  )
  const problems = [...mistakes]
  const sourceByKey = new Map<string, ConfigSource>()
  for (const [index, { table, value }] of read.entries()) {
    const { name, upstream } = value
    const twin = read
      .slice(0, index)
      .find((other) => other.value.upstream.upstreamUrl === upstream.upstreamUrl)
    if (twin !== undefined && twin.value.name !== name) {
      const message = `url from ${table.place}: it is also the url of ${JSON.stringify(twin.value.name)}`
      problems.push({ code: 'conflict', message })
    }
    for (const key of tableKeys) {
      const isOwn =
        Object.hasOwn(table.values, key) &&
        (key !== 'management_key_file' || config.upstream.managementKeyFile === null)
      const source = isOwn ? 'file' : (flatSources.get(flatKeys[key]) ?? 'default')
      sourceByKey.set(shownKey(name, key), source)
    }
  }
  return { upstreams: read.map(({ value }) => value), sourceByKey, problems }
}

/** Name of a table's key in the list of all settings, as in `upstream.tokyo.url`. */
export function shownKey(name: string, key: TableKey): string {
  return `upstream.${name}.${key}`
}

function upstreamOf(name: string, valueAt: ReadKey, config: Config): Upstream {
  const keyFileOfAll = config.upstream.managementKeyFile
  const groups = { upstream: { ...config.upstream }, quota: { ...config.quota } }
  const all: Record<string, Record<string, unknown>> = { ...groups, usage: { ...config.usage } }
  for (const key of tableKeys) {
    const setting = settingOfTableKey(key)
    const group = all[setting.group]
    if (group === undefined) continue
    const fallback = OF_ONE_PROXY.has(key) ? setting.fallback : group[propertyOf(setting)]
    const isRequired =
      REQUIRED.includes(key) && (key !== 'management_key_file' || keyFileOfAll === null)
    group[propertyOf(setting)] = valueAt({ ...setting, key, fallback }, isRequired)
  }
  if (keyFileOfAll !== null)
    groups.upstream.managementKeyFile = keyFileOfAll.replaceAll(NAME_IN_PATH, name)
  // Each property holds the value of the setting that read it.
  return withOwnAddresses({ name, ...all } as unknown as Upstream)
}

/** Fills in missing addresses of the gateway's health check and of the proxy's own page. */
export function withOwnAddresses<Of extends Pick<Config, 'upstream'>>(of: Of): Of {
  const { upstreamUrl, gatewayHealthUrl, upstreamUiUrl } = of.upstream
  return {
    ...of,
    upstream: {
      ...of.upstream,
      gatewayHealthUrl: gatewayHealthUrl || `${upstreamUrl}/healthz`,
      upstreamUiUrl: upstreamUiUrl || `${upstreamUrl}/management.html`,
    },
  }
}

export function valueInUpstream(upstream: Upstream, key: TableKey, config: Config): unknown {
  return settingIn({ ...config, ...upstream }, settingOfTableKey(key))
}
