import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

export interface Child {
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start to the line that names its address. */
  readonly startMs: number
  readonly stderr: () => string
  stop(): Promise<void>
}

const START_MS_MAX = 30_000
const hasTaskset = spawnSync('taskset', ['--version']).status === 0

/** Whether children and load can be kept on processors of their own. */
export const pinned = hasTaskset

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs, as a list of processors; the first one when left out. */
  readonly processors?: string
}

/** Starts a Node program on processors of its own and waits for the line that names its address. */
export async function startChild(
  args: readonly string[],
  { env = {}, processors = '0' }: ChildOptions = {},
): Promise<Child> {
  const command = [...(hasTaskset ? ['taskset', '-c', processors] : []), process.execPath, ...args]
  const started = performance.now()
  const child: ChildProcess = spawn(command[0] ?? '', command.slice(1), {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`it did not listen in time: ${errors}`)),
      START_MS_MAX,
    )
    child.once('exit', () => reject(new Error(`it ended: ${errors}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const address = /http:\/\/[^\s/]+/.exec(output)?.[0]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    startMs: performance.now() - started,
    stderr: () => errors,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
