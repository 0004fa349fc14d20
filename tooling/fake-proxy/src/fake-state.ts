import { type EpochMs, plusMs } from '@svc/core'
import { authIndexIn, type FakeAccount } from './fake-account.ts'
import { forgetErrors, type NoteUsage, settleAccount } from './fake-traffic.ts'
import { createFakeUsage, DEFAULT_KEY } from './fake-usage.ts'
import type { VendorCall } from './fake-vendor.ts'
import { createPlannedFaults, type FakeRoute } from './faults.ts'
import { createManagementGate, type FakeManagement } from './management-gate.ts'
import { createVendorRules } from './vendor-answer.ts'
import type { OwnCall } from './vendors/vendor.ts'
import { vendorOf } from './vendors/vendors.ts'

export interface FakeUpstreamOptions {
  /** The proxy's clock. */
  readonly now: () => EpochMs
  readonly managementKey: string
  /** Waits; tests pass one that follows virtual time. Default: real time. */
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Value of `X-CPA-VERSION`; default `v7.2.140`. */
  readonly version?: string
  readonly accounts?: readonly FakeAccount[]
  /** Folder of the auth files inside the proxy; default `/srv/cpa/auths`. */
  readonly authDir?: string
  /** The proxy's time zone; default 0, but 480 in its Docker image. */
  readonly utcOffsetMinutes?: number
}

/** A plugin as the proxy lists it. */
interface FakePlugin {
  readonly id: string
  readonly enabled: boolean
  /** Null before it is loaded. */
  readonly metadata: { readonly name: string; readonly version: string } | null
}

export const fakeGenerations = ['v6', 'v7', 'v8', 'v8-only', 'home'] as const
export type FakeGeneration = (typeof fakeGenerations)[number]

/** Settings that an operator can change while the proxy runs. */
export interface FakeSettings {
  /**
   * Management API: `v6` and `v7` have v0 alone, `v8` has both, `v8-only` has v8 alone, `home` is a Home, which has v0. Everything of v8 and of a Home is written from known facts, not from
   * a recording.
   */
  generation: FakeGeneration
  managementKey: string
  management: FakeManagement
  version: string
  /** Value of `X-CPA-SUPPORT-PLUGIN`; null for a build from before plugins, which does not send it. */
  pluginSupport: '0' | '1' | null
  /** Whether the proxy loads plugins, and its plugin list; written from known facts, not from a recording. */
  pluginsEnabled: boolean
  plugins: readonly FakePlugin[]
  /** False simulates a proxy before v6.9.10. */
  healthz: boolean
  usageStatisticsEnabled: boolean
  /** The section of a v8 configuration about usage, where it differs from the two settings; null if it is absent. */
  usageSection?: Readonly<Record<string, unknown>> | null
  /** Whether RESP is answered: a Home refuses it, and before v6.9.38 there was none. */
  resp: 'open' | 'refused' | 'none'
  /** Form in which usage is offered: the queue since v6.10.8, the tree before v6.10.0, neither in between. */
  usage: 'queue' | 'legacy' | 'none'
  /** Seconds the queue keeps unread records. */
  queueRetentionSeconds: number
  /** Minimum seconds between two granted quota queries of one account, by provider, where they differ from the vendor's. */
  readonly vendorSecondsApart: Record<string, number>
  /** True simulates a proxy with `quota/fetch`, newer than v7.2.140. */
  quotaFetch: boolean
  /** True simulates a proxy whose list has the last quota headers, newer than v7.2.140. */
  quotaSignals: boolean
  /** True simulates a proxy whose list has cooldowns, newer than v7.2.140. */
  cooldowns: boolean
  /** The proxy's clock minus ours, in milliseconds. */
  clockAheadMs: number
}

/** Requests and vendor calls kept for inspection; older ones are dropped so that a long run stays small. */
const LOG_MAX = 10_000

/** Counters since the start. `bannedRequests` and `refusedRequests` (every other 401 and 403) are all requests the key check rejected. */
export interface FakeStats {
  requests: number
  authenticatedRequests: number
  refusedRequests: number
  bannedRequests: number
  readonly requestsByRoute: Record<FakeRoute, number>
  /** Management requests being answered now, and their maximum so far. */
  managementInFlight: number
  managementInFlightMax: number
  /** Failed attempts in the ban counter now, 0..5; 5 means banned. */
  readonly failedAttempts: number
}

/** One received request. `status` is null while the request is being answered, and if its connection was dropped. */
export interface FakeRequest {
  readonly at: EpochMs
  readonly method: string
  readonly path: string
  readonly route: FakeRoute
  readonly headers: Headers
  status: number | null
}

