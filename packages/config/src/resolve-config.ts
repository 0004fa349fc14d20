import { isAbsolute, resolve } from 'node:path'
import { Redacted } from '@svc/core/service'
import * as v from 'valibot'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { type ConfigFile, configFileOf } from './config-file.ts'
import { type ConfigInput, type ConfigSource, type Given, shownRaw } from './config-input.ts'
import { type Config, configOf, settings } from './config-schema.ts'
import { injectedNote, isInjected } from './injected-variables.ts'
import { isLoopbackHost } from './loopback-host.ts'
import { nearestWord } from './near-word.ts'
import {
  CONFIG_ENV,
  ENV_PREFIX,
  envNameOf,
  flagOf,
  MANAGEMENT_KEY_ENV,
  type Setting,
} from './setting.ts'
import { timeZone } from './setting-kinds.ts'

/** The configuration in force, and where each value came from. */
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

/** Layers flags over environment over TOML over defaults. Throws ConfigError with every mistake; nothing else is wrong after that. */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const file = configFileOf(input)
  const problems: ConfigProblem[] = [...file.problems, ...unknownEnvProblems(input.env)]

  const sourceByKey = new Map<string, ConfigSource>()
  const ignoredKeys: string[] = []
  const valueByKey = new Map<string, unknown>()
  for (const setting of settings) {
    const given = givenFor(setting, input, file)
    const ignored = input.demo && setting.ignoredInDemo
    if (given !== null && ignored) ignoredKeys.push(setting.key)
    const used = ignored ? null : given
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
  const chosen = configOf(valueByKey, keyGiven ? new Redacted(key) : null)
  const { upstreamUrl, gatewayHealthUrl } = chosen.upstream
  const config = {
    ...chosen,
    upstream: {
      ...chosen.upstream,
      gatewayHealthUrl: gatewayHealthUrl || `${upstreamUrl}/healthz`,
    },
  }
  refuse(conflictsIn(config))
  const note = injectedNote(input.env)
  const warnings = [...(note === null ? [] : [note]), ...warningsOf(config)]
  return { config, sourceByKey, file: file.path, ignoredKeys, warnings }
}

/** The `display_language` that is given, also beside mistakes in other settings; the default where it is a mistake itself. */
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

/** An empty variable counts as not set, as container files cannot unset one. */
function envValue(setting: Setting, { env, cwd }: ConfigInput): Given | null {
  const name = envNameOf(setting)
  const raw = env[name]
  return raw === undefined || raw === '' || isInjected(name, raw)
    ? null
    : { raw, source: 'env', place: name, folder: cwd }
}

function readValue(
  { key, kind }: Setting,
  { raw, source, place, folder }: Given,
): { readonly value: unknown } | ConfigProblem {
  const read = v.safeParse(
    kind.schema,
    source !== 'file' && kind.numeric === true ? numberIn(raw) : raw,
  )
  if (read.success) {
    const { output } = read
    const isRelative = kind.path === true && typeof output === 'string' && !isAbsolute(output)
    return { value: isRelative ? resolve(folder, output) : output }
  }
  // What stands before an @ may be a password.
  const isHarmless = kind.secret !== true && !JSON.stringify(raw).includes('@')
  const shown = isHarmless ? `, not ${shownRaw(raw)}` : ''
  return {
    code: 'invalid_value',
    message: `${key} from ${place}: expected ${kind.allowed}${shown}`,
  }
}

/** Flags and variables are text; a plain decimal number is read as one where numbers are meant. */
function numberIn(raw: unknown): unknown {
  return typeof raw === 'string' && /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(raw) ? Number(raw) : raw
}

function unknownEnvProblems(env: ConfigInput['env']): readonly ConfigProblem[] {
  const known = settings.map(envNameOf)
  const ours = new Set([CONFIG_ENV, MANAGEMENT_KEY_ENV, ...known])
  return Object.keys(env)
    .filter(
      (name) => name.startsWith(ENV_PREFIX) && !ours.has(name) && !isInjected(name, env[name]),
    )
    .map((name) => {
      // Without the prefix, which would make every two names alike.
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
  if (config.usage.usageSource === 'queue' && config.history.stateDb === null) {
    conflicts.push(
      'usage_source queue needs state_db: reading the queue takes its rows away, so they must be stored',
    )
  }
  if (config.quota.quotaTransport === 'auth-files' && config.quota.authDir === null) {
    conflicts.push('quota_transport auth-files needs auth_dir: the directory of the auth files')
  }
  return conflicts.map((message) => ({ code: 'conflict', message }))
}

/** See docs/security.md. */
function warningsOf({ upstream, server }: Config): readonly string[] {
  const { protocol, hostname } = new URL(upstream.upstreamUrl)
  const warnings: string[] = []
  if (protocol !== 'https:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))) {
    warnings.push(
      'upstream_url is plain http to another machine: anybody in between can read the management key; use https',
    )
  }
  if (server.manualQuotaRefreshAuth === 'none' && !isLoopbackHost(server.host)) {
    warnings.push(
      'manual_quota_refresh_auth is none and host is not a loopback address: everyone who reaches it can ask for a refresh',
    )
  }
  return warnings
}
