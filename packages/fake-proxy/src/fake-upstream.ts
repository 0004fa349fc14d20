import { type EpochMs, plusMs } from '@svc/core'
import { type Context, Hono } from 'hono'
import { apiCallAnswer } from './api-call-answer.ts'
import { authFilesAnswer, authIndexIn } from './auth-files-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import { aFakeQuota, type FakeQuotaForm, isQuotaForm } from './fake-quota.ts'
import { clearStatus, forgetCounters, recordFailure, recordSuccess, settleAccount } from './fake-traffic.ts'
import { createFakeUsage, type FakeUsage, type FakeUsageShape } from './fake-usage.ts'
import { askVendor, type VendorCall } from './fake-vendor.ts'
import { answerWithFault, ConnectionDropped, type FakeFault, type FakeRoute, type RawAnswer } from './faults.ts'
import { createManagementGate, type FakeManagement, managementKeyOf } from './management-gate.ts'
import type { VendorBehaviour } from './vendor-behaviour.ts'
import { goJson, httpDate } from './wire.ts'

/** Requests and vendor calls kept for inspection; older ones are dropped so that a long run stays small. */
const LOG_MAX = 10_000
const MANAGEMENT = '/v0/management'

export interface FakeUpstreamOptions {
  /** The proxy's clock. */
  readonly now: () => EpochMs
  readonly managementKey: string
  /** Waits; hand in one that follows virtual time. Left out: real time. */
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** What `X-CPA-VERSION` says; `v7.2.140` when left out. */
  readonly version?: string
  readonly accounts?: readonly FakeAccount[]
  /** Folder of the auth files inside the proxy; `/srv/cpa/auths` when left out. */
  readonly authDir?: string
  /** The proxy's time zone; 0 when left out, 480 in its Docker image. */
  readonly utcOffsetMinutes?: number
}

/** What an operator can change while the proxy runs. */
export interface FakeSettings {
  managementKey: string
  management: FakeManagement
  version: string
  /** False plays a proxy before v6.9.10. */
  healthz: boolean
  usageStatisticsEnabled: boolean
  /** How usage is offered: the queue since v6.10.8, the tree before v6.10.0, neither in between. */
  usage: 'queue' | 'legacy' | 'none'
  /** How long the queue keeps records that nobody takes. */
  queueRetentionSeconds: number
  /** How far the proxy's clock is ahead, in milliseconds. */
  clockAheadMs: number
}

/** Counters since the fake was made. `bannedRequests` and `refusedRequests` (every other 401 and 403) add up to what the key check turned away. */
export interface FakeStats {
  requests: number
  authenticatedRequests: number
  refusedRequests: number
  bannedRequests: number
  readonly requestsByRoute: Record<FakeRoute, number>
  /** Management requests being answered now, and the most there ever were. */
  managementInFlight: number
  managementInFlightMax: number
  /** Failed attempts the ban counter holds now, 0..5; 5 means banned. */
  readonly failedAttempts: number
}

/** One request as it arrived. `status` is null while it is being answered and when its connection was dropped. */
export interface FakeRequest {
  readonly at: EpochMs
  readonly method: string
  readonly path: string
  readonly route: FakeRoute
  readonly headers: Headers
  status: number | null
}

/** A CLIProxyAPI v7 with a simulated vendor behind it. */
export interface FakeUpstream {
  readonly app: Hono<FakeEnv>
  /** The auth files; may be changed in place. */
  readonly accounts: FakeAccount[]
  readonly settings: FakeSettings
  readonly usage: FakeUsage
  /** The proxy's clock. */
  now(): EpochMs
  readonly stats: FakeStats
  /** Newest last; at most 10,000. */
  readonly requests: readonly FakeRequest[]
  /** What reached the vendor, or was meant for another host; newest last, at most 10,000. */
  readonly vendorCalls: readonly VendorCall[]
  /** The account's index at this moment; it follows the file name. */
  authIndexOf(account: FakeAccount): string
  add(account: FakeAccount): void
  remove(account: FakeAccount): void
  /** Gives the file another name and so another index. Counters and status start again, as the proxy sees a new file. */
  rename(account: FakeAccount, fileName: string): void
  disable(account: FakeAccount): void
  enable(account: FakeAccount): void
  setStatus(account: FakeAccount, status: Partial<Pick<FakeAccount, 'status' | 'statusMessage' | 'unavailable' | 'nextRetryAt'>>): void
  /** Client requests at this moment: first the successes, which burn quota, then the failures, which leave the status their cause leaves. */
  traffic(account: FakeAccount, requests: { readonly success?: number; readonly failed?: number }): void
  /** Sets how the vendor treats the account; the name of a quota form gives it that quota. */
  setVendor(account: FakeAccount, behaviour: VendorBehaviour | FakeQuotaForm): void
  /** The next accepted request to the route meets this fault; several are met one after the other. */
  failNext(route: FakeRoute, fault: FakeFault): void
  /** Every accepted request to the route meets this fault, until set to null. */
  setFault(route: FakeRoute, fault: FakeFault | null): void
  /** The proxy starts again: counters, cooldowns and bans are gone, files and indexes stay. */
  restart(): void
}

