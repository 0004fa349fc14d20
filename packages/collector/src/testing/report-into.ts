import type { CollectorReport } from '../polling/collector-report.ts'

/** Notes each count as the name of its counter and the values of its labels. */
export function reportInto(noted: string[]): CollectorReport {
  return {
    count: ({ counter, ...labels }) =>
      void noted.push([counter, ...Object.values(labels)].join(' ')),
    timeListRead: () => undefined,
    setUsageWait: () => undefined,
  }
}
