import { type Config, settingIn, type Upstream } from './config.ts'
import type { ConfigError, ConfigProblem } from './config-error.ts'
import { type ConfigInput, type ConfigSource, type Given, shownRaw } from './config-input.ts'
import { settings } from './config-schema.ts'
import { nearestWord } from './near-word.ts'
import { readValue } from './read-value.ts'
import { MANAGEMENT_KEY_ENV, propertyOf, type Setting } from './setting.ts'
import { type SettingKind, text } from './setting-kinds.ts'
import { tomlDocumentAt } from './toml-document.ts'
import { type GivenUpstream, givenUpstreams, UPSTREAM_TABLE } from './upstream-tables.ts'

/** Most proxies that one service can watch. */
export const UPSTREAMS_MAX = 200

/** Flat keys that describe one proxy, each by its key in an `[[upstream]]` table. */
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
/** Keys that identify a proxy. Every other key defaults to its flat key if a table leaves it out. */
const OF_ONE_PROXY: ReadonlySet<TableKey> = new Set([...REQUIRED, 'gateway_health_url', 'ui_url'])
/** Placeholder for the proxy's name in a management_key_file shared by all tables. */
export const NAME_IN_PATH = '{name}'

const upstreamName: SettingKind<string> = text(
  '1 to 32 of the characters a-z, 0-9 and -',
  /^[a-z0-9-]{1,32}$/,
)

function settingOfTableKey(key: TableKey): Setting {
  const setting = settings.find((one) => one.key === flatKeys[key])
  if (setting === undefined) throw new Error(`no setting ${flatKeys[key]}`)
  return setting
}

/** Keys of an `[[upstream]]` table other than its name, in display order. */
export const upstreamKeys = tableKeys

/** The tables from either file, and every mistake about where they may be. */
export function upstreamTablesOf(
  fromConfigFile: readonly GivenUpstream[],
  upstreamsFile: string | null,
  { readTextFile }: ConfigInput,
): { readonly tables: readonly GivenUpstream[]; readonly problems: readonly ConfigProblem[] } {
  if (upstreamsFile === null) return { tables: fromConfigFile, problems: [] }
  const refused = (code: ConfigError['code'], message: string) => ({
    tables: [],
    problems: [{ code, message }],
  })
  const document = tomlDocumentAt(upstreamsFile, 'upstreams_file', readTextFile)
  if (document === null)
    return refused('missing_file', `upstreams_file does not exist: ${upstreamsFile}`)
  if ('problem' in document) return { tables: [], problems: [document.problem] }
  const tables = givenUpstreams(upstreamsFile, document)
  const foreign = Object.keys(document.values).find((key) => key !== UPSTREAM_TABLE)
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

/** Flat keys that have no meaning next to tables. */
export const keysOfOneProxy: ReadonlySet<string> = new Set(
  [...OF_ONE_PROXY].map((key) => flatKeys[key]),
)

/** Conflicts between flat keys that identify a proxy and tables that list proxies: each such key must be removed. */
export function flatConflicts(
  [first]: readonly GivenUpstream[],
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

/** True for a key file path with the name placeholder: a unit or a container passes the key files under paths other than those in the tables. */
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
 * Reads the tables. A key left out of a table takes its value from `config` and its source from `flatSources`; the same holds for the path
 * of each key file if one path is given for all tables.
 */
export function readUpstreams(
  tables: readonly GivenUpstream[],
  config: Config,
  flatSources: ReadonlyMap<string, ConfigSource>,
): ReadUpstreams {
  const problems: ConfigProblem[] = []
  const sourceByKey = new Map<string, ConfigSource>()
  const upstreams: Upstream[] = []
  if (tables.length > UPSTREAMS_MAX) {
    const message = `${tables.length} [[upstream]] tables: expected at most ${UPSTREAMS_MAX}`
    problems.push({ code: 'invalid_value', message })
  }
  for (const table of tables.slice(0, UPSTREAMS_MAX)) {
    const read = readTable(table, config)
    problems.push(...read.problems)
    if (read.upstream === null) continue
    const { upstream } = read
    const twin = upstreams.find(
      (other) =>
        other.name === upstream.name ||
        other.upstream.upstreamUrl === upstream.upstream.upstreamUrl,
    )
    if (twin !== undefined) {
      const message =
        twin.name === upstream.name
          ? `name from ${table.place}: another table before it has this name`
          : `url from ${table.place}: it is also the url of ${JSON.stringify(twin.name)}`
      problems.push({ code: 'conflict', message })
    }
    upstreams.push(upstream)
    for (const key of tableKeys) {
      const isOwn =
        Object.hasOwn(table.values, key) &&
        (key !== 'management_key_file' || config.upstream.managementKeyFile === null)
      const source = isOwn ? 'file' : (flatSources.get(flatKeys[key]) ?? 'default')
      sourceByKey.set(shownKey(upstream.name, key), source)
    }
  }
  return { upstreams, sourceByKey, problems }
}

/** Name of a table's key in the list of all settings. */
export function shownKey(name: string, key: TableKey): string {
  return `upstream.${name}.${key}`
}

/** The proxy of a table; null, with the problems, if a value is missing or wrong. */
function readTable(
  { values, place, folder }: GivenUpstream,
  config: Config,
): { readonly upstream: Upstream | null; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = Object.keys(values)
    .filter((key) => key !== 'name' && !Object.hasOwn(flatKeys, key))
    .map((key) => unknownKey(key, place))
  const valueGiven = (
    setting: Pick<Setting, 'key' | 'kind' | 'fallback'>,
    isRequired: boolean,
  ): unknown => {
    const { key, kind } = setting
    if (!Object.hasOwn(values, key)) {
      if (isRequired) {
        const message = `${key} is missing in ${place}: expected ${kind.allowed}`
        problems.push({ code: 'invalid_value', message })
      }
      return setting.fallback
    }
    const read = readValue(setting, { raw: values[key], source: 'file', place, folder })
    if ('value' in read) return read.value
    problems.push(read)
    return setting.fallback
  }
  const name = valueGiven({ key: 'name', kind: upstreamName, fallback: '' }, true) as string
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
    group[propertyOf(setting)] = valueGiven({ ...setting, key, fallback }, isRequired)
  }
  if (keyFileOfAll !== null)
    groups.upstream.managementKeyFile = keyFileOfAll.replaceAll(NAME_IN_PATH, name)
  // Each property holds the value of the setting that read it.
  const upstream = withOwnAddresses({ name, ...all } as unknown as Upstream)
  return { upstream: problems.length === 0 ? upstream : null, problems }
}

function unknownKey(key: string, place: string): ConfigProblem {
  if (key === 'management_key') {
    const message = `management_key from ${place}: a key may not stand in a file of settings; put it into a file named by management_key_file`
    return { code: 'secret_not_allowed', message }
  }
  const near = nearestWord(key, ['name', ...tableKeys])
  const expected = settings.some((setting) => setting.key === key)
    ? 'it before the first [[upstream]], where it is for all of them'
    : (near ?? `one of name, ${tableKeys.join(', ')}`)
  return {
    code: 'unknown_key',
    message: `unknown key ${shownRaw(key)} in ${place}: expected ${expected}`,
  }
}

/** Fills in the addresses of the gateway's health check and of the proxy's own page if none are given. */
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
