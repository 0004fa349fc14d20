import { Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { rssMb } from '../bench/process-cost.ts'
import { readText } from '../read-text.ts'

/** Options of a probing thread. */
export interface ProbeOptions {
  readonly url: string
  readonly pid: number
  /** Address of an idle server that is probed in turn with the service. */
  readonly neighbourUrl: string
}

/** Answer of the thread once it has to stop. */
export interface Probes {
  readonly timesMs: readonly number[]
  readonly neighbourMs: readonly number[]
  readonly failed: readonly string[]
  readonly rssMbPeak: number
}

/** Pause between two probes; a shorter one would itself keep a machine of two processors busy. */
const PAUSE_MS = 50
/** Number of probes that a meaningful percentile takes, even for a fault that ends at once; missing ones are made up for quickly. */
const PROBES_MIN = 100
const MISSING_PAUSE_MS = 5

/** Probes `/healthz` continuously on its own thread, because the test's thread also runs the fake proxy, whose load is not the service's doing. */
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
