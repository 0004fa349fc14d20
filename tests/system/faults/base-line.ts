import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, type TestContext } from 'vitest'
import { percentile } from '../../../tooling/bench/goals.ts'
import type { ProbeOptions, Probes } from '../../../tooling/faults/healthz-probes.ts'
import { neighbourUrl } from '../../../tooling/faults/neighbour.ts'
import { readPaths } from '../../../tooling/read-text.ts'
import { ownConnection } from '../../../tooling/service/built-program.ts'
import { top } from '../../../tooling/top.ts'

/** A running service, watched from outside. */
export interface WatchedService {
  readonly url: string
  /** The process, this one when the service runs in it. */
  readonly pid: number
  /** Everything it has written to its output so far. */
  readonly output: () => string
  /** Values that no output may contain. */
  readonly secrets: readonly string[]
}

const RSS_MB_MAX = 256
/**
 * How many times as long as a server with nothing to do `/healthz` may take at its 95th percentile. Answers of that server take a
 * fraction of a millisecond; one that waited for the proxy or the disk would take thousands of times as long.
 */
const TIMES_NEIGHBOUR_MAX = 100

declare module 'vitest' {
  interface TaskMeta {
    /** What was seen under the fault, for the table of all faults. */
    observed?: string
  }
}

/**
 * Runs a fault and everything that must be observed under it, and holds the service to the base line meanwhile: it answers `/healthz` without
 * waiting, stays small, and no output holds a secret. `fault` resolves with one line saying what was observed; it ends the fault and awaits recovery itself.
 */
export async function underFault(
  { task }: Pick<TestContext, 'task'>,
  service: WatchedService,
  fault: () => Promise<string>,
  { rssMbMax = RSS_MB_MAX }: { readonly rssMbMax?: number } = {},
): Promise<void> {
  const probes = await startProbes(service)
  const observed = await fault().catch(async (error: unknown) => {
    await probes.stop()
    throw error
  })
  const { timesMs, neighbourMs, rssMbPeak, failed } = await probes.stop()
  const timesNeighbour = percentile(timesMs, 0.95) / percentile(neighbourMs, 0.95)
  await expectNoSecret(service)
  task.meta.observed = `${observed}; healthz ${timesNeighbour.toFixed(1)} × an idle server, peak ${Math.round(rssMbPeak)} MB`
  // A service in this process shares its thread with the fake proxy and the test.
  const quick = service.pid === process.pid || timesNeighbour < TIMES_NEIGHBOUR_MAX
  expect({ failedProbes: failed, quick, small: rssMbPeak < rssMbMax }, task.meta.observed).toEqual({
    failedProbes: [],
    quick: true,
    small: true,
  })
}

/** Every read once, whatever it answers, and the output: none holds a secret, plain, percent-encoded, base64 or hex. */
async function expectNoSecret(service: WatchedService): Promise<void> {
  const texts = new Map<string, string>([['output', service.output()]])
  for (const path of readPaths)
    texts.set(path, await (await fetch(service.url + path, ownConnection)).text())
  const leaks = [...texts].flatMap(([name, text]) =>
    service.secrets
      .filter((secret) => formsOf(secret).some((form) => text.includes(form)))
      .map(() => name),
  )
  expect(leaks, 'outputs that hold a secret').toEqual([])
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/.{0,4}$/, ''),
    bytes.toString('hex'),
  ]
}

async function startProbes({ url, pid }: WatchedService): Promise<{ stop(): Promise<Probes> }> {
  const options: ProbeOptions = { url, pid, neighbourUrl: await neighbourUrl() }
  const probing = new Worker(join(top, 'tooling/dist/faults/healthz-probes.js'), {
    workerData: options,
  })
  const result = once(probing, 'message')
  return {
    async stop() {
      probing.postMessage('stop')
      const [probes] = await result
      return probes as Probes
    },
  }
}
