import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'

export interface NodeProcess {
  /** Address that it reports to listen on, as in `http://127.0.0.1:4516`. */
  readonly url: string
  readonly child: ChildProcess
  readonly pid: number
  /** Milliseconds from its start to the line that names its address. */
  readonly startMs: number
  stdout(): string
  stderr(): string
  /** Sends the signal and resolves with the exit code; null if the signal ended the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Longest wait for the line that names the address; a hanging process is then ended. */
const START_MS_MAX = 60_000

/** Whether processes and load can be pinned to separate processors. */
export const pinned = spawnSync('taskset', ['--version']).status === 0

export interface NodeProcessOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** List of processors to run on; any processors if left out. */
  readonly processors?: string
}

/** Starts a Node program and waits for the line that names its address. Rejects with its output if it ends earlier. */
export async function startNode(
  args: readonly string[],
  options: NodeProcessOptions = {},
): Promise<NodeProcess> {
  const startedMs = performance.now()
  const child = spawnNode(args, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = outputOf(child)
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => resolve(code)),
  )
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`${what}: ${output.stdout}${output.stderr}`))
    const timer = setTimeout(() => fail('the program did not listen in time'), START_MS_MAX)
    child.stdout?.on('data', () => {
      const address = /http:\/\/[^\s/]+/.exec(output.stdout)?.[0]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
    child.once('error', reject)
    void exited.then((code) => {
      clearTimeout(timer)
      fail(`the program ended with ${code}`)
    })
  })
  return {
    url,
    child,
    pid: child.pid ?? 0,
    startMs: performance.now() - startedMs,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

/** Runs a Node program to its end. */
export async function runNode(args: readonly string[], options: NodeProcessOptions = {}) {
  const child = spawnNode(args, options, {})
  const output = outputOf(child)
  const code = await new Promise<number | null>((resolve) =>
    child.once('close', (exitCode) => resolve(exitCode)),
  )
  return { code, ...output }
}

/** Starts a Node program with only the path to programs and `env` in its environment. */
export function spawnNode(
  args: readonly string[],
  { env = {}, processors }: NodeProcessOptions,
  spawning: SpawnOptions,
): ChildProcess {
  const pin = pinned && processors !== undefined ? ['taskset', '-c', processors] : []
  const [command = process.execPath, ...rest] = [...pin, process.execPath, ...args]
  return spawn(command, rest, {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    ...spawning,
  })
}

function outputOf(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return output
}
