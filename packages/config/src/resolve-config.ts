import { Redacted } from '@svc/core/service'
import * as v from 'valibot'
import { isLoopbackHost, isOnThisMachine } from './authority.ts'
import { type Config, configOf, type Upstream, upstreamsOf } from './config.ts'
import { type ConfigFile, configFileOf } from './config-file.ts'
import {
  ConfigError,
  type ConfigInput,
  type ConfigProblem,
  type ConfigSource,
  type Given,
} from './config-input.ts'
import { type SettingKey, settings } from './config-schema.ts'
import { isDatabaseAddress } from './database-address.ts'
import { nearestWord } from './near-word.ts'
import { readTargets } from './notify-targets.ts'
import {
  CONFIG_ENV,
  ENV_PREFIX,
  envNameOf,
  flagOf,
  MANAGEMENT_KEY_ENV,
  readValue,
  type Setting,
  URL_HEADERS_FILE_ENV,
} from './setting.ts'
import { timeZone } from './setting-kinds.ts'
import { tableNames } from './tables.ts'
import { flatConflicts, readUpstreams, upstreamTablesOf, withOwnAddresses } from './upstreams.ts'

/** Variables that Kubernetes sets in every container for a service named svc-quota-monitor. */
const SERVICE_LINK =
  /^(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/
const LINK_VALUE = /^(?:tcp|udp|sctp):\/\//

/**
 * True for a variable that starts with our prefix but was set by Kubernetes, not by an operator. `..._PORT` counts only with a value such as
 * `tcp://…`.
 */
function isInjected(name: string, value: string | undefined): boolean {
  if (!name.startsWith(ENV_PREFIX)) return false
  const rest = name.slice(ENV_PREFIX.length)
  return SERVICE_LINK.test(rest) || (rest === 'PORT' && LINK_VALUE.test(value ?? ''))
}

/** One sentence about ignored variables that Kubernetes has set; null if there are none. */
export function injectedNote(env: Readonly<Record<string, string | undefined>>): string | null {
  const names = Object.keys(env).filter((name) => isInjected(name, env[name]))
  if (names.length === 0) return null
  const others = names.length === 1 ? '' : ` and ${names.length - 1} more`
  return `${names[0]}${others} come from a Kubernetes service of this name and are ignored; enableServiceLinks: false leaves them out`
}

/** The configuration in force, and the source of each value. */
export interface ResolvedConfig {
  readonly config: Config
  readonly sourceByKey: ReadonlyMap<string, ConfigSource>
  /** The config file in force; null if none was read. */
  readonly file: string | null
  readonly ignoredKeys: readonly string[]
  /** Settings that work but are risky, each as a fixed sentence fit for a log. */
  readonly warnings: readonly string[]
}

const DEMO_PORT = 4516

/** Resolves all settings: flags override the environment, which overrides TOML, which overrides defaults. Throws ConfigError with every mistake. */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const file = configFileOf(input)
  const problems: ConfigProblem[] = [...file.problems, ...unknownEnvProblems(input.env)]

  const sourceByKey = new Map<string, ConfigSource>()
  const ignoredKeys: string[] = []
  const valueByKey = new Map<string, unknown>()
  const givenByKey = new Map<string, Given>()
  for (const setting of settings) {
    const given = givenFor(setting, input, file)
    const ignored = input.demo && setting.inDemo !== true
    if (given !== null && ignored) ignoredKeys.push(setting.key)
    const used = ignored ? null : given
    if (used !== null) givenByKey.set(setting.key, used)
    sourceByKey.set(setting.key, used?.source ?? 'default')
    const read = used === null ? { value: fallbackOf(setting, input) } : readValue(setting, used)
    if ('value' in read) valueByKey.set(setting.key, read.value)
    else problems.push(read)
  }
  refuse(problems)

  const key = input.env[MANAGEMENT_KEY_ENV]?.trim() ?? ''
  if (key !== '' && input.demo) ignoredKeys.push('management_key')
  const keyGiven = key !== '' && !input.demo
  sourceByKey.set('management_key', keyGiven ? 'env' : 'default')
  const given = input.demo ? {} : file.tables
  if (input.demo)
    ignoredKeys.push(...tableNames.filter((name) => (file.tables[name] ?? []).length > 0))
  const flat = withOwnAddresses(configOf(valueByKey, keyGiven ? new Redacted(key) : null))
  const { tables, problems: misplaced } = upstreamTablesOf(
    given.upstream ?? [],
    flat.fleet.upstreamsFile,
    input,
  )
  refuse([...misplaced, ...flatConflicts(tables, givenByKey, keyGiven)])
  const read = readUpstreams(tables, flat, sourceByKey)
  const told = readTargets(given.notify ?? [])
  refuse([...read.problems, ...told.problems])
  for (const [name, source] of [...read.sourceByKey, ...told.sourceByKey])
    sourceByKey.set(name, source)
  const config = {
    ...flat,
    fleet: { ...flat.fleet, upstreams: read.upstreams },
    notify: { targets: told.targets },
  }
  refuse(conflictsIn(config))
  const note = injectedNote(input.env)
  const warnings = [...(note === null ? [] : [note]), ...warningsOf(config)]
  return { config, sourceByKey, file: file.path, ignoredKeys, warnings }
}