/** Creates the initial state of a fake proxy, with its accounts brought up to the present. */
export function createFakeState(options: FakeUpstreamOptions) {
  const { sleep = realSleep, authDir = '/srv/cpa/auths', utcOffsetMinutes = 0 } = options
  const accounts: FakeAccount[] = [...(options.accounts ?? [])]
  const settings: FakeSettings = {
    generation: 'v7',
    managementKey: options.managementKey,
    management: 'open',
    version: options.version ?? 'v7.2.140',
    pluginSupport: '0',
    pluginsEnabled: false,
    plugins: [],
    healthz: true,
    usageStatisticsEnabled: true,
    resp: 'none',
    usage: 'queue',
    queueRetentionSeconds: 60,
    clockAheadMs: 0,
    vendorSecondsApart: {},
    quotaFetch: false,
    quotaSignals: false,
    cooldowns: false,
  }
  const now = () => plusMs(options.now(), settings.clockAheadMs)
  const gate = createManagementGate(now)
  const usage = createFakeUsage(
    utcOffsetMinutes,
    () => settings.usage === 'legacy',
    () => settings.generation.startsWith('v8'),
  )
  const authIndexOf = (account: FakeAccount) => authIndexIn(authDir, account)
  /** Records a client request if the proxy keeps statistics. */
  const note: NoteUsage = (account, request) => {
    const source = account.hasEmail ? account.email : DEFAULT_KEY
    const provider = request.form?.provider ?? account.provider
    if (settings.usageStatisticsEnabled)
      usage.record({ source, provider, authIndex: authIndexOf(account), ...request })
  }
  const ownCalls: VendorCall[] = []
  const callVendor = (account: FakeAccount, call: OwnCall | null) => {
    if (call !== null) keep(ownCalls, ownCallOf(account, call, now()))
  }
  const registerModels = () => {
    for (const account of accounts) {
      if (account.disabled) continue
      callVendor(account, vendorOf(account.provider)?.ownCalls.afterFileChange ?? null)
    }
  }
  /** Notes that an auth file was written, added or removed: the proxy registers all accounts again and shows none of their errors. */
  const filesChanged = () => {
    for (const account of accounts) forgetErrors(account, now())
    registerModels()
    usage.announce('{"refresh":true}')
  }
  /** Brings the accounts up to the present moment. */
  const settle = () => {
    for (const account of accounts) settleAccount(account, now(), note)
    const unmarked = accounts.filter(
      ({ hasDisabledKey, success, failed }) => !hasDisabledKey && success + failed > 0,
    )
    for (const account of unmarked) {
      account.hasDisabledKey = true
      account.modifiedAt = now()
    }
    if (unmarked.length > 0) filesChanged()
    for (const account of accounts) afterSettling(account)
  }
  /** Refreshes a token that is due. */
  const afterSettling = (account: FakeAccount) => {
    if (account.refreshDueAt !== null && account.refreshDueAt <= now()) {
      account.refreshDueAt = null
      refresh(account)
    }
  }
  /** Rewrites the account's file, like a note or a refreshed token. */
  const write = (account: FakeAccount) => {
    settle()
    account.updatedAt = account.modifiedAt = now()
    filesChanged()
  }
  /** Has the proxy refresh the token now, which rewrites the file; false if the vendor refuses, which leaves no trace. */
  const refresh = (account: FakeAccount): boolean => {
    const own = vendorOf(account.provider)?.ownCalls
    callVendor(account, own?.refresh ?? null)
    if (!renew(account, now())) return false
    callVendor(account, own?.afterRefresh ?? null)
    write(account)
    return true
  }
  settle()
  registerModels()
  return {
    /** The proxy's clock. */
    now,
    sleep,
    authDir,
    utcOffsetMinutes,
    settings,
    /** The auth files; may be changed in place. */
    accounts,
    /** The account's current index, which depends on the file name. */
    authIndexOf,
    settle,
    filesChanged,
    write,
    note,
    refreshToken: refresh,
    usage,
    gate,
    faults: createPlannedFaults(),
    stats: noRequestsYet(gate.failuresOpen),
    /** Newest last; at most 10,000. */
    requests: [] as FakeRequest[],
    /** Requests that reached the vendor, or were meant for another host; newest last, at most 10,000. */
    vendorCalls: [] as VendorCall[],
    /** Requests of the proxy itself to vendors: refreshed tokens, lists of models, profiles. Newest last; at most 10,000. */
    ownCalls,
    vendorRules: createVendorRules(settings.vendorSecondsApart),
  }
}

/** State that requests read and change, and that tests inspect. */
export type FakeState = ReturnType<typeof createFakeState>

function ownCallOf(account: FakeAccount, call: OwnCall, at: EpochMs): VendorCall {
  const { method, url, userAgent } = call
  const { provider, token } = account
  const kind = 'other'
  const host = new URL(url).host
  return {
    at,
    method,
    host,
    url,
    token,
    known: true,
    accountHeader: null,
    userAgent,
    provider,
    kind,
    account,
  }
}

/** Real time, without keeping the program alive after its server has closed. */
function realSleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}

/** Gives the account another token, unless its login is revoked or the vendor is out of reach. */
function renew(account: FakeAccount, at: EpochMs): boolean {
  const { token, vendor } = account
  const isRefused =
    vendor === 'token_invalidated' || vendor === 'token_revoked' || vendor === 'network_dead'
  if (isRefused || token === null) return false
  account.token = nextToken(token)
  account.lastRefreshAt = at
  if (vendor === 'token_expired') account.vendor = 'quota'
  return true
}

/** The token after this one: `x`, `x-r1`, `x-r2`. */
function nextToken(token: string): string {
  const [, base = token, count = '0'] = /^(.*)-r(\d+)$/.exec(token) ?? []
  return `${base}-r${Number(count) + 1}`
}

/** Counters at zero. `failedAttempts` reads the key check. */
function noRequestsYet(failuresOpen: () => number): FakeStats {
  return {
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
      return failuresOpen()
    },
  }
}

/** Adds to a log and, if it is full, drops its oldest entry. */
export function keep<Entry>(log: Entry[], entry: Entry): void {
  log.push(entry)
  if (log.length > LOG_MAX) log.shift()
}
