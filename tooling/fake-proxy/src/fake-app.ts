import {
  type ManagementRoute,
  managementPath,
  managementRoot,
  type ProxyGeneration,
  proxyGenerations,
} from '@svc/core/service'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { apiCallAnswer, quotaFetchAnswer } from './api-call-answer.ts'
import { authFilesAnswer, fieldsPatchAnswer, statusPatchAnswer } from './auth-files-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import { type FakeRequest, type FakeSettings, type FakeState, keep } from './fake-state.ts'
import { askVendor, type VendorCall, type VendorDeps } from './fake-vendor.ts'
import { answerWithFault, ConnectionDropped, type FakeRoute } from './faults.ts'
import { managementKeyOf } from './management-gate.ts'
import { clientAddress, type FakeEnv, goJson, httpDate, sendRaw } from './wire.ts'

const ROOTS = proxyGenerations.map((generation) => `${managementRoot(generation)}/`)

/** Creates the routes of the proxy, with its key check and its headers. */
export function createFakeApp(state: FakeState): Hono<FakeEnv> {
  const app = new Hono<FakeEnv>({ strict: true })
  // A dropped connection must reach the caller as a failure, not as an answer with status 500.
  app.onError((error) => {
    throw error
  })
  app.notFound((c) => {
    const isManaged = ROOTS.some((root) => c.req.path.startsWith(root))
    if (isManaged && state.settings.generation !== 'v6') return new Response(null, { status: 404 })
    return new Response('404 page not found', {
      status: 404,
      headers: { 'content-type': 'text/plain' },
    })
  })
  app.use(recordRequests(state))
  app.use(async (c, next) => {
    if (isUnknownHere(c.req.path, state)) c.res = await c.notFound()
    else await next()
  })
  for (const root of ROOTS) app.use(`${root}*`, checkKey(state))
  app.use(async (c, next) => {
    // The program that lost v0 still checks the key there, as for every path below its roots.
    if (state.settings.generation === 'v8-only' && c.req.path.startsWith('/v0/'))
      c.res = await c.notFound()
    else await next()
  })
  app.use(failAsPlanned(state))
  addPublicRoutes(app, state)
  addManagementRoutes(app, state)
  return app
}

/** Whether a path belongs to the management API of a later program, which this one does not even check the key for. */
function isUnknownHere(path: string, { settings }: FakeState): boolean {
  return path.startsWith(`${managementRoot('v8')}/`) && !hasV8(settings)
}

function hasV8({ generation }: Pick<FakeSettings, 'generation'>): boolean {
  return generation === 'v8' || generation === 'v8-only'
}

function recordRequests(state: FakeState): MiddlewareHandler<FakeEnv> {
  const { now, requests, stats } = state
  return async (c, next) => {
    const request: FakeRequest = { ...arrivalOf(c, state), at: now() }
    keep(requests, request)
    stats.requests += 1
    stats.requestsByRoute[request.route] += 1
    if (c.req.method === 'OPTIONS') c.res = new Response(null, { status: 204 })
    else await next()
    for (const [name, value] of Object.entries(CORS)) c.res.headers.set(name, value)
    c.res.headers.set('date', httpDate(now()))
    request.status = c.res.status
  }
}

function checkKey({ gate, settings, stats }: FakeState): MiddlewareHandler<FakeEnv> {
  return async (c, next) => {
    if (settings.management === 'disabled') {
      c.res = new Response(null, { status: 404 })
      return
    }
    stats.managementInFlight += 1
    stats.managementInFlightMax = Math.max(stats.managementInFlightMax, stats.managementInFlight)
    try {
      const answer = gate.decide({
        address: clientAddress(c),
        key: managementKeyOf(c.req.raw.headers),
        expectedKey: settings.managementKey,
        management: settings.management,
      })
      if (answer.kind === 'accepted') {
        stats.authenticatedRequests += 1
        await next()
      } else {
        if (answer.banned) stats.bannedRequests += 1
        else stats.refusedRequests += 1
        c.res = goJson({ error: answer.error }, answer.status)
      }
      for (const [name, value] of Object.entries(buildHeaders(settings)))
        c.res.headers.set(name, value)
    } finally {
      stats.managementInFlight -= 1
    }
  }
}

function failAsPlanned({ faults, sleep }: FakeState): MiddlewareHandler<FakeEnv> {
  return async (c, next) => {
    const fault = faults.take(routeOf(c.req.path))
    if (fault === null) return await next()
    try {
      const answer = await answerWithFault(fault, sleep, async () => {
        await next()
        return c.res
      })
      c.res = answer instanceof Response ? answer : sendRaw(answer, c.env?.incoming?.socket)
    } catch (error) {
      if (error instanceof ConnectionDropped) c.env?.incoming?.socket.destroy()
      throw error
    }
  }
}

function addPublicRoutes(app: Hono<FakeEnv>, { settings }: FakeState): void {
  app.get('/', () =>
    goJson({
      message: 'CLI Proxy API Server',
      endpoints: ['POST /v1/chat/completions', 'GET /v1/models'],
    }),
  )
  app.get('/healthz', (c) => (settings.healthz ? goJson({ status: 'ok' }) : c.notFound()))
}

