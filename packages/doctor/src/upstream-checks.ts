import { readFile } from 'node:fs/promises'
import { type connectResp, createUpstreamInspector, type Inspected } from '@svc/collector'
import { type Config, isOnThisMachine } from '@svc/config'
import { type EpochMs, epochMs, instantToIso, type ProviderId, plusMs } from '@svc/core'
import {
  BAN_SECONDS,
  type Clock,
  managementPath,
  managementRoot,
  type ProxyGeneration,
  proxyDoubtOf,
  REFUSALS_TO_BAN,
  type UpstreamName,
} from '@svc/core/service'
import {
  actionConditions,
  countedAccountsText,
  noAccountsWords,
  sourceRemedy,
} from '@svc/views/messages'
import { addressVerdict, connectionTrouble } from './connection-trouble.ts'
import {
  type CheckId,
  type CheckVerdict,
  fail,
  ok,
  skip,
  skippedBecause,
  type Verdicts,
  warn,
} from './finding.ts'
import { managementKeyOf, providersVerdict } from './key-check.ts'
import { SKEW_SECONDS_MAX, SLOW_SECONDS } from './limits.ts'
import { monitorAt, type RunningService, SILENT } from './running-service.ts'
import { schedulerVerdict } from './scheduler-check.ts'
import { retentionVerdict, statisticsVerdict, usageVerdict } from './usage-checks.ts'

interface UpstreamDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
  readonly connectResp?: typeof connectResp
  readonly env: Readonly<Record<string, string | undefined>>
  readonly name: UpstreamName
  /** The running service; null if there is none. */
  readonly service: Promise<RunningService | null>
}

type Failed = Extract<Inspected<unknown>, { kind: 'failed' }>

const LOOK_AT_THE_LOAD = 'Look at the load of the proxy, and at the way to it.'
const NEED_THE_LIST = [
  'upstream.providers',
  'upstream.version',
  'upstream.generation',
  'upstream.plugins',
  'upstream.clock',
  'upstream.usage',
  'upstream.usage_statistics',
  'upstream.queue_retention',
] as const

interface AskedProxy {
  readonly verdicts: Verdicts
  /** Files of the watched accounts; null if the proxy returns no list. */
  readonly authNames: readonly string[] | null
}

/**
 * Calls the proxy: first without the key to test the connection, then once with the key. Only if the key was accepted, at most five more calls
 * follow.
 */
export async function upstreamChecks(
  config: Config,
  deps: UpstreamDeps,
  stop: AbortSignal,
): Promise<AskedProxy> {
  const { key, verdict: keyVerdict } = await managementKeyOf(config)
  const address = addressVerdict(config)
  const own: Verdicts = {
    management_key: keyVerdict,
    'upstream.address': address,
    'upstream.transport': await transportVerdict(config, deps.env),
  }
  if (address.status === 'fail')
    return unlisted({
      ...own,
      ...skippedAfter('upstream.address', 'upstream.health', 'upstream.management'),
    })

  const inspector = createUpstreamInspector(
    { ...config.upstream, key, seconds: config.upstream.upstreamTimeoutSeconds, stop },
    deps,
  )
  const [health, accounts] = await Promise.all([
    inspector.health(),
    key === null ? null : inspector.accounts(),
  ])
  const base: Verdicts = {
    ...own,
    'upstream.health': await healthVerdict(health, config, deps.env),
  }
  if (accounts === null)
    return unlisted({ ...base, ...skippedAfter('management_key', 'upstream.management') })
  if (accounts.kind === 'failed') {
    return unlisted({
      ...base,
      ...skippedAfter('upstream.management'),
      'upstream.management': await refusalVerdict(accounts, config, deps),
    })
  }
  const { version, generation, loadsPlugins, clockSkewSeconds } = inspector.facts()
  const [route, resp, statistics, retention, plugin] = await Promise.all([
    inspector.usageRoute(),
    deps.connectResp === undefined ? null : inspector.resp(),
    inspector.usageStatistics(),
    inspector.queueRetention(),
    loadsPlugins === true ? inspector.schedulerPlugin() : null,
  ])
  const unknownVersion = warn(
    'unknown',
    'the proxy does not say its version',
    'Nothing, if it is a build of your own.',
  )
  const verdicts: Verdicts = {
    ...base,
    'upstream.management': listVerdict(accounts),
    'upstream.providers': providersVerdict(config, accounts.value.providers),
    'upstream.version': version === null ? unknownVersion : ok(version),
    'upstream.generation':
      generation === null ? skip('it is not known', 'not_told') : generationVerdict(generation),
    'upstream.plugins': schedulerVerdict(loadsPlugins, plugin, {
      name: deps.name,
      service: await deps.service,
      now: deps.clock.now(),
    }),
    'upstream.clock': clockVerdict(clockSkewSeconds, deps.clock.now()),
    'upstream.usage': usageVerdict(config, route, version, resp),
    'upstream.usage_statistics': statisticsVerdict(config, statistics, generation),
    'upstream.queue_retention': retentionVerdict(config, route, retention, generation),
  }
  return { verdicts, authNames: accounts.value.authNames }
}

