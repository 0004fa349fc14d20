import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Redacted } from '@svc/core'
import { parse } from 'toml'
import { ConfigError } from './config-error.ts'
import { CONFIG_ENV, type Config, ENV_PREFIX, envNameOf, flagOf, MANAGEMENT_KEY_ENV, type Setting, settings } from './config-schema.ts'
import { isLoopbackHost } from './loopback-host.ts'
import { knownTimeZone } from './setting-kinds.ts'

/** Where a value comes from. */
export type ConfigSource = 'flag' | 'env' | 'file' | 'default'

export interface ConfigInput {
  /** Values of the flags that were given, by flag name without dashes. */
  readonly flags: Readonly<Record<string, string | readonly string[]>>
  /** The `--config` flag. */
  readonly configFlag: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly homeDir: string
  /** Zone the machine says it is in; null when it says none. One that does not exist counts as none. */
  readonly hostTimeZone: string | null
  readonly demo: boolean
  /** Reads a text file; throws what node:fs throws. */
  readonly readTextFile: (path: string) => string
}

export interface ResolvedConfig {
  readonly config: Config
  readonly sourceByKey: ReadonlyMap<string, ConfigSource>
  /** The config file in force, null when none was read. */
  readonly file: string | null
  /** Keys that were given although the demo has no use for them. */
  readonly ignoredKeys: readonly string[]
  /** What works but is risky, one fixed sentence each, fit for a log. */
  readonly warnings: readonly string[]
}

const DEMO_PORT = 4516
const VALUE_LENGTH_SHOWN = 64
const APP_FOLDER = 'svc-quota-monitor'

interface Given {
  readonly raw: unknown
  readonly source: ConfigSource
  /** As in `--port`, `SVC_QUOTA_MONITOR_PORT` or `config.toml line 3`. */
  readonly place: string
  readonly folder: string
}

/** Layers flags over environment over TOML over defaults. Throws ConfigError; nothing else is wrong after that. */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const file = configFileOf(input)
  const fromFile = file === null ? new Map<string, Given>() : settingsInFile(file.path, file.text)
  refuseUnknownEnv(input.env)

  const sourceByKey = new Map<string, ConfigSource>()
  const ignoredKeys: string[] = []
  const values: Record<string, unknown> = {}
  for (const setting of settings) {
    const given = flagValue(setting, input) ?? envValue(setting, input) ?? fromFile.get(setting.key) ?? null
    const ignored = input.demo && setting.ignoredInDemo
    if (given !== null && ignored) ignoredKeys.push(setting.key)
    const used = ignored ? null : given
    sourceByKey.set(setting.key, used?.source ?? 'default')
    values[setting.property] = used === null ? fallbackOf(setting, input) : readValue(setting, used)
  }

  const key = input.env[MANAGEMENT_KEY_ENV]?.trim() ?? ''
  if (key !== '' && input.demo) ignoredKeys.push('management_key')
  const keyGiven = key !== '' && !input.demo
  sourceByKey.set('management_key', keyGiven ? 'env' : 'default')
  const chosen = { ...values, managementKey: keyGiven ? new Redacted(key) : null } as unknown as Config
  const config = { ...chosen, gatewayHealthUrl: chosen.gatewayHealthUrl || `${chosen.upstreamUrl}/healthz` }
  refuseConflicts(config)
  return { config, sourceByKey, file: file?.path ?? null, ignoredKeys, warnings: warningsOf(config) }
}

function fallbackOf(setting: Setting, input: ConfigInput): unknown {
  if (setting.key === 'port' && input.demo) return DEMO_PORT
  if (setting.key === 'display_timezone') return knownTimeZone(input.hostTimeZone) ?? setting.fallback
  return setting.fallback
}

function flagValue(setting: Setting, { flags, cwd }: ConfigInput): Given | null {
  const flag = flagOf(setting)
  const raw = Object.hasOwn(flags, flag) ? flags[flag] : undefined
  return raw === undefined ? null : { raw, source: 'flag', place: `--${flag}`, folder: cwd }
}

/** An empty variable counts as not set, as container files cannot unset one. */
function envValue(setting: Setting, { env, cwd }: ConfigInput): Given | null {
  const name = envNameOf(setting)
  const raw = env[name]
  return raw === undefined || raw === '' ? null : { raw, source: 'env', place: name, folder: cwd }
}

function readValue(setting: Setting, given: Given): unknown {
  const resolvePath = (path: string) => (isAbsolute(path) ? path : resolve(given.folder, path))
  const raw = given.source === 'file' ? given.raw : fromText(given.raw, setting.kind.numeric)
  const read = setting.kind.read(raw, { resolvePath })
  if (read !== null) return read.value
  // What stands before an @ may be a password.
  const harmless = setting.kind.echoed && !JSON.stringify(given.raw).includes('@')
  const shown = harmless ? `, not ${shownValue(given.raw)}` : ''
  throw new ConfigError('invalid_value', `${setting.key} from ${given.place}: expected ${setting.kind.allowed}${shown}`)
}

/** Flags and variables are text; a plain decimal number is read as one where numbers are meant. */
function fromText(raw: unknown, numeric: boolean): unknown {
  if (typeof raw !== 'string' || !numeric) return raw
  return /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(raw) ? Number(raw) : raw
}

