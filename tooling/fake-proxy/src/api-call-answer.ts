import type { EpochMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import type { VendorAnswer } from './vendor-answer.ts'
import { rollWindows } from './vendor-traffic.ts'
import { endText, rounded } from './vendors/fake-window.ts'
import type { VendorRequest } from './vendors/vendor.ts'
import { goJson } from './wire.ts'

const TOKEN_PLACEHOLDER = '$TOKEN$'

interface ForwardDeps {
  readonly accountOfIndex: (authIndex: string) => FakeAccount | null
  /** Whether an unknown index is refused, as v8 does, instead of sent with the placeholder. */
  readonly refusesUnknown: boolean
  /** Refreshes the token before the call where the proxy does that; false if the vendor refused. */
  readonly renewToken: (account: FakeAccount) => boolean
  readonly forward: (request: VendorRequest) => Promise<VendorAnswer>
}

/** Simulates `POST api-call`: checks the call, puts the token into header values, forwards. See docs/upstream.md#forwarded-calls. */
export async function apiCallAnswer(deps: ForwardDeps, body: string): Promise<Response> {
  const call = callOf(body)
  if (call === null) return refused(400, 'invalid body')
  if (call.method === '') return refused(400, 'missing method')
  if (call.url === '') return refused(400, 'missing url')
  const url = absoluteUrl(call.url)
  if (url === null) return refused(400, 'invalid url')
  if (call.proxyUrl !== '' && absoluteUrl(call.proxyUrl) === null)
    return refused(400, 'invalid proxy_url')

  const account = deps.accountOfIndex(call.authIndex)
  if (account === null && call.authIndex !== '' && deps.refusesUnknown)
    return refused(400, 'auth credential not found for auth_index')
  const wantsToken = Object.values(call.header).some((value) => value.includes(TOKEN_PLACEHOLDER))
  if (account !== null && account.token === null && wantsToken)
    return refused(400, 'auth token not found')
  if (account !== null && wantsToken && !deps.renewToken(account))
    return refused(400, 'auth token refresh failed')
  // Without a credential the placeholder stays and the request is sent anyway.
  const token = account?.token ?? TOKEN_PLACEHOLDER
  const headers = new Headers()
  for (const [name, value] of Object.entries(call.header))
    headers.set(
      name,
      value.replaceAll(TOKEN_PLACEHOLDER, () => token),
    )

  const answer = await deps.forward({ method: call.method.toUpperCase(), url, headers })
  if (answer.kind === 'unreachable') return refused(502, 'request failed')
  const header = Object.entries(answer.headers).map(
    ([name, value]) => [canonical(name), [value]] as const,
  )
  header.sort(([left], [right]) => (left < right ? -1 : 1))
  return goJson({
    status_code: answer.status,
    header: Object.fromEntries(header),
    body: answer.body,
  })
}

interface ForwardCall {
  readonly authIndex: string
  readonly method: string
  readonly url: string
  readonly proxyUrl: string
  readonly header: Readonly<Record<string, string>>
}

/** The call as Go decodes it: null counts as left out, a wrong type invalidates the whole body. */
function callOf(body: string): ForwardCall | null {
  const root = jsonObject(body)
  if (root === null) return null
  const texts = ['auth_index', 'authIndex', 'AuthIndex', 'method', 'url', 'proxy_url', 'data'].map(
    (name) => root[name] ?? '',
  )
  const header = root.header ?? {}
  if (!texts.every((text) => typeof text === 'string') || !isTextRecord(header)) return null
  const [snakeIndex = '', camelIndex = '', pascalIndex = '', method = '', url = '', proxyUrl = ''] =
    texts.map((text) => text.trim())
  return { authIndex: snakeIndex || camelIndex || pascalIndex, method, url, proxyUrl, header }
}

export function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string')
}

function absoluteUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url === null || url.host === '' ? null : url
}

function canonical(name: string): string {
  return name.replace(
    /[^-]+/g,
    (part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase(),
  )
}

function refused(status: 400 | 502, error: string): Response {
  return goJson({ error }, status)
}

/** Simulates `POST quota/fetch` of newer proxies: a plugin asks about its own account. Built-in providers have no plugin. */
export function quotaFetchAnswer(
  accountOfIndex: (authIndex: string) => FakeAccount | null,
  body: string,
  at: EpochMs,
): Response {
  const { auth_index: authIndex } = jsonObject(body) ?? {}
  if (typeof authIndex !== 'string' || authIndex.trim() === '')
    return goJson({ error: 'auth_index is required' }, 400)
  const account = accountOfIndex(authIndex.trim())
  if (account === null) return goJson({ error: 'auth not found' }, 404)
  if (!account.supportsQuota) return goJson({ error: 'quota provider not found' }, 501)
  if (account.vendor !== 'quota') return goJson({ error: 'quota fetch failed' }, 502)
  rollWindows(account, at)
  return goJson(pluginQuota(account, at))
}

function pluginQuota({ vendorPlan, windows }: FakeAccount, at: EpochMs): object {
  const buckets = Object.entries(windows).map(([id, window]) => ({
    window: PLUGIN_NAMES[id] ?? id,
    remainingFraction: rounded(Math.max(0, 1 - window.usedPercent / 100), 4),
    resetTime: endText(window, at),
    description: '',
  }))
  return {
    subscription: { plan: vendorPlan, tierName: vendorPlan, tierId: vendorPlan.toLowerCase() },
    serverTimeOffsetMs: 0,
    summary: [],
    groups: [{ displayName: 'Usage', buckets }],
  }
}

/** Names of windows in a plugin's answer. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
}
