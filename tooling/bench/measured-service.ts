import { join } from 'node:path'
import { epochMs } from '@svc/core'
import type { Recommendations } from '@svc/views'
import { pause } from '../eventually.ts'
import { freePort } from '../service/built-program.ts'
import { type NodeProcess, startNode } from '../service/node-process.ts'
import { type ServiceProcess, startService } from '../service/start-service.ts'
import { monotonicNowMs, paceArguments } from '../test-instant.ts'
import { top } from '../top.ts'
import { jsonLinesOf, loopDelayOf, loopWatch } from './process-cost.ts'

export interface MeasuredService extends ServiceProcess {
  /** Delay of the event loop since the last call; only for a service whose loop is watched. */
  loopDelay(): Promise<{ readonly p99Ms: number; readonly maxMs: number }>
  /** Evaluations since the start, from the log. */
  evaluations(): readonly { readonly evaluateMs: number; readonly encodeMs: number }[]
  /** Silences the proxy, so that it takes no processor time from the measurement. */
  silenceProxy(): void
}

const KEY = 'bench-management-key'
// A list of 10,000 accounts takes seconds of a clock that runs many times faster.
const SETTINGS = {
  'quota-probes-per-minute': '600',
  'upstream-timeout-seconds': '120',
  'log-level': 'debug',
  'log-format': 'json',
}

/**
 * Starts a fake proxy on the second processor and the service in front of it on the first. `sampling` runs both clocks faster at first, so that a
 * large pool is sampled within the bench; without it, the real program runs.
 */
export async function startMeasuredService(
  accounts: number,
  sampling: { readonly factor: number; readonly seconds: number } | null = null,
  {
    refreshSeconds = 15,
    watchLoop = false,
  }: { readonly refreshSeconds?: number; readonly watchLoop?: boolean } = {},
): Promise<MeasuredService> {
  const time =
    sampling === null
      ? null
      : {
          factor: sampling.factor,
          startsAt: epochMs(Date.now()),
          startedMs: monotonicNowMs(),
          fastMs: sampling.seconds * 1000,
        }
  const fakeFlags = ['--port', '0', '--accounts', String(accounts), '--key', KEY]
  const fake = await startNode(
    [
      join(top, 'tooling/dist/fake-upstream.js'),
      ...fakeFlags,
      ...(time === null ? [] : paceArguments(time)),
    ],
    { processors: '1' },
  )
  const options = {
    key: KEY,
    flags: {
      'upstream-url': fake.url,
      port: String(await freePort()),
      'refresh-seconds': String(refreshSeconds),
      ...SETTINGS,
    },
    // What a loop is held up by must not be the service's own compressing threads, which a machine with one processor alone would make it wait for.
    processors: watchLoop ? '0,1' : '0',
    nodeArgs: watchLoop ? loopWatch : [],
  }
  const service =
    time === null
      ? await startService({
          where: 'program',
          time: 'real',
          args: ['--config', 'off'],
          ...options,
        })
      : await startService({ where: 'child', time, ...options })
  return {
    ...service,
    loopDelay: () => loopDelayOf(service),
    evaluations: () =>
      jsonLinesOf(service).flatMap((line) =>
        line.event === 'evaluated' && Number(line.accounts) > 0
          ? [{ evaluateMs: Number(line.evaluateMs), encodeMs: Number(line.encodeMs) }]
          : [],
      ),
    silenceProxy: () => void process.kill(fake.pid, 'SIGSTOP'),
    async stop() {
      const code = await service.stop()
      process.kill(fake.pid, 'SIGCONT')
      await fake.stop()
      return code
    },
  }
}

/** Waits until the account list is read and every routable account has a reading, or until `longestMs` have passed. */
export async function untilSampled(service: NodeProcess, longestMs: number): Promise<void> {
  const endsAt = performance.now() + longestMs
  while (performance.now() < endsAt) {
    const { items } = (await (
      await fetch(`${service.url}/api/v1/recommendations`)
    ).json()) as Recommendations
    if (
      items.length > 0 &&
      items.every(
        (item) => !item.routingEligible || item.quotaWindows.some(({ state }) => state === 'known'),
      )
    )
      return
    await pause(500)
  }
}
