import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, type TestContext } from 'vitest'
import { percentile } from '../bench/statistics.ts'
import { readPaths } from '../read-paths.ts'
import { top } from '../top.ts'
import type { ProbeOptions, Probes } from './healthz-probes.ts'

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

/** Source: reliability "Base line" of the fault matrix. */
const HEALTHZ_P99_MS_MAX = 50
const RSS_MB_MAX = 256

declare module 'vitest' {
  interface TaskMeta {
    /** What was seen under the fault, for the table of all faults. */
    observed?: string
  }
}

/**
 * Runs a fault and everything that must be observed under it, and holds the service to the base line meanwhile: it answers `/healthz`, quickly,
 * stays small, and no output holds a secret. `fault` resolves with one line saying what was observed; it ends the fault and awaits recovery itself.
 */
export async function underFault(
  { task }: Pick<TestContext, 'task'>,
  service: WatchedService,
  fault: () => Promise<string>,
  { rssMbMax = RSS_MB_MAX }: { readonly rssMbMax?: number } = {},
): Promise<void> {
  const probes = startProbes(service)
  const observed = await fault().catch(async (error: unknown) => {
    await probes.stop()
    throw error
  })
  const { timesMs, rssMbPeak, failed } = await probes.stop()
  const p99Ms = percentile(timesMs, 0.99)
  await expectNoSecret(service)
  task.meta.observed = `${observed}; healthz p99 ${p99Ms.toFixed(1)} ms, peak ${Math.round(rssMbPeak)} MB`
  expect({ failedProbes: failed, quick: p99Ms < HEALTHZ_P99_MS_MAX, small: rssMbPeak < rssMbMax }, task.meta.observed).toEqual({
    failedProbes: [],
    quick: true,
    small: true,
  })
}

/** Every read once, whatever it answers, and the output: none holds a secret, plain, percent-encoded, base64 or hex. */
async function expectNoSecret(service: WatchedService): Promise<void> {
  const texts = new Map<string, string>([['output', service.output()]])
  for (const path of readPaths) texts.set(path, await (await fetch(service.url + path)).text())
  const leaks = [...texts].flatMap(([name, text]) =>
    service.secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form))).map(() => name),
  )
  expect(leaks, 'outputs that hold a secret').toEqual([])
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [secret, encodeURIComponent(secret), bytes.toString('base64').replace(/.{0,4}$/, ''), bytes.toString('hex')]
}

function startProbes({ url, pid }: WatchedService): { stop(): Promise<Probes> } {
  const probing = new Worker(join(top, 'tooling/dist/faults/healthz-probes.js'), { workerData: { url, pid } satisfies ProbeOptions })
  const result = once(probing, 'message')
  return {
    async stop() {
      probing.postMessage('stop')
      const [probes] = await result
      return probes as Probes
    },
  }
}
