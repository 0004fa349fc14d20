import { join } from 'node:path'
import { epochMs } from '@svc/core'
import type { Recommendations } from '@svc/views'
import { pause } from '../eventually.ts'
import { freePort } from '../service/built-program.ts'
import { type NodeProcess, type NodeProcessOptions, startNode } from '../service/node-process.ts'
import { type ServiceProcess, startService } from '../service/start-service.ts'
import { monotonicNowMs, paceArguments } from '../test-instant.ts'
import { top } from '../top.ts'

/** Management key of every measured proxy. */
export const KEY = 'bench-management-key'
/** Address at which nothing answers. */
export const NO_PROXY = 'http://127.0.0.1:9'

interface MeasuredOptions extends Pick<NodeProcessOptions, 'processors'> {
  /** Arguments of Node that come before the program. */
  readonly nodeArgs?: readonly string[]
  readonly flags?: Readonly<Record<string, string>>
}

/** Starts the built program with these settings and no others, `demo` without a proxy. */
export async function startProgram(
  upstreamUrl: string | 'demo',
  { flags, ...options }: MeasuredOptions = {},
): Promise<ServiceProcess> {
  const isDemo = upstreamUrl === 'demo'
  return await startService({
    where: 'program',
    time: 'real',
    args: isDemo ? ['--demo'] : ['--config', 'off', '--upstream-url', upstreamUrl],
    flags: { port: String(await freePort()), 'log-level': 'error', ...flags },
    key: KEY,
    ...options,
  })
}

/** A service whose proxy is a process of its own. */
export interface MeasuredService extends ServiceProcess {
  readonly proxy: NodeProcess
}

/** Starts a proxy with so many accounts on the second processor. */
export function startProxy(
  accounts: number,
  paceFlags: readonly string[] = [],
): Promise<NodeProcess> {
  const flags = ['--port', '0', '--accounts', String(accounts), '--key', KEY]
  return startNode([join(top, 'tooling/dist/fake-upstream.js'), ...flags, ...paceFlags], {
    processors: '1',
  })
}

/**
 * Starts a proxy and the service in front of it, which has the first processor unless others are named. Both clocks run `factor` times faster for the
 * first `seconds`, so that a large pool is sampled within the bench; resolves when these are over.
 */
export async function startSampledService(
  accounts: number,
  { factor, seconds }: { readonly factor: number; readonly seconds: number },
  { flags, processors = '0' }: MeasuredOptions = {},
): Promise<MeasuredService> {
  const time = {
    factor,
    startsAt: epochMs(Date.now()),
    startedMs: monotonicNowMs(),
    fastMs: seconds * 1000,
  }
  const proxy = await startProxy(accounts, paceArguments(time))
  const service = await startService({
    where: 'child',
    time,
    key: KEY,
    processors,
    flags: {
      'upstream-url': proxy.url,
      'refresh-seconds': '15',
      'quota-probes-per-minute': '600',
      // A list of 10,000 accounts takes seconds of a clock that runs many times faster.
      'upstream-timeout-seconds': '120',
      'log-level': 'debug',
      'log-format': 'json',
      ...flags,
    },
  })
  await pause(seconds * 1000)
  return {
    ...service,
    proxy,
    async stop() {
      const code = await service.stop()
      process.kill(proxy.pid, 'SIGCONT')
      await proxy.stop()
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
