import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { unprivileged } from './postgres-programs.ts'

const START_ATTEMPTS = 100
const ATTEMPT_PAUSE_MS = 100
const POLL_MS = 25

/** A server that can be ended and started again. */
export interface ServerProcess {
  /** Resolves once it accepts connections. Does nothing if it runs. */
  start(): Promise<void>
  end(signal: NodeJS.Signals): Promise<void>
  /** Sends a signal to the server and to each process it has started, all but at once. */
  signalAll(signal: NodeJS.Signals): void
  isRunning(): boolean
}

const launched = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of launched) child.kill('SIGKILL')
})

/** One listening program, run without privileges. `isReady` asks it, `log` is the file it writes to. */
export function serverProcess({
  program,
  args,
  log,
  isReady,
}: {
  readonly program: string
  readonly args: readonly string[]
  readonly log: string
  readonly isReady: () => boolean
}): ServerProcess {
  let child: ChildProcess | null = null
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null
  const launch = () => {
    const { command, args: all, user } = unprivileged(program, args)
    const output = openSync(log, 'a')
    child = spawn(command, all, { ...user, env: SERVER_ENV, stdio: ['ignore', output, output] })
    closeSync(output)
    // Who forgets it ends all the same, and it with them.
    child.unref()
    launched.add(child)
  }
  return {
    isRunning,
    async start() {
      // What the last one left, as memory it shared and its port, may take a moment to go.
      for (let attempt = 0; attempt < START_ATTEMPTS && !isRunning(); attempt += 1) {
        if (attempt > 0) await pause(ATTEMPT_PAUSE_MS)
        launch()
        while (isRunning()) {
          if (isReady()) return
          await pause(POLL_MS)
        }
      }
      if (!isRunning())
        throw new Error(`${program} does not start: ${readFileSync(log, 'utf8').slice(-2000)}`)
    },
    async end(signal) {
      if (child === null || !isRunning()) return
      const ended = once(child, 'exit')
      child.ref()
      child.kill(signal)
      await ended
      launched.delete(child)
    },
    signalAll(signal) {
      if (child?.pid === undefined || !isRunning()) return
      const { stdout } = spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
      for (const pid of [child.pid, ...stdout.split('\n').filter(Boolean).map(Number)]) {
        try {
          process.kill(pid, signal)
        } catch {
          // It has ended meanwhile.
        }
      }
    },
  }
}

/** Port of this machine without a listener. */
export async function freeLocalPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

/** Keeps variables of the test runner, such as PGHOST, from a server and its programs. */
export const SERVER_ENV = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' } as const