function shownValue(raw: unknown): string {
  // TOML has infinities and JSON has not.
  const text = typeof raw === 'number' ? String(raw) : JSON.stringify(raw)
  return text.length > VALUE_LENGTH_SHOWN ? `${text.slice(0, VALUE_LENGTH_SHOWN)}…` : text
}

interface ConfigFile {
  readonly path: string
  readonly text: string
}

/** The file in force. A named one must be readable; of the usual places the first that exists is taken. */
function configFileOf(input: ConfigInput): ConfigFile | null {
  const fromEnv = input.env[CONFIG_ENV] ?? ''
  const named = input.configFlag ?? (fromEnv === '' || input.demo ? null : fromEnv)
  if (named === 'off') return null
  if (named !== null) {
    const path = resolve(input.cwd, named)
    const place = input.configFlag === null ? CONFIG_ENV : '--config'
    const outcome = readConfigFile(path, `config file from ${place}`, input)
    if (outcome === null) throw new ConfigError('missing_file', `config file from ${place} does not exist: ${path}`)
    return outcome
  }
  if (input.demo) return null
  const xdg = input.env.XDG_CONFIG_HOME ?? ''
  // The XDG specification has relative ones ignored.
  const home = isAbsolute(xdg) ? xdg : join(input.homeDir, '.config')
  for (const path of [join(home, APP_FOLDER, 'config.toml'), join('/etc', APP_FOLDER, 'config.toml')]) {
    const outcome = readConfigFile(path, 'config file', input)
    if (outcome !== null) return outcome
  }
  return null
}

function readConfigFile(path: string, what: string, input: ConfigInput): ConfigFile | null {
  try {
    return { path, text: input.readTextFile(path) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new ConfigError('unreadable_file', `${what} cannot be read (${code}): ${path}`)
  }
}

const settingByKey = new Map(settings.map((setting) => [setting.key, setting]))

function settingsInFile(path: string, text: string): Map<string, Given> {
  const given = new Map<string, Given>()
  for (const [key, raw] of Object.entries(parseToml(path, text))) {
    const place = `${path}${linePlace(text, key)}`
    if (key === 'management_key') {
      throw new ConfigError(
        'secret_not_allowed',
        `management_key from ${place}: a key may not stand in the config file; put it into a file named by management_key_file or into ${MANAGEMENT_KEY_ENV}`,
      )
    }
    if (!settingByKey.has(key)) throw new ConfigError('unknown_key', `unknown key ${shownValue(key)} in ${place}: expected ${nearest(key)}`)
    given.set(key, { raw, source: 'file', place, folder: dirname(path) })
  }
  return given
}

function parseToml(path: string, text: string): Record<string, unknown> {
  try {
    return parse(text) as Record<string, unknown>
  } catch (error) {
    const { line, column } = positionOf(error)
    // The parser's own text quotes the file, which may hold what does not belong there.
    throw new ConfigError('invalid_toml', `config file is no valid TOML at line ${line}, column ${column}: ${path}`)
  }
}

/** The parser names the place of syntax errors and of semantic errors differently. */
function positionOf(error: unknown): { readonly line: number | string; readonly column: number | string } {
  const found = error as { line?: number; column?: number; location?: { start?: { line?: number; column?: number } } } | null
  return {
    line: found?.line ?? found?.location?.start?.line ?? 'unknown',
    column: found?.column ?? found?.location?.start?.column ?? 'unknown',
  }
}

function linePlace(text: string, key: string): string {
  const index = text.split('\n').findIndex((line) => /^[\s["']*([\w-]*)/.exec(line)?.[1] === key)
  return index < 0 ? '' : ` line ${index + 1}`
}

function refuseUnknownEnv(env: ConfigInput['env']): void {
  const known = new Set([CONFIG_ENV, MANAGEMENT_KEY_ENV, ...settings.map(envNameOf)])
  const unknown = Object.keys(env).find((name) => name.startsWith(ENV_PREFIX) && !known.has(name))
  if (unknown === undefined) return
  const suggestion = nearest(unknown.slice(ENV_PREFIX.length).toLowerCase())
  throw new ConfigError('unknown_key', `unknown environment variable ${unknown}: expected ${ENV_PREFIX}${suggestion.toUpperCase()}`)
}

/** The key that was probably meant. */
function nearest(key: string): string {
  const distances = settings.map((setting) => ({ key: setting.key, distance: editDistance(setting.key, key) }))
  return distances.reduce((best, candidate) => (candidate.distance < best.distance ? candidate : best)).key
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function refuseConflicts(config: Config): void {
  if (config.usageSource === 'queue' && config.stateDb === null) {
    throw new ConfigError('conflict', 'usage_source queue needs state_db: reading the queue takes its rows away, so they must be stored')
  }
  if (config.quotaTransport === 'auth-files' && config.authDir === null) {
    throw new ConfigError('conflict', 'quota_transport auth-files needs auth_dir: the directory of the auth files')
  }
}

/** Source: quality guard 1.8 and G9. */
function warningsOf({ upstreamUrl, host, manualQuotaRefreshAuth }: Config): readonly string[] {
  const { protocol, hostname } = new URL(upstreamUrl)
  const warnings: string[] = []
  if (protocol !== 'https:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))) {
    warnings.push('upstream_url is plain http to another machine: whoever is in between can read the management key; use https')
  }
  if (manualQuotaRefreshAuth === 'none' && !isLoopbackHost(host)) {
    warnings.push('manual_quota_refresh_auth is none and host is no loopback address: everyone who reaches it can ask for a refresh')
  }
  return warnings
}
