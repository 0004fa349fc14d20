import type { IncomingHttpHeaders } from 'node:http'
import { type SchedulerQuestion, UPSTREAM_NAME } from '@svc/core/service'

/** `User-Agent` of the plugin in integrations/cliproxyapi-scheduler. */
const AGENT = /^svc-quota-scheduler\/(?<version>[\w.+-]{1,32})$/
/** Header with the report of the plugin. */
const REPORT_HEADER = 'x-quota-scheduler'
const REPORT =
  /^asked=(?<asked>\d{1,9}); picked=(?<picked>\d{1,9}); follows=(?<follows>true|false)$/

/** The question of a scheduler for the ranking, without its outcome; null if the request comes from another program. */
export function schedulerQuestionOf(
  headers: IncomingHttpHeaders,
  url: string,
): Omit<SchedulerQuestion, 'refusal'> | null {
  const version = AGENT.exec(headers['user-agent'] ?? '')?.groups?.version
  if (version === undefined) return null
  const upstream = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('upstream') ?? ''
  const report = REPORT.exec(String(headers[REPORT_HEADER] ?? ''))?.groups
  return {
    version,
    upstream: UPSTREAM_NAME.test(upstream) ? upstream : null,
    report:
      report === undefined
        ? null
        : {
            askedCount: Number(report.asked),
            pickCount: Number(report.picked),
            follows: report.follows === 'true',
          },
  }
}
