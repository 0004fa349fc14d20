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
import type { CliContext } from '../program/cli-context.ts'
import { authDirVerdict } from './auth-dir-check.ts'
import { fileChecks } from './file-checks.ts'
import {
  type CheckId,
  checkIds,
  checkTitles,
  type Finding,
  fail,
  ok,
  skippedBecause,
  type Verdict,
  type Verdicts,
  warn,
} from './finding.ts'
import { TESTED_NODES } from './limits.ts'
import { listenerChecks } from './listener-checks.ts'
import { storeChecks } from './store-checks.ts'
import { upstreamChecks } from './upstream-checks.ts'

/** Time beyond the two rounds of calls to the proxy; with the default 10 s per call doctor ends within 15 s even if the proxy is silent. */
const SPARE_SECONDS = 3

/** Runs every check, even after others have failed. Several proxies are examined in parallel. */
export async function examine(
  input: ConfigInput,
  { clock, fetch, nodeVersion }: Pick<CliContext, 'clock' | 'fetch' | 'nodeVersion'>,
): Promise<readonly Finding[]> {
  const resolved = resolvedOr(input)
  if (resolved instanceof ConfigError)
    return findingsOf({ 'config.file': refusedVerdict(resolved) }, skippedBecause('config.file'))
  const { config } = resolved
  const stop = new AbortController()
  const cancel = clock.schedule((2 * longestTimeoutSeconds(config) + SPARE_SECONDS) * 1000, () =>
    stop.abort(),
  )
  try {
    const check = async (upstream: Upstream): Promise<ExaminedUpstream> => {
      const of = { ...config, ...upstream }
      const asked = await upstreamChecks(of, { clock, fetch, env: input.env }, stop.signal)
      const auth_dir = await authDirVerdict(of, asked.authNames)
      return { name: upstream.name, verdicts: { ...asked.verdicts, auth_dir } }
    }
    const asked = Promise.all(upstreamsOf(config).map(check))
    const { service, verdicts: listener } = await listenerChecks(config, fetch)
    const [upstreams, store, files] = await Promise.all([
      asked,
      storeChecks(config, { isServiceRunning: service !== null, now: clock.now() }),
      fileChecks(config),
    ])
    const own = {
      'config.file': configVerdict(resolved, input),
      node: nodeVerdict(nodeVersion),
      time_zone: timeZoneVerdict(resolved, input),
    }
    const common = { ...own, ...listener, ...store, ...files }
    const otherwise = skippedBecause('config.file')
    const [only] = upstreams
    return config.fleet.upstreams.length === 0
      ? findingsOf({ ...common, ...only?.verdicts }, otherwise)
      : findingsOfSeveral(common, upstreams, otherwise)
  } finally {
    cancel()
  }
}

function refusedVerdict({ problems }: ConfigError): Verdict {
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

function configVerdict({ file }: ResolvedConfig, { env }: ConfigInput): Verdict {
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

function nodeVerdict(version: string): Verdict {
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
): Verdict {
  return hostTimeZone !== config.display.displayTimezone &&
    sourceByKey.get('display_timezone') === 'default'
    ? warn(
        'unknown',
        'this machine does not tell its time zone; times are shown in UTC',
        'Set display_timezone, as in Europe/Prague.',
      )
    : ok(config.display.displayTimezone)
}

/** Verdicts for one of several proxies. */
interface ExaminedUpstream {
  readonly name: string
  readonly verdicts: Verdicts
}

function longestTimeoutSeconds(config: Config): number {
  return Math.max(...upstreamsOf(config).map(({ upstream }) => upstream.upstreamTimeoutSeconds))
}

function findingsOf(verdicts: Verdicts, otherwise: Verdict): readonly Finding[] {
  return checkIds.map((id) => findingOf(id, verdicts[id] ?? otherwise))
}

/** Repeats each proxy check for every proxy, with the proxy's name. */
function findingsOfSeveral(
  common: Verdicts,
  upstreams: readonly ExaminedUpstream[],
  otherwise: Verdict,
): readonly Finding[] {
  return checkIds.flatMap((id) => {
    const found = upstreams.flatMap(({ name, verdicts }) => {
      const verdict = verdicts[id]
      if (verdict === undefined) return []
      const finding = findingOf(id, verdict)
      return [{ ...finding, upstream: name, title: `${finding.title} · ${name}` }]
    })
    return found.length > 0 ? found : [findingOf(id, common[id] ?? otherwise)]
  })
}

function findingOf(id: CheckId, { status, code, detail, hint }: Verdict): Finding {
  return { id, status, code, title: checkTitles[id], detail, hint }
}
