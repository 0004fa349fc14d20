import type { connectResp as connectRespTo } from '@svc/collector'
import {
  type Config,
  ConfigError,
  type ConfigInput,
  injectedNote,
  type ResolvedConfig,
  resolveConfig,
  type Upstream,
  upstreamsOf,
} from '@svc/config'
import type { Clock } from '@svc/core/service'
import { authDirVerdict } from './auth-dir-check.ts'
import { fileChecks } from './file-checks.ts'
import {
  type CheckId,
  type CheckVerdict,
  checkIds,
  checkTitles,
  type Finding,
  fail,
  ok,
  skip,
  skippedBecause,
  type Verdicts,
  warn,
} from './finding.ts'
import { TESTED_NODES } from './limits.ts'
import { listenerChecks } from './listener-checks.ts'
import { notifyVerdict } from './notify-check.ts'
import { priceChecks } from './price-checks.ts'
import { storeChecks } from './store-checks.ts'
import { upstreamChecks } from './upstream-checks.ts'

/**
 * Time in addition to the two rounds of calls to the proxy. With the default 10 s per call, doctor ends within 15 s even if the proxy does not
 * respond.
 */
const SPARE_SECONDS = 3

/** Runs every check, even after others have failed. Several proxies are examined in parallel. */
export async function examine(
  input: ConfigInput,
  {
    clock,
    fetch,
    connectResp,
    nodeVersion,
  }: {
    readonly clock: Clock
    readonly fetch: typeof globalThis.fetch
    readonly connectResp?: typeof connectRespTo
    /** Version of Node, as in `24.21.0`. */
    readonly nodeVersion: string
  },
): Promise<readonly Finding[]> {
  const resolved = resolvedOr(input)
  if (resolved instanceof ConfigError)
    return findingsOf({ 'config.file': refusedVerdict(resolved) }, [])
  const { config } = resolved
  const stop = new AbortController()
  const cancel = clock.schedule((2 * longestTimeoutSeconds(config) + SPARE_SECONDS) * 1000, () =>
    stop.abort(),
  )
  try {
    const listening = listenerChecks(config, fetch)
    const check = async (upstream: Upstream): Promise<ExaminedPart> => {
      const of = { ...config, ...upstream }
      const { name } = upstream
      const service = listening.then((found) => found.service)
      const resp = connectResp === undefined ? {} : { connectResp }
      const deps = { clock, fetch, ...resp, env: input.env, name, service }
      const asked = await upstreamChecks(of, deps, stop.signal)
      const auth_dir = await authDirVerdict(of, asked.authNames)
      return { upstream: name, verdicts: { ...asked.verdicts, auth_dir } }
    }
    const asked = Promise.all(upstreamsOf(config).map(check))
    const { service, isSilent, verdicts: listener } = await listening
    const [upstreams, store, files, prices, targets] = await Promise.all([
      asked,
      storeChecks(config, { isServiceRunning: service !== null || isSilent, now: clock.now() }),
      fileChecks(config),
      priceChecks(config, clock.now()),
      Promise.all(
        config.notify.targets.map(async (target): Promise<ExaminedPart> => {
          const notify = await notifyVerdict(target, stop.signal)
          return { target: target.name, verdicts: { notify } }
        }),
      ),
    ])
    const own = {
      'config.file': configVerdict(resolved, input),
      node: nodeVerdict(nodeVersion),
      time_zone: timeZoneVerdict(resolved, input),
    }
    const isOne = config.fleet.upstreams.length === 0
    const common = {
      ...own,
      ...listener,
      ...store,
      ...files,
      ...prices,
      notify: skip('no [[notify]] table names a target'),
      ...(isOne ? upstreams[0]?.verdicts : {}),
    }
    return findingsOf(common, [...(isOne ? [] : upstreams), ...targets])
  } finally {
    cancel()
  }
}

function refusedVerdict({ problems }: ConfigError): CheckVerdict {
  const hint = 'Correct it; `print-config` shows what is in force, `init config` prints every key.'
  const [first, ...others] = problems
  return others.length === 0
    ? fail(first?.code ?? 'invalid_value', first?.message ?? '', hint)
    : fail(
        'several_mistakes',
        `${problems.length} mistakes: ${problems.map(({ message }) => message).join('; ')}`,
        hint,
      )
}

function configVerdict({ file }: ResolvedConfig, { env }: ConfigInput): CheckVerdict {
  const read = file ?? 'no file: flags, environment and defaults'
  const note = injectedNote(env)
  return ok(note === null ? read : `${read}; ${note}`)
}

function resolvedOr(input: ConfigInput): ResolvedConfig | ConfigError {
  try {
    return resolveConfig(input)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

function nodeVerdict(version: string): CheckVerdict {
  return TESTED_NODES.includes(Number.parseInt(version, 10))
    ? ok(version)
    : warn(
        'untested',
        `this program was not tested on Node ${version}; it was on ${TESTED_NODES.join(', ')}`,
        'Install one of these; nothing, where all works.',
      )
}

function timeZoneVerdict(
  { config, sourceByKey }: ResolvedConfig,
  { hostTimeZone }: ConfigInput,
): CheckVerdict {
  return hostTimeZone !== config.display.displayTimezone &&
    sourceByKey.get('display_timezone') === 'default'
    ? warn(
        'unknown',
        'this machine does not tell its time zone; times are shown in UTC',
        'Set display_timezone, as in Europe/Prague.',
      )
    : ok(config.display.displayTimezone)
}

/** Verdicts for one of several proxies, or for a message target. */
type ExaminedPart = Pick<Finding, 'upstream' | 'target'> & { readonly verdicts: Verdicts }

function longestTimeoutSeconds(config: Config): number {
  return Math.max(...upstreamsOf(config).map(({ upstream }) => upstream.upstreamTimeoutSeconds))
}

function findingsOf(common: Verdicts, parts: readonly ExaminedPart[]): readonly Finding[] {
  return checkIds.flatMap((id) => {
    const found = parts.flatMap(({ verdicts, ...part }) => {
      const verdict = verdicts[id]
      if (verdict === undefined) return []
      const finding = findingOf(id, verdict)
      return [{ ...finding, ...part, title: `${finding.title} · ${part.upstream ?? part.target}` }]
    })
    return found.length > 0 ? found : [findingOf(id, common[id] ?? skippedBecause('config.file'))]
  })
}

function findingOf(id: CheckId, { status, code, detail, hint }: CheckVerdict): Finding {
  return { id, status, code, title: checkTitles[id], detail, hint }
}
