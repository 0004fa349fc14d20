import type { EpochMs } from './time.ts'

/** Consecutive refusals after which the proxy bans a client address. See docs/upstream.md#management-access. */
export const REFUSALS_TO_BAN = 5
/** Duration of a ban, assumed if the proxy's text does not state the remaining time. */
export const BAN_SECONDS = 30 * 60
/**
 * Pause after a refusal, in seconds. The proxy counts refusals without a time limit, but forgets an idle address after 2 h. See
 * docs/limits.md#after-a-refusal-of-the-key.
 */
export const REFUSED_RETRY_SECONDS = 150 * 60

/** State of our access to the proxy's management API. */
export type ManagementAccess =
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'no_key' }
  | { readonly kind: 'unreadable_key'; readonly reason: KeyFileProblem }
  | {
      readonly kind: 'refused'
      readonly at: EpochMs
      readonly nextAttemptAt: EpochMs
      readonly failure: 'unauthorized' | 'forbidden'
    }
  | { readonly kind: 'banned'; readonly until: EpochMs }

export type KeyFileProblem =
  | 'missing'
  | 'unreadable'
  | 'closed_folder'
  | 'not_a_file'
  | 'foreign_owner'
  | 'writable_by_others'
  | 'too_large'
  | 'empty'
  | 'utf16'
  | 'nul'
  | 'several_lines'
  | 'odd_characters'

export type SecretFile = 'management_key' | 'client_labels' | 'auth_files'

/** Form of the proxy's management API: `v8` since v8.0.0, `v0` before. A v8 proxy may still offer `v0`. See docs/upstream.md#generations. */
export const proxyGenerations = ['v8', 'v0'] as const
export type ProxyGeneration = (typeof proxyGenerations)[number]

/** Path of every management call below its root, by generation; null if the generation has none. */
const PATHS = {
  accounts: { v0: 'auth-files', v8: 'credentials' },
  accountStatus: { v0: 'auth-files/status', v8: 'credentials/status' },
  accountFields: { v0: 'auth-files/fields', v8: 'credentials/fields' },
  usageQueue: { v0: 'usage-queue', v8: 'observability/usage/queue' },
  usageTree: { v0: 'usage', v8: null },
  usageStatistics: { v0: 'usage-statistics-enabled', v8: 'config/observability/usage' },
  usageRetention: { v0: 'config', v8: 'config/observability/usage' },
  forward: { v0: 'api-call', v8: 'requests/api-call' },
  pluginQuota: { v0: 'quota/fetch', v8: 'credentials/quota/fetch' },
  plugins: { v0: 'plugins', v8: 'plugins' },
} as const satisfies Readonly<Record<string, Readonly<Record<ProxyGeneration, string | null>>>>

export type ManagementRoute = keyof typeof PATHS

/** Path of all management calls of a generation, without a slash at the end. */
export function managementRoot(generation: ProxyGeneration): string {
  return `/${generation}/management`
}

/** Path of a call from the proxy's base URL on; null if the generation has no such call. */
export function managementPath(route: ManagementRoute, generation: ProxyGeneration): string | null {
  const path = PATHS[route][generation]
  return path === null ? null : `${managementRoot(generation)}/${path}`
}
