import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { connectResp } from '@svc/collector'
import { type ConfigInput, MANAGEMENT_KEY_ENV, resolveConfig, serviceUrl } from '@svc/config'
import { type Clock, errorCodeOf } from '@svc/core/service'
import { artifacts, installationOf, shellWord } from '@svc/deploy'
import { examine, type Finding } from '@svc/doctor'
import { findProxies } from './found-proxies.ts'
import type { questions } from './questions.ts'
import { runAll, type StartWayId, startWayIds, startWays } from './start-ways.ts'
import {
  makeNotedFolder,
  type PlannedFile,
  readMemory,
  removeFiles,
  writeFiles,
} from './written-files.ts'

/** Settings given by flag, and how to go about the set-up. */
export interface SetupOptions {
  readonly input: ConfigInput
  /** Way to run the service; null if it is asked for. */
  readonly way: StartWayId | null
  readonly isForced: boolean
}

/** The machine and the program. */
export interface SetupWorld {
  readonly version: string
  readonly nodeVersion: string
  /** Paths of Node and of the program, as a service manager starts them. */
  readonly nodePath: string
  readonly programPath: string
  readonly clock: Clock
  readonly fetch: typeof fetch
  readonly serviceFetch: typeof fetch
  readonly forgetEnv: (name: string) => void
  readonly stdout: (text: string) => void
  readonly reportOf: (findings: readonly Finding[]) => string
  /** Null if nothing is asked. */
  readonly ask: typeof questions | null
}

/** Why setup ended without its work, as one line. */
export class SetupError extends Error {
  /** Whether the user has to give something else. */
  readonly isUsage: boolean

  constructor(message: string, isUsage = false) {
    super(message)
    this.isUsage = isUsage
  }
}

/**
 * Writes a configuration, unless there is one, checks that it will work, and starts the service, except in the foreground. Resolves with the way to run
 * it and the configuration; null if it runs already. Throws SetupError, Cancelled and ConfigError.
 */
export async function install(
  { input: given, way: chosen, isForced }: SetupOptions,
  world: SetupWorld,
): Promise<{ readonly way: StartWayId; readonly configPath: string } | null> {
  const { clock, fetch, nodeVersion, stdout, ask } = world
  const configPath = configPathOf(given)
  const isThere = existsSync(configPath) && !isForced
  const asItIs = { ...given, configFlag: configPath }
  const draft = isThere
    ? { input: asItIs, written: asItIs, files: [] }
    : await draftOf(configPath, given, world)
  if (isThere) stdout(`${configPath} is there and stays as it is.\n`)

  const folder = dirname(configPath)
  try {
    // The checks look for a place for the history.
    if (!isThere) makePlace(folder, dirname(storeOf(given)))
    const findings = await examine(draft.input, { clock, fetch, connectResp, nodeVersion })
    world.forgetEnv(MANAGEMENT_KEY_ENV)
    stdout(`\n${world.reportOf(findings)}\n`)
    if (findings.some(({ status }) => status === 'fail'))
      throw new SetupError('nothing was written: mend what failed, then run setup again')
    const url = serviceUrl(resolveConfig(draft.input).config.server)
    if (findings.some(({ id, status }) => id === 'service' && status !== 'skip')) {
      stdout(`The service is running already: ${url}/\n`)
      return null
    }
    const possible = startWayIds.filter((id) => startWays[id].isPossible())
    const way = chosen ?? (await ask?.way(possible)) ?? 'foreground'
    const files = [...draft.files, ...filesOf(way, configPath, draft.written, world)]
    refuseFilesInTheWay(files, configPath, isForced)
    await agreed(world, [
      ...files.map(({ path, what }) => `writes ${path} (${what})`),
      ...startWays[way].start.map((command) => `runs ${command.join(' ')}`),
    ])
    if (files.length > 0) write(folder, way, files)
    await start(way, configPath, url, given, world)
    return { way, configPath }
  } finally {
    if (!isThere && readMemory(folder)?.files.length === 0) removeFiles(folder)
  }
}

/** Says what is done now, and asks whether to go on. Throws SetupError. */
async function agreed({ stdout, ask }: SetupWorld, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  stdout(`Setup now\n${lines.map((line) => `  ${line}\n`).join('')}`)
  if (ask !== null && !(await ask.agreement('Go on?'))) throw new SetupError('nothing was changed')
}

function refuseFilesInTheWay(
  files: readonly PlannedFile[],
  configPath: string,
  isForced: boolean,
): void {
  const ours = readMemory(dirname(configPath))?.files.map(({ path }) => path) ?? []
  const existing = files.find(
    ({ path }) => path !== configPath && existsSync(path) && !ours.includes(path),
  )
  if (existing !== undefined && !isForced)
    throw new SetupError(`${existing.path} exists already: --force writes over it`)
}

function makePlace(folder: string, storeFolder: string): void {
  try {
    makeNotedFolder(folder, storeFolder)
  } catch (error) {
    throw new SetupError(`nothing was written: ${error instanceof Error ? error.message : error}`)
  }
}

function write(folder: string, way: StartWayId, files: readonly PlannedFile[]): void {
  try {
    writeFiles(folder, way, files)
  } catch (error) {
    throw new SetupError(
      `setup ended in the middle (${errorCodeOf(error)}): run it again, or setup --remove`,
    )
  }
}

/** The configuration file that is written: that of --config, or the usual one of this user. */
function configPathOf({ configFlag, env, cwd, homeDir }: ConfigInput): string {
  if (configFlag !== null) return resolve(cwd, configFlag)
  return join(baseFolder(env.XDG_CONFIG_HOME, '/etc', join(homeDir, '.config')), 'config.toml')
}

