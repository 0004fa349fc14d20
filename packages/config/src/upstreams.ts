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

/** More proxies than this are not watched by one service. */
export const UPSTREAMS_MAX = 200

/** The flat keys that say how one proxy is watched, each by its key in an `[[upstream]]` table. */
const flatKeys = {
  url: 'upstream_url',
  gateway_health_url: 'gateway_health_url',
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

const upstreamName: SettingKind<string> = text(
  '1 to 32 of the characters a-z, 0-9 and -',
  /^[a-z0-9-]{1,32}$/,
)

/** The setting that a key of a table has its meaning from. */
export function settingOfTableKey(key: TableKey): Setting {
  const setting = settings.find((one) => one.key === flatKeys[key])
  if (setting === undefined) throw new Error(`no setting ${flatKeys[key]}`)
  return setting
}

/** Keys of an `[[upstream]]` table besides its name, in the order they are shown. */
export const upstreamKeys = tableKeys

/** The tables that are given, wherever they stand, and every mistake about where. */
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

/** What is given by a flat key although tables list the proxies: each is to be removed. */
export function flatConflicts(
  [first]: readonly GivenUpstream[],
  givenByKey: ReadonlyMap<string, Given>,
  keyFromEnvironment: boolean,
): readonly ConfigProblem[] {
  if (first === undefined) return []
  const problems: ConfigProblem[] = []
  for (const key of tableKeys) {
    const given = givenByKey.get(flatKeys[key])
    if (given === undefined) continue
    const message = `${flatKeys[key]} from ${given.place} and ${first.place}: remove ${flatKeys[key]}, or the tables; in a table it is ${key}`
    problems.push({ code: 'conflict', message })
  }
  if (keyFromEnvironment) {
    const message = `${MANAGEMENT_KEY_ENV} and ${first.place}: remove the variable, or the tables; each table names a management_key_file`
    problems.push({ code: 'conflict', message })
  }
  return problems
}

export interface ReadUpstreams {
  readonly upstreams: readonly Upstream[]
  /** Where each value came from, by `upstream.<name>.<key>`. */
  readonly sourceByKey: ReadonlyMap<string, ConfigSource>
  readonly problems: readonly ConfigProblem[]
}

/** Reads the tables. What a table does not give has the default of its flat key; the rest of its settings are those of `config`. */
export function readUpstreams(tables: readonly GivenUpstream[], config: Config): ReadUpstreams {
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
      const source = Object.hasOwn(table.values, key) ? 'file' : 'default'
      sourceByKey.set(shownKey(upstream.name, key), source)
    }
  }
  return { upstreams, sourceByKey, problems }
}

/** How a key of a table is named where all settings are listed. */
export function shownKey(name: string, key: TableKey): string {
  return `upstream.${name}.${key}`
}

/** The upstream of a table; null, and why, where a value of it is missing or wrong. */
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
  const groups = { upstream: { ...config.upstream }, quota: { ...config.quota } }
  const all: Record<string, Record<string, unknown>> = { ...groups, usage: { ...config.usage } }
  for (const key of tableKeys) {
    const setting = settingOfTableKey(key)
    const group = all[setting.group]
    if (group !== undefined)
      group[propertyOf(setting)] = valueGiven({ ...setting, key }, REQUIRED.includes(key))
  }
  // Each property is the value of the setting that it was read by.
  const upstream = withHealthUrl({ name, ...all } as unknown as Upstream)
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

/** The same with the address that is asked whether the gateway is alive, where none is given. */
export function withHealthUrl<Of extends Pick<Config, 'upstream'>>(of: Of): Of {
  const { upstreamUrl, gatewayHealthUrl } = of.upstream
  return {
    ...of,
    upstream: { ...of.upstream, gatewayHealthUrl: gatewayHealthUrl || `${upstreamUrl}/healthz` },
  }
}

/** The value of a key of a table, as it was read. */
export function valueInUpstream(upstream: Upstream, key: TableKey, config: Config): unknown {
  return settingIn({ ...config, ...upstream }, settingOfTableKey(key))
}
