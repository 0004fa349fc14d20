import { createUpstreamInspector, type Inspected, keyFromText, readKeyFile } from '@svc/collector'
import { type Config, isLoopbackHost } from '@svc/config'
import { type Clock, epochMs, instantToIso, type KeyFileProblem, QUEUE_RETENTION_SECONDS_MIN, type Redacted } from '@svc/core'
import { type CheckId, fail, ok, skip, skippedBecause, type Verdict, warn } from './finding.ts'

interface UpstreamDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

type Verdicts = Partial<Record<CheckId, Verdict>>
type Failure = Extract<Inspected<unknown>, { kind: 'failed' }>['failure']

/** For one call; three in a row, and whatever else is slow, stay below the 15 s of the whole. Source: reliability F92. */
const CALL_SECONDS_MAX = 4
/** A clock that is further off shows wrong ages and resets. */
const SKEW_SECONDS_MAX = 30
/** The proxy bans an address after so many refusals without a success in between. Source: upstream contract 1.4. */
const REFUSALS_TO_BAN = 5

/** Asks the proxy: without the key for a sign of life, with the key once, and only when it was accepted three times more. */
export async function upstreamChecks(config: Config, deps: UpstreamDeps, stop: AbortSignal): Promise<Verdicts> {
  const { key, verdict: keyVerdict } = await managementKeyOf(config)
  const inspector = createUpstreamInspector(
    { ...config, key, seconds: Math.min(CALL_SECONDS_MAX, config.upstreamTimeoutSeconds), stop },
    deps,
  )
  const [health, accounts] = await Promise.all([inspector.health(), key === null ? null : inspector.accounts()])
  const base: Verdicts = {
    management_key: keyVerdict,
    'upstream.health': healthVerdict(health, config),
    'upstream.transport': transportVerdict(config),
  }
  if (accounts === null || accounts.kind === 'failed') {
    const because: CheckId = accounts === null ? 'management_key' : 'upstream.management'
    const rest = ['upstream.version', 'upstream.clock', 'upstream.usage', 'upstream.usage_statistics', 'upstream.queue_retention'] as const
    return {
      ...base,
      'upstream.management': accounts === null ? skippedBecause('management_key') : refusalVerdict(accounts.failure, deps.clock),
      ...Object.fromEntries(rest.map((id) => [id, skippedBecause(because)])),
    }
  }
  const [route, statistics, retention] = await Promise.all([
    inspector.usageRoute(),
    inspector.usageStatistics(),
    inspector.queueRetention(),
  ])
  const { version, clockSkewSeconds } = inspector.facts()
  const { accountCount, otherCount, skippedCount } = accounts.value
  const others = otherCount === 0 ? '' : `, and ${otherCount} of other providers, which are not watched`
  const listed = `the key is accepted; ${accountCount} Codex accounts${others}`
  return {
    ...base,
    'upstream.management':
      skippedCount > 0
        ? warn(
            `${listed}; ${skippedCount} entries of the list cannot be read`,
            'Update this program, or look at the auth files of the proxy.',
          )
        : accountCount === 0
          ? warn(listed, 'Log in to an account on the proxy.')
          : ok(listed),
    'upstream.version':
      version === null ? warn('the proxy does not tell its version', 'Nothing, if it is a build of your own.') : ok(version),
    'upstream.clock': clockVerdict(clockSkewSeconds),
    'upstream.usage': usageVerdict(config, route, version),
    'upstream.usage_statistics': statisticsVerdict(config, statistics),
    'upstream.queue_retention': retentionVerdict(config, route, retention),
  }
}

async function managementKeyOf(config: Config): Promise<{ readonly key: Redacted | null; readonly verdict: Verdict }> {
  const { managementKey, managementKeyFile } = config
  if (managementKey === null && managementKeyFile === null) {
    return {
      key: null,
      verdict: fail('no management key is set', 'Set management_key_file to a file that holds the management key of the proxy.'),
    }
  }
  const reading = managementKey === null ? await readKeyFile(managementKeyFile ?? '') : keyFromText(managementKey.reveal(), false)
  const place = managementKey === null ? `the file ${managementKeyFile}` : 'the environment'
  if (reading.kind === 'problem') {
    const { detail, hint } = KEY_PROBLEMS[reading.reason]
    return { key: null, verdict: fail(`${place}: ${detail}`, hint) }
  }
  const verdict = reading.readableByOthers
    ? warn(`${place} can be read by other users of this machine`, 'Make it readable by this service alone: chmod 600.')
    : ok(`from ${place}`)
  return { key: reading.key, verdict }
}

const KEY_PROBLEMS: Readonly<Record<KeyFileProblem, { readonly detail: string; readonly hint: string }>> = {
  missing: { detail: 'there is no such file', hint: 'Write the key there, or correct management_key_file.' },
  unreadable: {
    detail: 'it cannot be read, or holds what is no key',
    hint: 'Let this user read it; it must hold the key as one line of plain text.',
  },
  not_a_file: { detail: 'that is no regular file', hint: 'Put a plain file there.' },
  foreign_owner: { detail: 'it belongs to another user', hint: 'Give it to the user of this service, or to root (chown).' },
  writable_by_others: {
    detail: 'others can write to it, or to a folder on the way',
    hint: 'Take the right to write away from others: chmod 600 the file, chmod go-w its folders.',
  },
  too_large: { detail: 'it is larger than 1 MiB', hint: 'Point management_key_file at the file that holds the key and nothing else.' },
  empty: { detail: 'it is empty', hint: 'Write the management key of the proxy into it.' },
}

