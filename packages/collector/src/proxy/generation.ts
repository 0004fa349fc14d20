import type { Clock, ManagementRoute, ProxyGeneration } from '@svc/core/service'
import type { UpstreamError } from './upstream-error.ts'

/** Interval at which a v0 proxy is asked for v8 again, because it may have been upgraded in place. */
const ASKED_AGAIN_MS = 15 * 60_000

/** Remembers under which generation the proxy answers. The account list alone finds it out: v6 and v7 refuse its v8 path without a check of the key. */
export function createGenerationMemory(
  clock: Pick<Clock, 'monotonicMs'>,
  initial: ProxyGeneration | null = null,
) {
  let known = initial
  /** The last question for v8: the version that the proxy had then. */
  let lastAsked = { version: null as string | null, atMs: clock.monotonicMs() }

  const isDue = (version: string | null) =>
    lastAsked.version !== version || clock.monotonicMs() - lastAsked.atMs >= ASKED_AGAIN_MS

  return {
    /** Null before the first account list. */
    known: () => known,
    /** Generation to ask first. `version`: the one in the proxy's last answer. */
    first(route: ManagementRoute, version: string | null): ProxyGeneration {
      return known === 'v0' && (route !== 'accounts' || !isDue(version)) ? 'v0' : 'v8'
    },
    /** Whether to ask under the other generation after this failure. */
    isElsewhere(
      route: ManagementRoute,
      { first, version }: { readonly first: ProxyGeneration; readonly version: string | null },
      failure: UpstreamError,
    ): boolean {
      const isOwnWord = failure.isFromProxy && KEY_STATUSES.has(failure.httpStatus ?? 0)
      if (isOwnWord || failure.code === 'home') return false
      // The version in use goes on working whatever the newer one answers.
      if (first === 'v8' && known === 'v0') return true
      // A pop that brought something unreadable may have taken records, so it is never sent again.
      const mayBeForeign = first === 'v8' && route === 'accounts'
      if (!isMissing(failure) && !(mayBeForeign && isForeign(failure))) return false
      // A proxy that lacks one route has not been replaced.
      return (
        known === null ||
        FOUND_APART.has(route) ||
        !failure.isFromProxy ||
        (first === 'v0' && lastAsked.version !== version)
      )
    },
    /** Notes under which generation the account list was read, and what was asked first. */
    learn(
      generation: ProxyGeneration,
      { first, version }: { readonly first: ProxyGeneration; readonly version: string | null },
    ) {
      known = generation
      if (first === 'v8') lastAsked = { version, atMs: clock.monotonicMs() }
    },
  }
}

const KEY_STATUSES: ReadonlySet<number> = new Set([401, 403])
const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 405, 501])
/** The list decides the generation; early v8 proxies have the plugin's quota under v0 alone. */
const FOUND_APART: ReadonlySet<ManagementRoute> = new Set(['accounts', 'pluginQuota'])

function isMissing({ httpStatus, isFromProxy, hasReason }: UpstreamError): boolean {
  return MISSING_STATUSES.has(httpStatus ?? 0) && !(isFromProxy && hasReason)
}

/** Whether something in front of the proxy answered, as a gateway that lets one path pass. A busy or broken one decides nothing. */
function isForeign({ code, httpStatus, isFromProxy }: UpstreamError): boolean {
  if (code === 'redirected' || code === 'bad_payload') return true
  return httpStatus !== null && httpStatus < 500 && httpStatus !== 429 && !isFromProxy
}
