import { execFile } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { readText } from '@svc/client'
import {
  type Config,
  describeConfig,
  isDatabaseAddress,
  type ResolvedConfig,
  serviceUrl,
} from '@svc/config'
import type { Finding } from '@svc/doctor'
import type { CliContext } from '../program/cli-context.ts'

/** One file of a bundle, before it is redacted. */
export interface BundlePart {
  readonly file: string
  /** One line about the contents of the part, for the reader of the bundle. */
  readonly about: string
  /** Contents of the part. Throws an Error with one readable line if there are none. */
  readonly read: () => Promise<string> | string
}

export interface BundleSources {
  readonly resolved: ResolvedConfig
  readonly findings: Promise<readonly Finding[]>
  readonly logFile: string | null
  readonly journalUnit: string | null
}

const LOG_BYTES_MAX = 2 * 1024 * 1024
const LOG_LINES_MAX = 5_000
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
const ANSWER_MS_MAX = 10_000

/** Every part that a bundle can have, in the order of its list. */
export function bundleParts(
  { resolved, findings, logFile, journalUnit }: BundleSources,
  context: CliContext,
): readonly BundlePart[] {
  const { config } = resolved
  const parts: BundlePart[] = [
    {
      file: 'settings.json',
      about: 'every setting with its value and where it comes from (print-config)',
      read: () => settingsText(resolved),
    },
    {
      file: 'doctor.json',
      about: 'what doctor found',
      read: async () =>
        JSON.stringify({ version: context.version, checks: await findings }, null, 2),
    },
    {
      file: 'health.json',
      about: 'what the running service says of itself',
      read: () => answerOf(config, '/api/v1/health', context),
    },
    {
      file: 'status.json',
      about: 'accounts, windows and capacity of the running service',
      read: () => answerOf(config, '/api/v1/status', context),
    },
    {
      file: 'store.json',
      about: 'version, sizes and row counts of the store; no rows',
      read: () => storeText(config),
    },
    {
      file: 'versions.json',
      about: 'versions of the program, of Node and of the system',
      read: () => versionsText(context),
    },
  ]
  if (logFile !== null)
    parts.push({
      file: 'log.txt',
      about: 'the last lines of the log',
      read: () => lastLines(resolve(context.cwd, logFile)),
    })
  if (journalUnit !== null)
    parts.push({
      file: 'journal.txt',
      about: 'the last lines of the journal',
      read: () => journalText(journalUnit),
    })
  return parts
}

function settingsText(resolved: ResolvedConfig): string {
  const rows = describeConfig(resolved).map(({ key, value, source }) => [key, { value, source }])
  return JSON.stringify({ file: resolved.file, settings: Object.fromEntries(rows) }, null, 2)
}

async function answerOf({ server }: Config, path: string, { fetch }: CliContext): Promise<string> {
  const failed = new Error('the service does not answer at its configured address')
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const address = serviceUrl(server) + path
  const response = await fetch(address, { signal, redirect: 'manual' }).catch(() => {
    throw failed
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the service answered with ${response.status}`)
  }
  const text = await readText(response.body, ANSWER_BYTES_MAX, signal).catch(() => {
    throw failed
  })
  if (text === null) throw new Error('what answers at the configured address sends too much')
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    throw new Error('what answers at the configured address is not this service')
  }
}

async function storeText({ history: { stateDb, stateDbPasswordFile } }: Config): Promise<string> {
  if (stateDb === null) throw new Error('no store is configured')
  const { databaseShape, storeShape } = await import('@svc/history')
  const shape = isDatabaseAddress(stateDb)
    ? await databaseShape(stateDb, stateDbPasswordFile)
    : storeShape(stateDb)
  return JSON.stringify(shape, null, 2)
}

function versionsText({ version }: CliContext): string {
  const { version: node, platform: system, arch: architecture } = process
  return JSON.stringify({ program: version, node, system, architecture }, null, 2)
}

/** Last lines of a regular file; the first one is whole. */
function lastLines(path: string): string {
  // O_NONBLOCK does not exist on Windows. Without it, opening a named pipe would block.
  const file = openSync(
    path,
    constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0),
  )
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('the log is not a regular file')
    const length = Math.min(stats.size, LOG_BYTES_MAX)
    const bytes = Buffer.alloc(length)
    const read = readSync(file, bytes, 0, length, stats.size - length)
    const text = bytes.toString('utf8', 0, read)
    const whole = length < stats.size ? text.slice(text.indexOf('\n') + 1) : text
    return whole.split('\n').slice(-LOG_LINES_MAX).join('\n')
  } finally {
    closeSync(file)
  }
}

function journalText(unit: string): Promise<string> {
  if (!/^[\w@.:-]{1,255}$/.test(unit) || unit.startsWith('-'))
    throw new Error('the name of the unit is not as it must be')
  return new Promise((done, refuse) => {
    const args = [
      '--unit',
      unit,
      '--lines',
      String(LOG_LINES_MAX),
      '--no-pager',
      '--output',
      'short-iso',
    ]
    execFile(
      'journalctl',
      args,
      { maxBuffer: 64 * 1024 * 1024, timeout: ANSWER_MS_MAX },
      (error, stdout) => {
        if (error === null && /^-- No entries --\s*$/.test(stdout))
          refuse(new Error('the journal has no entries of that unit'))
        else if (error === null) done(stdout)
        else refuse(new Error('journalctl could not read the journal of that unit'))
      },
    )
  })
}
