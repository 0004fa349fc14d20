import type { FakeUpstream } from '@svc/fake-proxy'
import { pause } from '../eventually.ts'
import { serveFake } from '../serve-fake.ts'
import { type MonitorProcess, startMonitor } from './monitor-process.ts'

/** A monitor from one start to its end: what it took, and how much of that it has said to have stored. */
export interface MonitorRun {
  /** Records of each answer of the queue, as the proxy sent them. */
  readonly answers: readonly (readonly string[])[]
  readonly toldCount: () => number
}

/** A monitor that is started again and again, with a way to the proxy of its own. */
export interface WitnessedMonitor {
  readonly runs: readonly MonitorRun[]
  isRunning(): boolean
  /** Does nothing where it runs. */
  start(): Promise<void>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Stops it for so long, as a machine that sleeps. Its lease may be another's when it wakes up. */
  freeze(milliseconds: number): Promise<void>
  /** All that it took is told to be stored. */
  isThrough(): boolean
  /** Ends it, and its way to the proxy. */
  close(): Promise<void>
}

/** Serves a proxy to a monitor, and keeps what it takes. */
export async function witnessedMonitor(
  fake: FakeUpstream,
  stateDb: string,
): Promise<WitnessedMonitor> {
  const runs: { answers: string[][]; toldCount: () => number }[] = []
  let running: MonitorProcess | null = null
  const served = await serveFake(fake, 0, async (request, answer) => {
    // Of the run that has asked, even where it is killed before the answer is there.
    const run = runs.at(-1)
    const response = await answer()
    if (new URL(request.url).pathname.endsWith('/usage-queue') && response.ok)
      run?.answers.push(recordsOf(await response.clone().text()))
    return response
  })
  const end: WitnessedMonitor['end'] = async (signal) => {
    await running?.end(signal)
    running = null
  }
  return {
    runs,
    async start() {
      if (running !== null) return
      const monitor = await startMonitor({ upstreamUrl: served.url, stateDb })
      running = monitor
      runs.push({ answers: [], toldCount: monitor.toldCount })
    },
    end,
    isRunning: () => running !== null,
    async freeze(milliseconds) {
      running?.freeze()
      await pause(milliseconds)
      running?.thaw()
    },
    isThrough() {
      const run = runs.at(-1)
      return run !== undefined && run.answers.length === run.toldCount()
    },
    async close() {
      await end('SIGKILL')
      await served.close()
    },
  }
}

function recordsOf(answer: string): string[] {
  return (JSON.parse(answer) as unknown[]).map((record) => JSON.stringify(record))
}