const unlisted = (verdicts: Verdicts): AskedProxy => ({ verdicts, authNames: null })

function skippedAfter(cause: CheckId, ...more: readonly CheckId[]): Verdicts {
  return Object.fromEntries([...more, ...NEED_THE_LIST].map((id) => [id, skippedBecause(cause)]))
}

async function healthVerdict(
  health: Inspected<true>,
  { upstream: { gatewayHealthUrl, upstreamUrl } }: Config,
  env: UpstreamDeps['env'],
): Promise<CheckVerdict> {
  if (health.kind === 'ok') {
    const seconds = health.trace.seconds
    return seconds < SLOW_SECONDS
      ? ok(`${gatewayHealthUrl} answers`)
      : slow(`${gatewayHealthUrl} answers`, seconds)
  }
  const setting =
    gatewayHealthUrl === `${upstreamUrl}/healthz` ? 'upstream_url' : 'gateway_health_url'
  const trouble = await connectionTrouble(gatewayHealthUrl, setting, health, authoritiesIn(env))
  if (trouble !== null) return { ...trouble, detail: `${gatewayHealthUrl}: ${trouble.detail}` }
  const { code, message, httpStatus } = health.failure
  const said = `${gatewayHealthUrl}: ${message}`
  // What stands in front of a proxy that is down answers 502 to 504.
  if (httpStatus === null || httpStatus >= 500)
    return fail(code, said, actionConditions.gateway_down.remedy)
  if (httpStatus === 404)
    return fail(
      'not_found',
      `${gatewayHealthUrl} answers 404`,
      'Correct gateway_health_url; proxies before v6.9.10 have no /healthz, but answer at /.',
    )
  if (httpStatus === 429)
    return fail(
      'throttled',
      `${said}: something limits calls`,
      `Let what limits them pass calls from here, or set ${setting} to the address of the proxy itself.`,
    )
  return fail(code, said, `Correct ${setting}: what answers there is no health check.`)
}

function slow(what: string, seconds: number): CheckVerdict {
  const hint = `${LOOK_AT_THE_LOAD} upstream_timeout_seconds is how long the service waits.`
  return warn('slow', `${what}, but only after ${seconds.toFixed(1)} s`, hint)
}

async function transportVerdict(
  { upstream: { upstreamUrl } }: Config,
  env: UpstreamDeps['env'],
): Promise<CheckVerdict> {
  const url = new URL(upstreamUrl)
  // Node asks for this very text.
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    return warn(
      'certificates_unchecked',
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: no certificate is checked, so whoever is in between can read the management key',
      'Remove the variable, where the service is started too; NODE_EXTRA_CA_CERTS names the certificate of an authority of your own.',
    )
  if (url.protocol === 'https:') return await authoritiesVerdict(authoritiesIn(env))
  return isOnThisMachine(url)
    ? ok('http on this machine')
    : warn(
        'plain_http',
        'plain http to another machine: whoever is in between can read the management key',
        'Use https, or a tunnel to this machine.',
      )
}

const authoritiesIn = (env: UpstreamDeps['env']): string => env.NODE_EXTRA_CA_CERTS ?? ''

/** Verdict on the file with further certificate authorities. Node ignores a file that it cannot use, without an error. */
async function authoritiesVerdict(file: string): Promise<CheckVerdict> {
  if (file === '') return ok('https')
  const text = await readFile(file, 'latin1').catch(() => null)
  if (text === null)
    return warn(
      'extra_ca_unreadable',
      `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read`,
      'Let this user read the file, or correct the variable.',
    )
  return /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(text)
    ? ok('https')
    : warn(
        'extra_ca_no_certificate',
        `NODE_EXTRA_CA_CERTS names ${file}, which holds no certificate in PEM`,
        'Put the certificate of the authority into it in PEM; openssl x509 -inform der converts one in DER.',
      )
}

