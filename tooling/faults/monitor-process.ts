import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, program } from '../service/built-program.ts'
import { KEY, startInstant } from './crash-world.ts'

/** The built program as it runs, until it is ended. */
export interface MonitorProcess {
  /** It answers, or has ended on its own. */
  isUp(): boolean
  /** How many answers of the proxy it has said to have stored. */
  toldCount(): number
  /** Until it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** It does nothing from now on, as on a machine that sleeps. */
  freeze(): void
  thaw(): void
}

/** Starts the program in front of a proxy. */
export async function startMonitor({
  upstreamUrl,
  stateDb,
}: {
  readonly upstreamUrl: string
  readonly stateDb: string
}): Promise<MonitorProcess> {
  const flags = [
    '--config',
    'off',
    '--upstream-url',
    upstreamUrl,
    '--state-db',
    stateDb,
    '--port',
    String(await freePort()),
    '--log-level',
    'debug',
  ]
  const child = spawn(process.execPath, [program, ...flags, startInstant()], {
    env: { PATH: process.env.PATH ?? '', SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    isUp: () => text.includes(' listening ') || hasEnded(),
    toldCount: () => text.split(' usage stored ').length - 1,
    async end(signal) {
      if (hasEnded()) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}
