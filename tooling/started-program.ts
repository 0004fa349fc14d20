import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type EpochMs, instantToIso } from '@svc/core'
import { testInstant } from './test-instant.ts'
import { top } from './top.ts'

/** The program as a user starts it, after a build. */
export const program = join(top, 'apps/cli/dist/main.js')

export interface StartedProgram {
  /** Address it says it listens on, as in `http://127.0.0.1:4516`. */
  readonly url: string
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Sends the signal and resolves with the exit code (null when the signal ended it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Longest wait for the line that names the address; it ends what hangs. */
const START_MS_MAX = 60_000

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  /** What its clock shows at the start; the machine's time when null. The instant of all tests when left out. */
  readonly startsAt?: EpochMs | null
}

/** Starts the built program with these arguments and waits until it listens. Rejects with its output when it ends before. */
export async function startProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<StartedProgram> {
  const { child, output } = spawnProgram(args, options)
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => resolve(code)),
  )

  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(new Error(`the program did not listen in time: ${output.stdout}${output.stderr}`)),
      START_MS_MAX,
    )
    child.stdout?.on('data', () => {
      const match = /http:\/\/[^\s/]+/.exec(output.stdout)
      if (match === null) return
      clearTimeout(timer)
      resolve(match[0])
    })
    void exited.then((code) => {
      clearTimeout(timer)
      reject(new Error(`the program ended with ${code}: ${output.stdout}${output.stderr}`))
    })
  })

  return {
    url,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}) {
  const { child, output } = spawnProgram(args, options)
  const code = await new Promise<number | null>((resolve) =>
    child.once('close', (exitCode) => resolve(exitCode)),
  )
  return { code, ...output }
}

function spawnProgram(
  args: readonly string[],
  { env = {}, startsAt = testInstant }: ProgramOptions,
) {
  const clock = startsAt === null ? [] : [`--start-instant=${instantToIso(startsAt)}`]
  const child = spawn(process.execPath, [program, ...args, ...clock], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return { child, output }
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
