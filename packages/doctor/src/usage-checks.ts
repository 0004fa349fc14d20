import type { Inspected } from '@svc/collector'
import { type Config, isDatabaseAddress } from '@svc/config'
import { QUEUE_PERIOD_SECONDS, QUEUE_RETENTION_SECONDS_MIN } from '@svc/core/health'
import type { ProxyGeneration } from '@svc/core/service'
import { actionConditions, sourceRemedy } from '@svc/views/messages'
import { type CheckVerdict, fail, ok, skip, skippedBecause, warn } from './finding.ts'
import { QUEUE_SECONDS_ADVISED } from './limits.ts'

const isUsageOff = ({ usage, history }: Config): boolean =>
  usage.usageSource === 'off' || history.stateDb === null
const USAGE_OFF = skip('no usage is kept: state_db is not set or usage_source is off')
const NOT_TOLD = skip('this version does not tell', 'not_told')

/** Whether the proxy hands out usage in the configured way. */
export function usageVerdict(
  config: Config,
  route: Inspected<'queue' | 'legacy'>,
  version: string | null,
  resp: Inspected<true> | null = null,
): CheckVerdict {
  if (route.kind === 'failed')
    return fail(
      route.failure.code,
      route.failure.message,
      sourceRemedy('usage', route.failure.code),
    )
  const way =
    route.value === 'queue'
      ? 'a queue that is read and emptied'
      : 'a tree that is read again and again'
  if (route.value === 'legacy' && isWithoutUsage(version)) {
    return warn(
      'not_offered',
      `version ${version} hands out no usage over HTTP`,
      'Update the proxy to 6.10.8 or later.',
    )
  }
  const { usageSource: source } = config.usage
  const wanted = source === 'subscribe' ? 'queue' : source
  if (isUsageOff(config))
    return ok(
      `${way}; it is not read, because state_db is not set or usage_source is off`,
      'not_read',
    )
  if (source !== 'auto' && wanted !== route.value) {
    return fail(
      'wrong_source',
      `usage_source is ${source}, but the proxy has ${way}`,
      'Set usage_source to auto.',
    )
  }
  return route.value === 'legacy' || resp === null ? ok(way) : respVerdict(source, resp)
}

const RESP_WAYS = {
  auto: 'the queue is read over RESP, or subscribed to once it stays empty beside another subscriber',
  queue: 'the queue is read over RESP',
  subscribe: 'usage is subscribed to over RESP, and what waits in the queue is read first',
} as const

function respVerdict(source: Config['usage']['usageSource'], resp: Inspected<true>): CheckVerdict {
  if (resp.kind === 'ok')
    return ok(
      `usage_source is ${source}: ${RESP_WAYS[source === 'subscribe' || source === 'queue' ? source : 'auto']}`,
    )
  const detail = `usage_source is ${source}, but RESP is not to be had (${resp.failure.message}): the queue is read over HTTP`
  return source === 'subscribe'
    ? warn('way_lost', detail, actionConditions.usage_way_lost.remedy)
    : ok(detail)
}

/** Versions 6.10.0 to 6.10.7 had neither the old usage tree nor the new queue. See docs/upstream.md#usage-by-version. */
function isWithoutUsage(version: string | null): boolean {
  return /^v?6\.10\.[0-7]$/.test(version ?? '')
}

export function statisticsVerdict(
  config: Config,
  statistics: Inspected<{ readonly enabled: boolean }>,
  generation: ProxyGeneration | null,
): CheckVerdict {
  if (statistics.kind === 'failed') return verdictOfFailure(statistics)
  if (statistics.value.enabled) return ok('on')
  return isUsageOff(config)
    ? ok('off; nothing asks for them', 'not_read')
    : warn(
        'off',
        'off: the proxy keeps no usage records',
        remedyFor('usage_statistics_off', generation),
      )
}

/** Whether unread records are kept long enough. */
export function retentionVerdict(
  config: Config,
  route: Inspected<'queue' | 'legacy'>,
  retention: Inspected<number>,
  generation: ProxyGeneration | null,
): CheckVerdict {
  if (isUsageOff(config)) return USAGE_OFF
  if (route.kind === 'failed') return skippedBecause('upstream.usage')
  if (route.value !== 'queue') return skip('the proxy has no queue')
  if (retention.kind === 'failed') return verdictOfFailure(retention)
  const remedy = remedyFor('usage_retention_short', generation)
  const kept = `unread records are kept ${retention.value} s`
  if (retention.value < QUEUE_RETENTION_SECONDS_MIN)
    return warn('short', `${kept}, less than four polls of ${QUEUE_PERIOD_SECONDS} s`, remedy)
  if (retention.value >= QUEUE_SECONDS_ADVISED) return ok(`${retention.value} s`)
  return isDatabaseAddress(config.history.stateDb ?? '')
    ? warn(
        'short_for_database',
        `${kept}; while the database restarts or another monitor takes over, nothing is read, which can take ${QUEUE_SECONDS_ADVISED} s`,
        remedy,
      )
    : warn(
        'short',
        `${kept}; what comes in while the service is stopped for longer, as for an update, is lost`,
        remedy,
      )
}

/** The remedy with the names of the configuration of this generation. */
function remedyFor(
  code: 'usage_statistics_off' | 'usage_retention_short',
  generation: ProxyGeneration | null,
): string {
  const { remedy, variants } = actionConditions[code]
  return variants?.[generation ?? '']?.remedy ?? remedy
}

function verdictOfFailure({
  failure,
}: Extract<Inspected<unknown>, { kind: 'failed' }>): CheckVerdict {
  return failure.httpStatus === 404
    ? NOT_TOLD
    : fail(failure.code, failure.message, sourceRemedy('usage_statistics', failure.code))
}