function addManagementRoutes(app: Hono<FakeEnv>, state: FakeState): void {
  const { accounts, now, settings, settle, usage } = state
  const on = (
    method: 'GET' | 'POST' | 'PATCH',
    route: ManagementRoute,
    answer: (c: Context<FakeEnv>, generation: ProxyGeneration) => Response | Promise<Response>,
  ) => {
    for (const generation of proxyGenerations) {
      const path = managementPath(route, generation)
      if (path !== null) app.on(method, path, (c) => answer(c, generation))
    }
  }
  on('GET', 'plugins', () =>
    goJson({
      plugins_enabled: settings.pluginsEnabled,
      plugins_dir: 'plugins',
      plugins: settings.plugins.map(({ id, enabled, metadata }) => ({
        id,
        enabled,
        registered: metadata !== null,
        effective_enabled: settings.pluginsEnabled && enabled && metadata !== null,
        metadata,
      })),
    }),
  )
  on('GET', 'accounts', (c, generation) => {
    settle()
    if (generation === 'v8' && !isPage(c.req.query('page')))
      return goJson({ error: 'page must be a positive integer' }, 400)
    const filter = { name: c.req.query('name'), authIndex: c.req.query('auth_index') }
    const { authDir, utcOffsetMinutes } = state
    const context = { authDir, utcOffsetMinutes, settings, now: now() }
    return goJson(authFilesAnswer(accounts, filter, context))
  })
  const patches = { accounts, write: state.write }
  on('PATCH', 'accountStatus', async (c) => statusPatchAnswer(patches, await c.req.text()))
  on('PATCH', 'accountFields', async (c) => fieldsPatchAnswer(patches, await c.req.text()))
  on('GET', 'usageQueue', (c) => {
    if (settings.usage !== 'queue') return c.notFound()
    settle()
    const count = Number(c.req.query('count') ?? 1)
    if (!Number.isInteger(count) || count <= 0)
      return goJson({ error: 'count must be a positive integer' }, 400)
    return jsonText(`[${usage.take(count, now(), settings.queueRetentionSeconds).join(',')}]`)
  })
  on('GET', 'usageTree', (c) => {
    if (settings.usage !== 'legacy') return c.notFound()
    settle()
    return jsonText(usage.tree())
  })
  const usageSection = () => ({
    'usage-statistics-enabled': settings.usageStatisticsEnabled,
    'redis-usage-queue-retention-seconds': settings.queueRetentionSeconds,
  })
  on('GET', 'usageStatistics', (_c, generation) => {
    if (generation === 'v0')
      return goJson({ 'usage-statistics-enabled': settings.usageStatisticsEnabled })
    const { usageSection: section = usageSection() } = settings
    return section === null ? goJson({ error: 'not_found' }, 404) : goJson(section)
  })
  on('GET', 'usageRetention', () =>
    goJson({ ...usageSection(), 'api-keys': ['sk-fake-config-api-key'] }),
  )
  const accountOfIndex = (authIndex: string) =>
    accounts.find((account) => state.authIndexOf(account) === authIndex) ?? null
  on('POST', 'pluginQuota', async (c) => {
    if (!settings.quotaFetch) return c.notFound()
    settle()
    return quotaFetchAnswer(accountOfIndex, await c.req.text(), now())
  })
  on('POST', 'forward', async (c) => {
    settle()
    return await apiCallAnswer(
      {
        accountOfIndex,
        refusesUnknown: hasV8(settings),
        renewToken: (account) => renewToken(state, account),
        forward: (request) => askVendor(vendorDepsOf(state), request),
      },
      await c.req.text(),
    )
  })
}

/** Whether a page may be asked for; left out means the whole list. */
function isPage(page: string | undefined): boolean {
  return page === undefined || /^[1-9]\d*$/.test(page)
}

function vendorDepsOf({ accounts, now, sleep, vendorCalls, vendorRules }: FakeState): VendorDeps {
  return {
    now,
    sleep,
    rules: vendorRules,
    accountOfToken: (token, isTheirs) =>
      accounts.find((account) => account.token === token && isTheirs(account)) ?? null,
    record: (call: VendorCall) => keep(vendorCalls, call),
  }
}

/** Antigravity's token alone is refreshed before a forwarded call; the others go out as they are stored. */
function renewToken({ refreshToken }: FakeState, account: FakeAccount): boolean {
  const isStale =
    account.vendor === 'token_expired' ||
    account.vendor === 'token_invalidated' ||
    account.vendor === 'token_revoked'
  return account.provider !== 'antigravity' || !isStale || refreshToken(account)
}

function jsonText(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

/** See docs/upstream.md#management-access. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-expose-headers':
    'X-CPA-VERSION, X-CPA-COMMIT, X-CPA-BUILD-DATE, X-CPA-SUPPORT-PLUGIN',
}

function buildHeaders({ generation, version, pluginSupport }: FakeSettings) {
  return {
    'x-cpa-version': version,
    'x-cpa-commit': 'none',
    'x-cpa-build-date': 'unknown',
    ...(pluginSupport !== null && { 'x-cpa-support-plugin': pluginSupport }),
    ...(generation === 'home' && { 'x-cpa-home-version': '1.0.0' }),
  }
}

function arrivalOf(c: Context<FakeEnv>, state: FakeState): Omit<FakeRequest, 'at'> {
  return {
    method: c.req.method,
    path: c.req.path,
    route: isUnknownHere(c.req.path, state) ? 'other' : routeOf(c.req.path),
    headers: new Headers(c.req.raw.headers),
    status: null,
  }
}

function routeOf(path: string): FakeRoute {
  if (path === '/healthz') return 'healthz'
  const isOf = (route: ManagementRoute) =>
    proxyGenerations.some((generation) => managementPath(route, generation) === path)
  return FAKE_ROUTES.find(([route]) => isOf(route))?.[1] ?? 'other'
}

/** Routes that can be made to fail, under either generation. */
const FAKE_ROUTES = [
  ['accounts', 'auth-files'],
  ['usageStatistics', 'usage-statistics-enabled'],
  ['forward', 'api-call'],
  ['usageQueue', 'usage-queue'],
  ['usageTree', 'usage'],
  ['usageRetention', 'config'],
] as const satisfies readonly (readonly [ManagementRoute, FakeRoute])[]