interface FakeSocket {
  readonly remoteAddress?: string | undefined
  write(bytes: string): unknown
  end(): unknown
  destroy(): unknown
  resetAndDestroy(): unknown
}

/** What the node server hands in besides the request; absent when the app is called directly. */
type FakeEnv = {
  Bindings: { readonly incoming?: { readonly socket: FakeSocket } }
}

/** Makes a fake proxy. It answers `app.request`, `fetchOf(fake)` and, on a socket, any server that takes a fetch handler. */
export function createFakeUpstream(options: FakeUpstreamOptions): FakeUpstream {
  const sleep = options.sleep ?? realSleep
  const authDir = options.authDir ?? '/srv/cpa/auths'
  const accounts: FakeAccount[] = [...(options.accounts ?? [])]
  const settings: FakeSettings = {
    managementKey: options.managementKey,
    management: 'open',
    version: options.version ?? 'v7.2.140',
    healthz: true,
    usageStatisticsEnabled: true,
    usage: 'queue',
    queueRetentionSeconds: 60,
    clockAheadMs: 0,
  }
  const now = () => plusMs(options.now(), settings.clockAheadMs)
  const gate = createManagementGate(now)
  const stats: FakeStats = {
    requests: 0,
    authenticatedRequests: 0,
    refusedRequests: 0,
    bannedRequests: 0,
    requestsByRoute: {
      healthz: 0,
      'auth-files': 0,
      'usage-statistics-enabled': 0,
      'api-call': 0,
      'usage-queue': 0,
      usage: 0,
      config: 0,
      other: 0,
    },
    managementInFlight: 0,
    managementInFlightMax: 0,
    get failedAttempts() {
      return gate.failuresOpen()
    },
  }
  const usage = createFakeUsage(options.utcOffsetMinutes ?? 0, () => settings.usage === 'legacy')
  const requests: FakeRequest[] = []
  const vendorCalls: VendorCall[] = []
  const standingFaults = new Map<FakeRoute, FakeFault>()
  const nextFaults = new Map<FakeRoute, FakeFault[]>()

  const note = (account: FakeAccount, request: Pick<FakeUsageShape, 'at' | 'failed' | 'headers'>) => {
    if (settings.usageStatisticsEnabled) usage.record({ source: account.email, authIndex: authIndexOf(account), ...request })
  }
  const settle = () => {
    for (const account of accounts) settleAccount(account, now(), note)
  }
  const authIndexOf = (account: FakeAccount) => authIndexIn(authDir, account)
  const takeFault = (route: FakeRoute) => nextFaults.get(route)?.shift() ?? standingFaults.get(route) ?? null
  settle()

  const app = new Hono<FakeEnv>({ strict: true })
  // A dropped connection must reach the caller as a failure, not as an answer with status 500.
  app.onError((error) => {
    throw error
  })
  app.notFound((c) => {
    if (c.req.path.startsWith(`${MANAGEMENT}/`)) return new Response(null, { status: 404 })
    return new Response('404 page not found', { status: 404, headers: { 'content-type': 'text/plain' } })
  })

  app.use(async (c, next) => {
    const request: FakeRequest = { ...arrivalOf(c), at: now() }
    keep(requests, request)
    stats.requests += 1
    stats.requestsByRoute[request.route] += 1
    if (c.req.method === 'OPTIONS') c.res = new Response(null, { status: 204 })
    else await next()
    for (const [name, value] of Object.entries(CORS)) c.res.headers.set(name, value)
    c.res.headers.set('date', httpDate(now()))
    request.status = c.res.status
  })

  app.use(`${MANAGEMENT}/*`, async (c, next) => {
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
      for (const [name, value] of Object.entries(buildHeaders(settings.version))) c.res.headers.set(name, value)
    } finally {
      stats.managementInFlight -= 1
    }
  })

  app.use(async (c, next) => {
    const fault = takeFault(routeOf(c.req.path))
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
  })

  app.get('/', () => goJson({ message: 'CLI Proxy API Server', endpoints: ['POST /v1/chat/completions', 'GET /v1/models'] }))
  app.get('/healthz', (c) => (settings.healthz ? goJson({ status: 'ok' }) : c.notFound()))
  app.get(`${MANAGEMENT}/usage-statistics-enabled`, () => goJson({ 'usage-statistics-enabled': settings.usageStatisticsEnabled }))
  app.get(`${MANAGEMENT}/auth-files`, (c) => {
    settle()
    const filter = { name: c.req.query('name'), authIndex: c.req.query('auth_index') }
    return goJson(authFilesAnswer(accounts, filter, { authDir, utcOffsetMinutes: options.utcOffsetMinutes ?? 0, now: now() }))
  })
  app.get(`${MANAGEMENT}/usage-queue`, (c) => {
    if (settings.usage !== 'queue') return c.notFound()
    settle()
    const count = Number(c.req.query('count') ?? 1)
    if (!Number.isInteger(count) || count <= 0) return goJson({ error: 'count must be a positive integer' }, 400)
    return jsonText(usage.pop(count, now(), settings.queueRetentionSeconds))
  })
  app.get(`${MANAGEMENT}/usage`, (c) => {
    if (settings.usage !== 'legacy') return c.notFound()
    settle()
    return jsonText(usage.tree())
  })
  app.get(`${MANAGEMENT}/config`, () =>
    goJson({
      'usage-statistics-enabled': settings.usageStatisticsEnabled,
      'redis-usage-queue-retention-seconds': settings.queueRetentionSeconds,
      'api-keys': ['sk-fake-config-api-key'],
    }),
  )
  app.post(`${MANAGEMENT}/api-call`, async (c) => {
    settle()
    const vendor = {
      now,
      sleep,
      accountOfToken: (token: string) => accounts.find((account) => account.token === token) ?? null,
      record: (call: VendorCall) => keep(vendorCalls, call),
    }
    const accountOfIndex = (authIndex: string) => accounts.find((account) => authIndexOf(account) === authIndex) ?? null
    return await apiCallAnswer({ accountOfIndex, forward: (request) => askVendor(vendor, request) }, await c.req.text())
  })

  return {
    app,
    accounts,
    settings,
    usage,
    now,
    stats,
    requests,
    vendorCalls,
    authIndexOf,
    add(account) {
      accounts.push(account)
      settle()
    },
    remove(account) {
      accounts.splice(0, accounts.length, ...accounts.filter((other) => other !== account))
    },
    rename(account, fileName) {
      settle()
      account.fileName = fileName
      account.createdAt = account.updatedAt = account.modifiedAt = now()
      forgetCounters(account)
    },
    disable: (account) => switchAccount(account, true, now()),
    enable: (account) => switchAccount(account, false, now()),
    setStatus(account, status) {
      Object.assign(account, status)
      account.updatedAt = now()
    },
    traffic(account, { success = 0, failed = 0 }) {
      settle()
      for (let sent = 0; sent < success; sent += 1) recordSuccess(account, now(), note)
      for (let sent = 0; sent < failed; sent += 1) recordFailure(account, now(), note)
    },
    setVendor(account, behaviour) {
      settle()
      if (isQuotaForm(behaviour)) account.quota = aFakeQuota(behaviour)
      account.vendor = isQuotaForm(behaviour) ? 'quota' : behaviour
      settle()
    },
    failNext(route, fault) {
      nextFaults.set(route, [...(nextFaults.get(route) ?? []), fault])
    },
    setFault(route, fault) {
      if (fault === null) standingFaults.delete(route)
      else standingFaults.set(route, fault)
    },
    restart() {
      gate.forgetAll()
      usage.forget()
      settle()
      for (const account of accounts) {
        forgetCounters(account)
        account.createdAt = account.updatedAt = now()
      }
    },
  }
}