type AccountCounts = Extract<
  Inspected<{
    readonly providers: readonly ProviderId[]
    readonly skippedCount: number
  }>,
  { kind: 'ok' }
>

function listVerdict({ value: { providers, skippedCount }, trace }: AccountCounts): CheckVerdict {
  const listed = `the key is accepted; ${countedAccountsText(providers)}`
  if (skippedCount > 0) {
    const hint =
      'Health on the page says which and why: update this program, or look at the auth files of the proxy.'
    return warn(
      'unreadable_entries',
      `${listed}; ${skippedCount} entries of the list are left out`,
      hint,
    )
  }
  if (providers.length === 0) return warn('no_accounts', listed, noAccountsWords.remedy)
  return trace.seconds < SLOW_SECONDS ? ok(listed) : slow(listed, trace.seconds)
}

async function refusalVerdict(
  failed: Failed,
  { upstream: { upstreamUrl, upstreamTimeoutSeconds } }: Config,
  { clock, fetch, env }: Pick<UpstreamDeps, 'clock' | 'fetch' | 'env'>,
): Promise<CheckVerdict> {
  const { code, message, retryAfterSeconds, httpStatus } = failed.failure
  const trouble = await connectionTrouble(
    `${upstreamUrl}${managementPath('accounts', 'v0')}`,
    'upstream_url',
    failed,
    authoritiesIn(env),
  )
  if (trouble !== null) return trouble
  const remedy = sourceRemedy('accounts', code)
  switch (code) {
    case 'unauthorized':
      return fail(
        code,
        `the proxy refused the management key; at most ${REFUSALS_TO_BAN - 1} more refusals remain before it bans this address for ${BAN_SECONDS / 60} minutes`,
        `Do not repeat this check with the same key. ${remedy}`,
      )
    case 'banned': {
      const until = instantToIso(epochMs(clock.now() + (retryAfterSeconds ?? 0) * 1000))
      return fail(code, `the proxy has banned this address until ${until}`, remedy)
    }
    case 'management_disabled': {
      const monitor = await monitorAt(upstreamUrl, fetch)
      return monitor === null || monitor === SILENT
        ? fail(code, message, remedy)
        : fail(
            'another_monitor',
            'a quota monitor answers at this address, not a proxy',
            'Set upstream_url to the address of the proxy that it watches.',
          )
    }
    case 'forbidden':
    case 'home':
      return fail(code, message, remedy)
    case 'timeout':
      return fail(
        code,
        `no complete answer in ${upstreamTimeoutSeconds} s (upstream_timeout_seconds)`,
        `${LOOK_AT_THE_LOAD} ${remedy}`,
      )
    default:
      return fail(code, httpStatus === null ? message : `${message} (${httpStatus})`, remedy)
  }
}

function generationVerdict(generation: ProxyGeneration): CheckVerdict {
  const root = managementRoot(generation)
  return ok(generation === 'v8' ? `v8: asked by ${root}` : `v6 or v7: asked by ${root}`)
}

function clockVerdict(skewSeconds: number | null, now: EpochMs): CheckVerdict {
  if (skewSeconds === null) return skip('the proxy does not tell its time', 'not_told')
  if (Math.abs(skewSeconds) <= SKEW_SECONDS_MAX)
    return ok(skewSeconds === 0 ? 'they agree' : `${Math.abs(skewSeconds)} s apart`)
  const direction = skewSeconds > 0 ? 'ahead of' : 'behind'
  const apart = (time: string) => `the clock of the proxy is ${time} ${direction} this machine's`
  const { remedy, more } = actionConditions.clock_doubted
  return proxyDoubtOf(now, plusMs(now, skewSeconds * 1000)) === null
    ? warn('apart', apart(`${Math.abs(skewSeconds)} s`), `Times are corrected meanwhile. ${remedy}`)
    : fail(
        'clock_doubted',
        apart(`${Math.round(Math.abs(skewSeconds) / 3600)} h`),
        `${remedy} ${more}`,
      )
}