function healthVerdict(health: Inspected<true>, { gatewayHealthUrl }: Config): Verdict {
  if (health.kind === 'ok') return ok(`${gatewayHealthUrl} answers`)
  return fail(`${gatewayHealthUrl}: ${health.failure.message}`, 'Start the proxy, or correct upstream_url or gateway_health_url.')
}

function transportVerdict({ upstreamUrl }: Config): Verdict {
  const { protocol, hostname } = new URL(upstreamUrl)
  if (protocol === 'https:') return ok('https')
  return isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))
    ? ok('http on this machine')
    : warn('plain http to another machine: whoever is in between can read the management key', 'Use https, or a tunnel to this machine.')
}

function refusalVerdict({ code, message, retryAfterSeconds, httpStatus }: Failure, clock: Clock): Verdict {
  if (code === 'unauthorized') {
    return fail(
      `the proxy refused the management key; at most ${REFUSALS_TO_BAN - 1} more refusals remain before it bans this address for 30 minutes`,
      'Put the right key in place before anything asks again; do not repeat this check with the same key.',
    )
  }
  if (code === 'banned') {
    const until = instantToIso(epochMs(clock.now() + (retryAfterSeconds ?? 0) * 1000))
    return fail(`the proxy has banned this address until ${until}`, 'Put the right key in place, and wait until then.')
  }
  if (code === 'forbidden') {
    return fail(message, 'Set remote-management.allow-remote or MANAGEMENT_PASSWORD on the proxy, or run the monitor beside it.')
  }
  if (code === 'management_disabled') {
    return fail(message, 'Set remote-management.secret-key on the proxy, or correct upstream_url.')
  }
  return fail(
    httpStatus === null ? message : `${message} (${httpStatus})`,
    'Check that upstream_url is the address of the proxy, and that it runs.',
  )
}

function clockVerdict(skewSeconds: number | null): Verdict {
  if (skewSeconds === null) return skip('the proxy does not tell its time')
  if (Math.abs(skewSeconds) <= SKEW_SECONDS_MAX) return ok(skewSeconds === 0 ? 'they agree' : `${Math.abs(skewSeconds)} s apart`)
  const direction = skewSeconds > 0 ? 'ahead of' : 'behind'
  return warn(
    `the clock of the proxy is ${Math.abs(skewSeconds)} s ${direction} this machine's`,
    'Set both clocks by NTP; times are corrected meanwhile.',
  )
}

/** Usage rows are neither asked for nor kept. */
const isUsageOff = ({ usageSource, stateDb }: Config): boolean => usageSource === 'off' || stateDb === null
const USAGE_OFF = skip('no usage is kept: state_db is not set or usage_source is off')

function usageVerdict(config: Config, route: Inspected<'queue' | 'legacy'>, version: string | null): Verdict {
  if (route.kind === 'failed') return fail(route.failure.message, 'Check the log of the proxy.')
  const way = route.value === 'queue' ? 'a queue that is read and emptied' : 'a tree that is read again and again'
  if (route.value === 'legacy' && isWithoutUsage(version)) {
    return warn(`version ${version} hands out no usage over HTTP`, 'Update the proxy to 6.10.8 or later.')
  }
  if (isUsageOff(config)) return ok(`${way}; it is not read, because state_db is not set or usage_source is off`)
  if (config.usageSource !== 'auto' && config.usageSource !== route.value) {
    return fail(`usage_source is ${config.usageSource}, but the proxy has ${way}`, 'Set usage_source to auto.')
  }
  return ok(way)
}

/** From 6.10.0 to 6.10.7 the tree was gone and the queue not there yet. Source: upstream contract 3.1. */
function isWithoutUsage(version: string | null): boolean {
  return /^v?6\.10\.[0-7]$/.test(version ?? '')
}

function statisticsVerdict(config: Config, statistics: Inspected<{ readonly enabled: boolean }>): Verdict {
  if (statistics.kind === 'failed') {
    return statistics.failure.httpStatus === 404
      ? skip('this version does not tell')
      : fail(statistics.failure.message, 'Check the log of the proxy.')
  }
  if (statistics.value.enabled) return ok('on')
  return isUsageOff(config)
    ? ok('off; nothing asks for them')
    : warn('off: the proxy keeps no usage records', 'Set usage-statistics-enabled: true in the configuration of the proxy.')
}

function retentionVerdict(config: Config, route: Inspected<'queue' | 'legacy'>, retention: Inspected<number>): Verdict {
  if (isUsageOff(config)) return USAGE_OFF
  if (route.kind === 'failed') return skippedBecause('upstream.usage')
  if (route.value !== 'queue') return skip('the proxy has no queue')
  if (retention.kind === 'failed') {
    return retention.failure.httpStatus === 404
      ? skip('this version does not tell')
      : fail(retention.failure.message, 'Check the log of the proxy.')
  }
  return retention.value < QUEUE_RETENTION_SECONDS_MIN
    ? warn(
        `unread records are kept ${retention.value} s, less than four polls of 5 s`,
        'Set redis-usage-queue-retention-seconds: 3600 in the configuration of the proxy.',
      )
    : ok(`${retention.value} s`)
}