function jsonText(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

/** Sends the bytes past the HTTP server, which then must send nothing more. Throws ConnectionDropped where there is no socket. */
function sendRaw({ bytes, ending }: RawAnswer, socket: FakeSocket | undefined): Response {
  if (socket === undefined) throw new ConnectionDropped('broken framing needs a socket')
  socket.write(bytes)
  // A reset that overtakes the bytes would only be a dropped connection.
  if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS)
  if (ending === 'close') socket.end()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

const RESET_AFTER_MS = 20

/** Does not keep a program alive whose server is gone. */
function realSleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}

/** Source: upstream contract 1.6. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-expose-headers': 'X-CPA-VERSION, X-CPA-COMMIT, X-CPA-BUILD-DATE, X-CPA-SUPPORT-PLUGIN',
}

function buildHeaders(version: string) {
  return { 'x-cpa-version': version, 'x-cpa-commit': 'none', 'x-cpa-build-date': 'unknown', 'x-cpa-support-plugin': '0' }
}

function arrivalOf(c: Context<FakeEnv>): Omit<FakeRequest, 'at'> {
  return { method: c.req.method, path: c.req.path, route: routeOf(c.req.path), headers: new Headers(c.req.raw.headers), status: null }
}

function routeOf(path: string): FakeRoute {
  switch (path) {
    case '/healthz':
      return 'healthz'
    case `${MANAGEMENT}/auth-files`:
      return 'auth-files'
    case `${MANAGEMENT}/usage-statistics-enabled`:
      return 'usage-statistics-enabled'
    case `${MANAGEMENT}/api-call`:
      return 'api-call'
    case `${MANAGEMENT}/usage-queue`:
      return 'usage-queue'
    case `${MANAGEMENT}/usage`:
      return 'usage'
    case `${MANAGEMENT}/config`:
      return 'config'
    default:
      return 'other'
  }
}

/** The address the ban counts for. The proxy believes forwarding headers from anyone (upstream contract 1.5). */
function clientAddress(c: Context<FakeEnv>): string {
  const forwarded = c.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? c.req.header('x-real-ip')
  return forwarded ?? c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1'
}

function switchAccount(account: FakeAccount, disabled: boolean, at: EpochMs): void {
  account.disabled = disabled
  account.updatedAt = account.modifiedAt = at
  clearStatus(account)
}

function keep<Entry>(log: Entry[], entry: Entry): void {
  log.push(entry)
  if (log.length > LOG_MAX) log.shift()
}
