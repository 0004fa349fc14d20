import { ConfigError, type ConfigInput, type ResolvedConfig, resolveConfig } from '@svc/config'
import type { Clock } from '@svc/core'
import { fileChecks } from './file-checks.ts'
import { type CheckId, checkIds, checkTitles, type Finding, fail, ok, skippedBecause, type Verdict, warn } from './finding.ts'
import { listenerChecks } from './listener-checks.ts'
import { upstreamChecks } from './upstream-checks.ts'

/** Whatever is still under way then is given up. Source: reliability F92. */
const ALL_MS_MAX = 13_000

/** Runs every check; each one reports, whatever the others found. */
export async function examine(
  input: ConfigInput,
  { clock, fetch }: { readonly clock: Clock; readonly fetch: typeof globalThis.fetch },
): Promise<readonly Finding[]> {
  const resolved = resolvedOr(input)
  if (resolved instanceof ConfigError) {
    const refused = fail(resolved.message, 'Correct it; `print-config` shows what is in force, `init config` prints every key.')
    return findingsOf({ 'config.file': refused }, skippedBecause('config.file'))
  }
  const { config, file } = resolved
  const stop = new AbortController()
  const cancel = clock.schedule(ALL_MS_MAX, () => stop.abort())
  try {
    const [upstream, listener, files] = await Promise.all([
      upstreamChecks(config, { clock, fetch }, stop.signal),
      listenerChecks(config, fetch),
      fileChecks(config),
    ])
    const own = { 'config.file': ok(file ?? 'no file: flags, environment and defaults'), time_zone: timeZoneVerdict(resolved, input) }
    return findingsOf({ ...own, ...upstream, ...listener, ...files }, skippedBecause('config.file'))
  } finally {
    cancel()
  }
}

function resolvedOr(input: ConfigInput): ResolvedConfig | ConfigError {
  try {
    return resolveConfig(input)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

function timeZoneVerdict({ config, sourceByKey }: ResolvedConfig, { hostTimeZone }: ConfigInput): Verdict {
  return hostTimeZone !== config.displayTimezone && sourceByKey.get('display_timezone') === 'default'
    ? warn('this machine does not tell its time zone; times are shown in UTC', 'Set display_timezone, as in Europe/Prague.')
    : ok(config.displayTimezone)
}

function findingsOf(verdicts: Partial<Record<CheckId, Verdict>>, otherwise: Verdict): readonly Finding[] {
  return checkIds.map((id) => {
    const { status, detail, hint } = verdicts[id] ?? otherwise
    return { id, status, title: checkTitles[id], detail, hint }
  })
}
