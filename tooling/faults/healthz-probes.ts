import { Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { rssMb } from '../bench/process-cost.ts'
import { readText } from '../read-text.ts'

/** What a probing thread gets. */
export interface ProbeOptions {
  readonly url: string
  readonly pid: number
  /** A server that has nothing to do, asked in turn with the service. */
  readonly neighbourUrl: string
}

/** What it answers once it has to stop. */
export interface Probes {
  readonly timesMs: readonly number[]
  readonly neighbourMs: readonly number[]
  readonly failed: readonly string[]
  readonly rssMbPeak: number
}

/** Between two probes. Closer ones would themselves keep a machine of two processors busy. */
const PAUSE_MS = 20
/** So many that a percentile says something, also of a fault that is over at once: what is missing then is made up for quickly. */
const PROBES_MIN = 100
const MISSING_PAUSE_MS = 5

/**
 * Asks `/healthz` again and again, on a thread of its own: the test's thread also runs the fake proxy, and what that is busy with is not the
 * service's doing.
 */
async function probe(
  { url, pid, neighbourUrl }: ProbeOptions,
  stopped: () => boolean,
): Promise<Probes> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const timesMs: number[] = []
  const neighbourMs: number[] = []
  const failed: string[] = []
  let rssMbPeak = 0
  while (!stopped() || timesMs.length + failed.length < PROBES_MIN) {
    try {
      timesMs.push(await readMs(`${url}/healthz`, agent))
    } catch (error) {
      failed.push(error instanceof Error ? error.message : 'unknown error')
    }
    neighbourMs.push(await readMs(neighbourUrl, agent))
    rssMbPeak = Math.max(rssMbPeak, rssMb(pid))
    const pauseMs = stopped() ? MISSING_PAUSE_MS : PAUSE_MS
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  agent.destroy()
  return { timesMs, neighbourMs, failed, rssMbPeak }
}

async function readMs(url: string, agent: Agent): Promise<number> {
  const startedMs = performance.now()
  await readText(url, agent)
  return performance.now() - startedMs
}

let stopped = false
parentPort?.once('message', () => {
  stopped = true
})
parentPort?.postMessage(await probe(workerData as ProbeOptions, () => stopped))
