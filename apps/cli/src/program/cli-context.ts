import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import { Readable } from 'node:stream'
import { errorPlace } from '@svc/core/service'
import { programPathOf } from '@svc/monitor/program-files'
import { printable } from '@svc/views/format'
import { clockOf, takeStartInstant } from './clock.ts'
import { processTerminal } from './terminal.ts'

/** Exit codes of every command. See docs/limits.md#exit-codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unknown: 3, unreachable: 4 } as const

/** Prints a mistake in the command line as one line. */
export function usageError(context: CliContext, message: string): number {
  failure(context, message)
  return EXIT.usage
}

/** Prints a failure as one line, followed by the given further lines. */
export function failure(
  { stderr }: CliContext,
  message: string,
  ...more: readonly string[]
): number {
  stderr(`svc-quota-monitor: ${[message, ...more].map(printable).join('\n')}\n`)
  return EXIT.failed
}

/** Makes the real outside world, as commands may use it. */
export function processContext(version: string) {
  const stdoutFailure = surviveClosedStreams()
  const { argv, startInstant } = takeStartInstant(process.argv.slice(2))
  return {
    argv,
    /** The instant to which a test has set the clock; null for the machine's time. */
    startInstant,
    clock: clockOf(startInstant),
    env: process.env as Readonly<Record<string, string | undefined>>,
    version,
    /** Version of Node, as in `24.21.0`. */
    nodeVersion: process.versions.node,
    /** Paths of Node and of this program's file, as a service manager starts them. */
    nodePath: process.execPath,
    programPath: programPathOf(new URL('./main.js', import.meta.url)),
    cwd: process.cwd(),
    homeDir: homeFolder(),
    hostTimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || null,
    random: Math.random,
    fetch: globalThis.fetch,
    /** Sends a request to the running service, without waiting until `fetch` is loaded. */
    serviceFetch: lightFetch,
    readTextFile: readSmallFile,
    stdout: (text: string): void => void process.stdout.write(text),
    stdin: (): Readable => process.stdin,
    stderr: (text: string): void => void process.stderr.write(text),
    /** Code of the first failed write to stdout; null if none failed or if the reader closed it. Waits for pending writes. */
    stdoutFailure,
    /** The terminal that is both stdin and stdout; null if either is not a terminal. */
    terminal: processTerminal(),
    stdoutIsTerminal: process.stdout.isTTY === true,
    /** Columns of the terminal at stdout; null if stdout is no terminal or the width is unknown. */
    stdoutColumns: process.stdout.columns || null,
    /** Calls the handler once when the reader of stdout has closed it. */
    onReaderGone: (handler: () => void): void => void process.stdout.once('close', handler),
    /** True if stderr is a terminal, where a person may read along. */
    stderrIsTerminal: process.stderr.isTTY === true,
    /** Removes a variable from the environment, so that no child process and no crash report can see it. */
    forgetEnv(name: string) {
      delete process.env[name]
    },
    onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', handler: () => void) {
      process.on(signal, handler)
    },
    /** Ends the process at once, unless one of its threads hangs in a system call, because Node waits for its threads. */
    exitNow: (code: number): void => process.exit(code),
    /** Ends the process by this signal, even while its threads are busy. */
    dieBy(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
      // Without a handler the system itself ends the process.
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    },
  }
}

/** The outside world as commands may use it. The real one is made only in this file. */
export type CliContext = Readonly<ReturnType<typeof processContext>>

/**
 * The part of `fetch` that the client of a running service needs. Node's own takes longer to load than the rest of a command with one request takes
 * to run. Redirects are not followed.
 */
export const lightFetch = (async (address: string, init: RequestInit = {}) => {
  const { request } = await (address.startsWith('https:')
    ? import('node:https')
    : import('node:http'))
  const { method = 'GET', body, signal } = init
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = (init.headers ?? {}) as Record<string, string>
    const sent = request(address, { method, headers, ...(signal ? { signal } : {}) }, resolve)
    sent.on('error', reject).end(body ?? undefined)
  })
  // Reading the body fails too; without a listener the error would end the process.
  message.on('error', () => undefined)
  const status = message.statusCode ?? 0
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => message.headers[name.toLowerCase()]?.toString() ?? null },
    get body() {
      // By default Node holds thousands of pieces, however small.
      return Readable.toWeb(message, { strategy: { highWaterMark: 1 } })
    },
  }
}) as unknown as typeof fetch

/** Home folder of the user; `/` for a user the system does not know, as in many containers. */
function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

/** Size limit, larger than any configuration. See docs/limits.md#files-with-secrets. */
const TEXT_BYTES_MAX = 1024 * 1024

/** Reads a regular file. Refuses pipes, which would block, and files that are too large or endless; the error code distinguishes the cases. */
function readSmallFile(path: string): string {
  // Does not exist on Windows, where it is not needed.
  const file = openSync(
    path,
    constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0),
  )
  try {
    const stats = fstatSync(file)
    const problem = !stats.isFile()
      ? 'not a regular file'
      : stats.size > TEXT_BYTES_MAX
        ? 'larger than 1 MiB'
        : null
    if (problem !== null) throw Object.assign(new Error(problem), { code: problem })
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Keeps the service running after the reader has closed the output. Returns a function for the outcome of writes to stdout. */
function surviveClosedStreams(): () => Promise<string | null> {
  let failure: string | null = null
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error.code ?? 'unknown error'
  })
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.stdout.writableLength > 0)
      await new Promise((resolve) => process.stdout.write('', resolve))
    return failure
  }
}

/** Handles our own bugs: logs the place without quoting any value, and ends, so that a supervisor can restart the service. */
export function endOnCrash(stderr: (text: string) => void, exitNow: (code: number) => void): void {
  const crash = (error: unknown) => {
    stderr(`svc-quota-monitor: internal error (${errorPlace(error)})\n`)
    exitNow(EXIT.failed)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}
