import { Agent } from 'node:http'
import { expect, type TestContext } from 'vitest'
import { rssMb } from '../bench/process-cost.ts'
import { percentile } from '../bench/statistics.ts'
import { readText } from '../read-text.ts'

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
const PROBE_PAUSE_MS = 10
const READS = ['/healthz', '/api/v1/status', '/api/v1/recommendations', '/api/v1/health', '/metrics', '/api/v1/openapi.json'] as const

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
  let observed: string
  try {
    observed = await fault()
  } finally {
    await probes.stop()
  }
  await expectNoSecret(service)
  const { p99Ms, rssMbPeak, failed } = probes.seen()
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
  for (const path of READS) texts.set(path, await (await fetch(service.url + path)).text())
  const leaks = [...texts].flatMap(([name, text]) =>
    service.secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form))).map(() => name),
  )
  expect(leaks, 'outputs that hold a secret').toEqual([])
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [secret, encodeURIComponent(secret), bytes.toString('base64').replace(/.{0,4}$/, ''), bytes.toString('hex')]
}

function startProbes({ url, pid }: WatchedService) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const failed: string[] = []
  let rssMbPeak = 0
  let stopped = false
  const done = (async () => {
    while (!stopped) {
      try {
        const startedMs = performance.now()
        await readText(`${url}/healthz`, agent)
        times.push(performance.now() - startedMs)
      } catch (error) {
        failed.push(error instanceof Error ? error.message : 'unknown error')
      }
      rssMbPeak = Math.max(rssMbPeak, rssMb(pid))
      await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS))
    }
    agent.destroy()
  })()
  return {
    async stop() {
      stopped = true
      await done
    },
    seen: () => ({ p99Ms: percentile(times, 0.99), rssMbPeak, failed }),
  }
}