function storeOf({ env, homeDir }: ConfigInput): string {
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

/**
 * A new configuration from flags and answers: what is checked, with the key itself; what is written, with the file of the key; and the files. Throws
 * SetupError if something is missing.
 */
async function draftOf(configPath: string, input: ConfigInput, world: SetupWorld) {
  const given = { ...input, configFlag: 'off' }
  const found =
    given.flags['upstream-url'] === undefined
      ? await findProxies({ ...given, fetch: world.fetch })
      : []
  const only = found.length === 1 ? found[0] : undefined
  const url =
    given.flags['upstream-url'] ?? (world.ask === null ? only : await world.ask.address(found))
  if (url === undefined)
    throw new SetupError(
      found.length === 0
        ? 'no proxy answers on this machine: give --upstream-url'
        : `several proxies answer here, so give --upstream-url: ${found.join(', ')}`,
      true,
    )
  const flags = { 'state-db': storeOf(given), ...given.flags, 'upstream-url': url }
  const keyFile = given.flags['management-key-file']
  const ownKeyFile = join(dirname(configPath), 'management-key')
  const key =
    keyFile === undefined ? (given.env[MANAGEMENT_KEY_ENV] ?? (await world.ask?.key())) : undefined
  if (keyFile === undefined && key === undefined)
    throw new SetupError(
      `a management key is needed: give --management-key-file, or ${MANAGEMENT_KEY_ENV}`,
      true,
    )
  const written = {
    ...given,
    flags: { ...flags, 'management-key-file': keyFile ?? ownKeyFile },
    env: { ...given.env, [MANAGEMENT_KEY_ENV]: '' },
  }
  const text = artifactText('config', configPath, written, world)
  const config = { path: configPath, what: 'the configuration', text, mode: 0o600 }
  return {
    input: { ...given, flags, env: { ...given.env, [MANAGEMENT_KEY_ENV]: key ?? '' } },
    written,
    files:
      key === undefined
        ? [config]
        : [{ path: ownKeyFile, what: 'the key', text: `${key.trim()}\n`, mode: 0o600 }, config],
  }
}

/** An artifact of the installation that setup makes. Throws SetupError if it cannot be had. */
function artifactText(
  id: string,
  configPath: string,
  input: ConfigInput,
  { version, nodePath, programPath }: SetupWorld,
): string {
  const program = { version, nodePath, programPath, homeDir: input.homeDir }
  const made = installationOf(resolveConfig(input), program)
  const installation = { ...made, configPath, hasConfig: true }
  const artifact = artifacts.find((one) => one.id === id)
  const refusal = artifact?.refusal(installation) ?? null
  if (refusal !== null) throw new SetupError(`nothing was written: ${refusal}`)
  return artifact?.text(installation) ?? ''
}

/** The files of a way to run. Throws SetupError if this machine cannot have them. */
function filesOf(
  way: StartWayId,
  configPath: string,
  input: ConfigInput,
  world: SetupWorld,
): readonly PlannedFile[] {
  const folder = dirname(configPath)
  const paths = startWays[way].files({ homeDir: input.homeDir, config: folder })
  return Object.entries(paths).map(([id, path]) => ({
    path,
    what: artifacts.find((one) => one.id === id)?.what ?? id,
    text: artifactText(id, configPath, input, world),
    mode: 0o644,
  }))
}

const START_MS_MAX = 15_000
const LOOK_MS = 250

/** Starts the service, or says how. Throws SetupError. */
async function start(
  way: StartWayId,
  configPath: string,
  url: string,
  { homeDir }: ConfigInput,
  { stdout, clock, serviceFetch }: SetupWorld,
): Promise<void> {
  const command = `svc-quota-monitor --config ${shellWord(configPath)}`
  if (way === 'foreground')
    stdout(`The page comes up at ${url}/ until Ctrl-C. To start it again:\n  ${command}\n`)
  if (way === 'none') stdout(`Start it with: ${command}\n`)
  if (way === 'compose')
    stdout(
      `Start it with: docker compose --file ${shellWord(join(dirname(configPath), 'compose.yaml'))} up --build --detach\n`,
    )
  if (startWays[way].start.length === 0) return
  const failed = runAll(startWays[way].start, homeDir)
  if (failed !== null) throw new SetupError(`the service was not started: ${failed}`)
  const until = clock.monotonicMs() + START_MS_MAX
  while (clock.monotonicMs() < until) {
    const answer = await serviceFetch(`${url}/healthz`).catch(() => null)
    if (answer?.ok === true) return stdout(`The service is running: ${url}/\n`)
    await new Promise<void>((looked) => clock.schedule(LOOK_MS, looked))
  }
  throw new SetupError(`the service was started and does not answer at ${url}/: look into its log`)
}

/** Undoes what setup has done. The history and files that were changed since stay. Throws SetupError and Cancelled. */
export async function uninstall({ input }: SetupOptions, world: SetupWorld): Promise<void> {
  const { stdout } = world
  const folder = dirname(configPathOf(input))
  const memory = readMemory(folder)
  if (memory === null) throw new SetupError(`setup has written nothing in ${folder}`)
  const { stop } = startWays[memory.way]
  await agreed(world, [
    ...stop.map((command) => `runs ${command.join(' ')}`),
    ...memory.files.map(({ path }) => `removes ${path}`),
    ...memory.folders.map((path) => `removes ${path}, if it is empty`),
  ])
  const failed = runAll(stop, input.homeDir)
  if (failed !== null) throw new SetupError(`nothing was removed: ${failed}`)
  for (const path of removeFiles(folder)) stdout(`${path} stays, because it was changed since.\n`)
  const store = storeOf(input)
  if (existsSync(store)) stdout(`The history stays in ${store}.\n`)
}
