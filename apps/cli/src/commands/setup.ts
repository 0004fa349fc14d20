import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { connectResp } from '@svc/collector'
import { type ConfigInput, MANAGEMENT_KEY_ENV, resolveConfig, serviceUrl } from '@svc/config'
import { errorCodeOf } from '@svc/core/service'
import { artifacts, installationOf } from '@svc/deploy'
import { examine } from '@svc/doctor'
import { makeFolder } from '@svc/redact'
import { findingsReport } from '../doctor/findings-report.ts'
import { type CliContext, EXIT, failure, usageError } from '../program/cli-context.ts'
import { choiceOf, configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { findProxies } from '../setup/found-proxies.ts'
import { runAll, type StartWayId, startWayIds, startWays } from '../setup/start-ways.ts'
import {
  type PlannedFile,
  readMemory,
  removeEmptyFolder,
  removeFiles,
  writeFiles,
} from '../setup/written-files.ts'
import { run } from './run.ts'

type Questions = typeof import('../setup/questions.ts').questions

/** Configures the monitor, checks that it will work, and starts it; or undoes that. Resolves with the exit code; throws ConfigError. */
export async function setup(options: ParsedOptions, context: CliContext): Promise<number> {
  const isAsking = !isOn(options.yes)
  if (isAsking && context.terminal === null)
    return usageError(
      context,
      'setup asks on a terminal: elsewhere give --yes, --upstream-url and --management-key-file',
    )
  const { Cancelled, questions } = await import('../setup/questions.ts')
  const ask = isAsking ? questions : null
  try {
    return await (isOn(options.remove) ? remove : install)(options, context, ask)
  } catch (error) {
    if (error instanceof Cancelled) return EXIT.failed
    throw error
  }
}

async function install(
  options: ParsedOptions,
  context: CliContext,
  ask: Questions | null,
): Promise<number> {
  const configPath = configPathOf(options, context)
  const isThere = existsSync(configPath) && !isOn(options.force)
  const draft = isThere
    ? { input: { ...configInput(options, context), configFlag: configPath }, files: [] }
    : await draftOf(configPath, options, context, ask)
  if (typeof draft === 'number') return draft
  if (isThere) context.stdout(`${configPath} is there and stays as it is.\n`)

  const { clock, fetch, nodeVersion } = context
  const storeFolder = dirname(storeOf(context))
  // The checks look for a place for the history.
  if (!isThere) makeFolder(storeFolder)
  const findings = await examine(draft.input, { clock, fetch, connectResp, nodeVersion })
  context.forgetEnv(MANAGEMENT_KEY_ENV)
  context.stdout(`\n${findingsReport(findings, false, context)}\n`)
  if (findings.some(({ status }) => status === 'fail')) {
    removeEmptyFolder(storeFolder)
    return failure(context, 'nothing was written: mend what failed above, then run setup again')
  }
  const url = serviceUrl(resolveConfig(draft.input).config.server)
  if (findings.some(({ id, status }) => id === 'service' && status !== 'skip')) {
    context.stdout(`The service is running already: ${url}/\n`)
    return EXIT.ok
  }

  const possible = startWayIds.filter((id) => startWays[id].isPossible())
  const way =
    options.start === undefined && ask !== null
      ? await ask.way(possible)
      : choiceOf('--start', options.start, startWayIds)
  const started = filesOf(way, configPath, draft.input, context)
  if (typeof started === 'string') return failure(context, `nothing was written: ${started}`)
  const files = [...draft.files, ...started]
  const existing = files.find(({ path }) => path !== configPath && existsSync(path))
  if (existing !== undefined && !isOn(options.force) && !isOurs(existing, configPath))
    return failure(context, `${existing.path} exists already: --force writes over it`)
  const lines = [
    ...files.map(({ path, what }) => `  writes ${path} (${what})\n`),
    ...startWays[way].start.map((command) => `  runs ${command.join(' ')}\n`),
  ]
  if (lines.length > 0) context.stdout(`Setup now\n${lines.join('')}`)
  if (lines.length > 0 && ask !== null && !(await ask.agreement('Go on?'))) {
    context.stdout('Nothing was changed.\n')
    return EXIT.failed
  }
  try {
    if (files.length > 0) writeFiles(dirname(configPath), way, files)
  } catch (error) {
    return failure(
      context,
      `setup ended in the middle (${errorCodeOf(error)}): run it again, or setup --remove`,
    )
  }
  return start(way, configPath, url, context)
}

/** The configuration file that is written: that of --config, or the usual one of this user. */
function configPathOf(options: ParsedOptions, { env, cwd, homeDir }: CliContext): string {
  const named = options.config?.at(-1)
  if (named !== undefined) return resolve(cwd, named)
  return join(baseFolder(env.XDG_CONFIG_HOME, '/etc', join(homeDir, '.config')), 'config.toml')
}

function storeOf({ env, homeDir }: CliContext): string {
  return join(
    baseFolder(env.XDG_STATE_HOME, '/var/lib', join(homeDir, '.local/state')),
    'history.db',
  )
}

/** The folder of this program below the XDG folder if it is set, else below `own`, or below `root` for the superuser. */
function baseFolder(xdg: string | undefined, root: string, own: string): string {
  const usual = process.getuid?.() === 0 ? root : own
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : usual, 'svc-quota-monitor')
}

interface Draft {
  readonly input: ConfigInput
  readonly files: readonly PlannedFile[]
}

