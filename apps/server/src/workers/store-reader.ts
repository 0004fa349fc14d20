import { workerData } from 'node:worker_threads'
import type { EpochMs } from '@svc/core'
import { openUsage } from '@svc/history'
import { encodeChart, type SeriesRequest } from '../monitor/encode-chart.ts'
import { serveCalls } from './serve-calls.ts'

const { path, retentionDays } = workerData as { readonly path: string; readonly retentionDays: number }

let opened: ReturnType<typeof openUsage> | null = null
let labels: ReadonlyMap<string, string> = new Map()

/** The store may not exist yet, or be replaced, so it is opened when it is first asked and after every failure. */
function usage(): ReturnType<typeof openUsage> {
  if (opened === null) {
    opened = openUsage({ path, retentionDays })
    opened.useLabels(labels)
  }
  return opened
}

function asked<Answer>(ask: () => Answer): Answer {
  try {
    return ask()
  } catch (error) {
    opened?.close()
    opened = null
    throw error
  }
}

serveCalls({
  // Worded, encoded and compressed here, so that the main thread has nothing to do but to hand it out.
  chart: (request: SeriesRequest, now: EpochMs) =>
    encodeChart(
      asked(() => usage().series(request.query, now)),
      request,
      now,
    ),
  summary: (now: EpochMs) => asked(() => usage().summary(now)),
  useLabels(next: ReadonlyMap<string, string>) {
    labels = next
    opened?.useLabels(next)
  },
  close() {
    opened?.close()
    opened = null
  },
})
