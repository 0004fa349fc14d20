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