/** A configuration from flags and answers, and its files; the exit code if one is missing. */
async function draftOf(
  configPath: string,
  options: ParsedOptions,
  context: CliContext,
  ask: Questions | null,
): Promise<Draft | number> {
  const given = { ...configInput(options, context), configFlag: 'off' }
  const found = given.flags['upstream-url'] === undefined ? await findProxies(context) : []
  const only = found.length === 1 ? found[0] : undefined
  const url =
    given.flags['upstream-url'] ?? (ask === null ? only : await ask.address(found)) ?? null
  if (url === null)
    return usageError(
      context,
      found.length === 0
        ? 'no proxy answers on this machine: give --upstream-url'
        : `several proxies answer here, so give --upstream-url: ${found.join(', ')}`,
    )
  const flags = { 'state-db': storeOf(context), ...given.flags, 'upstream-url': url }
  const keyFile = given.flags['management-key-file']
  const ownKeyFile = join(dirname(configPath), 'management-key')
  const key =
    keyFile === undefined
      ? (context.env[MANAGEMENT_KEY_ENV] ?? (ask === null ? null : await ask.key()))
      : null
  if (keyFile === undefined && key === null)
    return usageError(
      context,
      `a management key is needed: give --management-key-file, or ${MANAGEMENT_KEY_ENV}`,
    )
  const input = { ...given, flags, env: { ...given.env, [MANAGEMENT_KEY_ENV]: key ?? '' } }
  const written = {
    ...given,
    flags: { ...flags, 'management-key-file': keyFile ?? ownKeyFile },
    env: { ...given.env, [MANAGEMENT_KEY_ENV]: '' },
  }
  const files: PlannedFile[] = [
    {
      path: configPath,
      what: 'the configuration',
      text: artifactText('config', configPath, written, context),
      mode: 0o600,
    },
  ]
  if (key !== null)
    files.unshift({ path: ownKeyFile, what: 'the key', text: `${key.trim()}\n`, mode: 0o600 })
  return { input, files }
}

function artifactText(
  id: string,
  configPath: string,
  input: ConfigInput,
  { version, nodePath, programPath, homeDir }: CliContext,
): string {
  const program = { version, nodePath, programPath, homeDir }
  const installation = {
    ...installationOf(resolveConfig(input), program),
    configPath,
    hasConfig: true,
  }
  const artifact = artifacts.find((one) => one.id === id)
  const refusal = artifact?.refusal?.(installation) ?? null
  if (refusal !== null) throw new Refused(refusal)
  return artifact?.text(installation) ?? ''
}

class Refused extends Error {}

/** The files of a way to run; the reason, if this machine cannot have them. */
function filesOf(
  way: StartWayId,
  configPath: string,
  input: ConfigInput,
  context: CliContext,
): readonly PlannedFile[] | string {
  const folders = { homeDir: context.homeDir, config: dirname(configPath) }
  const env = { ...input.env, [MANAGEMENT_KEY_ENV]: '' }
  const flags = {
    'management-key-file': join(folders.config, 'management-key'),
    ...input.flags,
  }
  try {
    return Object.entries(startWays[way].files(folders)).map(([id, path]) => ({
      path,
      what: artifacts.find((one) => one.id === id)?.what ?? id,
      text: artifactText(id, configPath, { ...input, env, flags }, context),
      mode: 0o644,
    }))
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

function isOurs({ path }: PlannedFile, configPath: string): boolean {
  return readMemory(dirname(configPath))?.files.some((one) => one.path === path) === true
}

const START_MS_MAX = 15_000
const LOOK_MS = 250

async function start(
  way: StartWayId,
  configPath: string,
  url: string,
  context: CliContext,
): Promise<number> {
  const { stdout, homeDir, clock, serviceFetch } = context
  if (way === 'foreground') return run({ config: [configPath] }, context)
  if (way === 'none') stdout(`Start it with: svc-quota-monitor --config ${configPath}\n`)
  if (way === 'compose')
    stdout(
      `Start it with: docker compose --file ${join(dirname(configPath), 'compose.yaml')} up --build --detach\n`,
    )
  if (startWays[way].start.length === 0) return EXIT.ok
  const failed = runAll(startWays[way].start, homeDir)
  if (failed !== null) return failure(context, `the service was not started: ${failed}`)
  const until = clock.monotonicMs() + START_MS_MAX
  while (clock.monotonicMs() < until) {
    const answer = await serviceFetch(`${url}/healthz`).catch(() => null)
    if (answer?.ok === true) {
      stdout(`The service is running: ${url}/\n`)
      return EXIT.ok
    }
    await new Promise<void>((resolve) => clock.schedule(LOOK_MS, resolve))
  }
  return failure(
    context,
    `the service was started and does not answer at ${url}/: look into its log`,
  )
}

/** Undoes what setup has done. The history and files that were changed since stay. */
async function remove(
  options: ParsedOptions,
  context: CliContext,
  ask: Questions | null,
): Promise<number> {
  const folder = dirname(configPathOf(options, context))
  const memory = readMemory(folder)
  if (memory === null) return failure(context, `setup has written nothing in ${folder}`)
  const { stop } = startWays[memory.way]
  context.stdout(
    `Setup now\n${[
      ...stop.map((command) => `  runs ${command.join(' ')}\n`),
      ...memory.files.map(({ path }) => `  removes ${path}\n`),
    ].join('')}`,
  )
  if (ask !== null && !(await ask.agreement('Go on?'))) {
    context.stdout('Nothing was changed.\n')
    return EXIT.failed
  }
  const failed = runAll(stop, context.homeDir)
  if (failed !== null) return failure(context, `nothing was removed: ${failed}`)
  const kept = removeFiles(folder)
  for (const path of kept) context.stdout(`${path} stays, because it was changed since.\n`)
  if (existsSync(storeOf(context)))
    context.stdout(`The history stays: remove ${storeOf(context)} if it is no longer needed.\n`)
  return EXIT.ok
}
