import { once } from 'node:events'
import { plusMs } from '@svc/core'
import { createFakeUpstream, type FakeUpstream, samplePool } from '@svc/fake-proxy'
import { serveFake } from '../serve-fake.ts'
import { freePort } from '../service/built-program.ts'
import { spawnService } from '../service/start-service.ts'
import { acceleratedClock } from '../test-instant.ts'

const KEY = 'crash-loop-management-key'

export type RecordKind = 'queue' | 'legacy'

/** Clock of the fake proxies and every service, across all restarts. */
export const clock = acceleratedClock()

/** A proxy with its ledger. */
export function ledgeredProxy(kind: RecordKind): FakeUpstream {
  const accounts = samplePool(clock.now())
  const fake = createFakeUpstream({ now: clock.now, managementKey: KEY, accounts })
  fake.settings.usage = kind
  fake.settings.queueRetentionSeconds = 3_600
  return fake
}

export function recordSome(fake: FakeUpstream, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const account = fake.accounts[index % fake.accounts.length]
    if (account === undefined) continue
    fake.usage.record({
      at: plusMs(clock.now(), -(index % 4_000_000)),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `sk-client-${index % 5}`,
      model: `model-${index % 3}`,
      tokens: index % 2_000,
    })
  }
}

/** One run of a monitor: the answers it took, and the number of them it has reported as stored. */
export interface MonitorRun {
  /** Records of each answer of the proxy: those it handed out, or all in its tree. */
  readonly answers: readonly (readonly string[])[]
  readonly toldCount: () => number
}

/** The built program, which is restarted repeatedly, with a server of its own for the proxy, which records the answers that the monitor takes. */
export async function witnessedMonitor(fake: FakeUpstream, stateDb: string) {
  const runs: { answers: string[][]; toldCount: () => number }[] = []
  let running: Awaited<ReturnType<typeof startMonitor>> | null = null
  const served = await serveFake(fake, 0, async (request, answer) => {
    // Of the run that has asked, even where it is killed before the answer is there.
    const run = runs.at(-1)
    const response = await answer()
    const { pathname } = new URL(request.url)
    if (response.ok && pathname.endsWith('/usage-queue'))
      run?.answers.push(recordsOf(await response.clone().text()))
    if (response.ok && pathname.endsWith('/usage'))
      run?.answers.push(fake.usage.ledger.map(({ json }) => json))
    return response
  })
  const toldCount = () => runs.at(-1)?.toldCount() ?? 0
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    await running?.end(signal)
    running = null
  }
  return {
    runs: runs as readonly MonitorRun[],
    isRunning: () => running !== null,
    /** Whether it answers or has ended on its own. */
    isUp: () => running?.isUp() ?? true,
    /** Whether it has reported everything it took as stored. */
    isThrough: () => runs.at(-1)?.answers.length === toldCount(),
    /** Number of proxy answers that it has reported as stored since its start. */
    toldCount,
    /** Starts it; does nothing if it runs. */
    async start() {
      if (running !== null) return
      running = await startMonitor(served.url, stateDb)
      runs.push({ answers: [], toldCount: running.toldCount })
    },
    end,
    /** Suspends it like a sleeping machine. Another monitor may hold its lease when it wakes up. */
    freeze: () => running?.signal('SIGSTOP'),
    thaw: () => running?.signal('SIGCONT'),
    /** Ends it and its server for the proxy. */
    async close() {
      await end('SIGKILL')
      await served.close()
    },
  }
}

export type WitnessedMonitor = Awaited<ReturnType<typeof witnessedMonitor>>

async function startMonitor(upstreamUrl: string, stateDb: string) {
  const child = spawnService(
    {
      where: 'program',
      time: { startsAt: clock.now() },
      args: ['--config', 'off'],
      flags: {
        'upstream-url': upstreamUrl,
        'state-db': stateDb,
        port: String(await freePort()),
        'log-level': 'debug',
      },
      key: KEY,
    },
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    isUp: () => text.includes(' listening ') || hasEnded(),
    toldCount: () => text.split(' usage stored ').length - 1,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async end(signal: NodeJS.Signals) {
      if (hasEnded()) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    },
  }
}

function recordsOf(answer: string): string[] {
  return (JSON.parse(answer) as unknown[]).map((record) => JSON.stringify(record))
}