/** The configured `display_language`, even if other settings are invalid; the default if it is missing or invalid. */
export function languageGiven(input: ConfigInput): string {
  const setting = settings.find(({ key }) => key === 'display_language')
  if (setting === undefined) return ''
  const given = givenFor(setting, input, configFileOf(input))
  const read = given === null ? null : readValue(setting, given)
  return String(read !== null && 'value' in read ? read.value : setting.fallback)
}

function givenFor(setting: Setting, input: ConfigInput, file: ConfigFile): Given | null {
  return (
    flagValue(setting, input) ??
    envValue(setting, input) ??
    file.givenByKey.get(setting.key) ??
    null
  )
}

function refuse(problems: readonly ConfigProblem[]): void {
  const [first, ...others] = problems
  if (first !== undefined) throw new ConfigError(first, ...others)
}

function fallbackOf(setting: Setting, input: ConfigInput): unknown {
  if (setting.key === 'port' && input.demo) return DEMO_PORT
  if (setting.key === 'display_timezone' && v.is(timeZone.schema, input.hostTimeZone))
    return input.hostTimeZone
  return setting.fallback
}

function flagValue(setting: Setting, { flags, cwd }: ConfigInput): Given | null {
  const flag = flagOf(setting)
  const raw = Object.hasOwn(flags, flag) ? flags[flag] : undefined
  return raw === undefined ? null : { raw, source: 'flag', place: `--${flag}`, folder: cwd }
}

/** Value of a setting's environment variable. An empty variable counts as not set, because container files cannot unset one. */
function envValue(setting: Setting, { env, cwd }: ConfigInput): Given | null {
  const name = envNameOf(setting)
  const raw = env[name]
  return raw === undefined || raw === '' || isInjected(name, raw)
    ? null
    : { raw, source: 'env', place: name, folder: cwd }
}

function unknownEnvProblems(env: ConfigInput['env']): readonly ConfigProblem[] {
  const known = settings.map(envNameOf)
  const ours = new Set([CONFIG_ENV, MANAGEMENT_KEY_ENV, URL_HEADERS_FILE_ENV, ...known])
  return Object.keys(env)
    .filter(
      (name) => name.startsWith(ENV_PREFIX) && !ours.has(name) && !isInjected(name, env[name]),
    )
    .map((name) => {
      // The common prefix would make any two names similar.
      const near = nearestWord(
        name.slice(ENV_PREFIX.length),
        known.map((one) => one.slice(ENV_PREFIX.length)),
      )
      const expected = near === null ? 'one of those that --help explains' : ENV_PREFIX + near
      return {
        code: 'unknown_key',
        message: `unknown environment variable ${name}: expected ${expected}`,
      }
    })
}

function conflictsIn(config: Config): readonly ConfigProblem[] {
  const conflicts: string[] = []
  const { stateDb } = config.history
  for (const one of upstreamsOf(config)) {
    const { usage, quota } = one
    const of = inUpstream(config, one)
    const { usageSource } = usage
    if ((usageSource === 'queue' || usageSource === 'subscribe') && stateDb === null) {
      conflicts.push(
        `usage_source ${usageSource}${of} needs state_db: reading the queue takes its rows away, so they must be stored`,
      )
    }
    if (quota.quotaTransport === 'auth-files' && quota.authDir === null) {
      conflicts.push(
        `quota_transport auth-files${of} needs auth_dir: the directory of the auth files`,
      )
    }
  }
  for (const key of databaseSettingsBesideFile(config)) {
    conflicts.push(`${key} is for a database, and state_db is a file: remove it`)
  }
  return conflicts.map((message) => ({ code: 'conflict', message }))
}

function databaseSettingsBesideFile({ history }: Config): readonly SettingKey[] {
  const { stateDb, stateDbPasswordFile, stateDbReplica } = history
  if (stateDb === null || isDatabaseAddress(stateDb)) return []
  return [
    ...(stateDbPasswordFile === null ? [] : (['state_db_password_file'] as const)),
    ...(stateDbReplica === null ? [] : (['state_db_replica'] as const)),
  ]
}

/** Text that names the proxy of a setting, as in ` of [[upstream]] "tokyo"`; empty if the flat keys describe the only proxy. */
function inUpstream({ fleet }: Config, { name }: Upstream): string {
  return fleet.upstreams.length === 0 ? '' : ` of [[upstream]] ${JSON.stringify(name)}`
}

/** Warnings about risky settings. See docs/security.md. */
function warningsOf(config: Config): readonly string[] {
  const { server, fleet } = config
  const warnings: string[] = []
  for (const one of upstreamsOf(config)) {
    const url = new URL(one.upstream.upstreamUrl)
    if (url.protocol === 'https:' || isOnThisMachine(url)) continue
    const key = fleet.upstreams.length === 0 ? 'upstream_url' : `url${inUpstream(config, one)}`
    warnings.push(
      `${key} is plain http to another machine: anybody in between can read the management key; use https`,
    )
  }
  if (server.manualQuotaRefreshAuth === 'none' && !isLoopbackHost(server.host)) {
    warnings.push(
      'manual_quota_refresh_auth is none and host is not a loopback address: everyone who reaches it can ask for a refresh',
    )
  }
  return warnings
}
