import { join } from 'node:path'
import { epochMs } from '@svc/core'
import type { Recommendations } from '@svc/views'
import { paceArguments } from '../accelerated-clock.ts'
import { freePort, program } from '../started-program.ts'
import { monotonicNowMs } from '../test-instant.ts'
import { top } from '../top.ts'
import { type Child, startChild } from './child.ts'
import { jsonLinesOf, loopDelayOf, loopWatch } from './loop-watch.ts'

export interface MeasuredService extends Child {
  /** How late the event loop has been since the last call; only of a service whose loop is watched. */
  loopDelay(): Promise<{ readonly p99Ms: number; readonly maxMs: number }>
  /** Evaluations since the start, from the log. */
  evaluations(): readonly { readonly evaluateMs: number; readonly encodeMs: number }[]
  /** The proxy falls silent, so that it takes no processor time from the measurement. */
  silenceProxy(): void
  stop(): Promise<void>
}

const KEY = 'bench-management-key'
const dist = (name: string) => join(top, 'tooling/dist', name)
// A list of 10,000 accounts takes seconds of a clock that runs many times faster.
const SETTINGS = [
  '--quota-probes-per-minute',
  '600',
  '--upstream-timeout-seconds',
  '120',
  '--log-level',
  'debug',
  '--log-format',
  'json',
]

/**
 * A fake proxy of its own on the second processor and the service in front of it on the first. `sampling` runs the clock of both faster at first, so
 * that a large pool is sampled in the time a bench has; without it, it is the real program.
 */
export async function startMeasuredService(
  accounts: number,
  sampling: { readonly factor: number; readonly seconds: number } | null = null,
  {
    refreshSeconds = 15,
    watchLoop = false,
  }: { readonly refreshSeconds?: number; readonly watchLoop?: boolean } = {},
): Promise<MeasuredService> {
  const clock =
    sampling === null
      ? []
      : [
          ...paceArguments({
            factor: sampling.factor,
            startsAt: epochMs(Date.now()),
            startedMs: monotonicNowMs(),
          }),
          '--fast-ms',
          String(sampling.seconds * 1000),
        ]
  const fakeFlags = ['--port', '0', '--accounts', String(accounts), '--key', KEY, ...clock]
  const fake = await startChild([dist('fake-upstream.js'), ...fakeFlags], { processors: '1' })
  const flags = [
    '--upstream-url',
    fake.url,
    '--port',
    String(await freePort()),
    '--refresh-seconds',
    String(refreshSeconds),
    ...SETTINGS,
  ]
  const entry =
    sampling === null
      ? [program, '--config', 'off', ...flags]
      : [dist('fast-service.js'), ...clock, '--', ...flags]
  const env = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY }
  // What a loop is held up by must not be the service's own compressing threads, which a machine with one processor alone would make it wait for.
  const child = watchLoop
    ? await startChild([...loopWatch, ...entry], { env, processors: '0,1' })
    : await startChild(entry, { env })
  return {
    ...child,
    loopDelay: () => loopDelayOf(child),
    evaluations: () =>
      jsonLinesOf(child).flatMap((line) =>
        line.event === 'evaluated' && Number(line.accounts) > 0
          ? [{ evaluateMs: Number(line.evaluateMs), encodeMs: Number(line.encodeMs) }]
          : [],
      ),
    silenceProxy: () => void process.kill(fake.pid, 'SIGSTOP'),
    async stop() {
      await child.stop()
      process.kill(fake.pid, 'SIGCONT')
      await fake.stop()
    },
  }
}

/** Waits until the account list is read and every routable account has a reading, or until `longestMs` have passed. */
export async function untilSampled(service: Child, longestMs: number): Promise<void> {
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

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
