import { type EpochMs, plusMs } from '@svc/core'
import { authIndexIn } from './auth-files-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import type { FakeSettings } from './fake-settings.ts'
import { forgetErrors, settleAccount } from './fake-traffic.ts'
import { createFakeUsage, DEFAULT_KEY, type FakeUsage, type FakeUsageShape } from './fake-usage.ts'
import type { VendorCall } from './fake-vendor.ts'
import { createPlannedFaults, type PlannedFaults } from './faults.ts'
import { createManagementGate, type ManagementGate } from './management-gate.ts'
import { type FakeRequest, type FakeStats, keep, noRequestsYet } from './request-log.ts'
import { createVendorRules, type VendorRules } from './vendor-answer.ts'
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

/** State that requests read and change, and that tests inspect. */
export interface FakeState {
  /** The proxy's clock. */
  readonly now: () => EpochMs
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly authDir: string
  readonly utcOffsetMinutes: number
  readonly settings: FakeSettings
  /** The auth files; may be changed in place. */
  readonly accounts: FakeAccount[]
  /** The account's current index, which depends on the file name. */
  readonly authIndexOf: (account: FakeAccount) => string
  /** Brings the accounts up to the present moment. */
  readonly settle: () => void
  /** Notes that an auth file was written, added or removed: the proxy registers all accounts again and shows none of their errors. */
  readonly filesChanged: () => void
  /** Rewrites the account's file, like a note or a refreshed token. */
  readonly write: (account: FakeAccount) => void
  /** Records a client request if the proxy keeps statistics. */
  readonly note: (
    account: FakeAccount,
    request: Pick<FakeUsageShape, 'at' | 'failed' | 'headers' | 'form'>,
  ) => void
  /** Has the proxy refresh the token now, which rewrites the file; false if the vendor refuses, which leaves no trace. */
  readonly refreshToken: (account: FakeAccount) => boolean
  readonly usage: FakeUsage
  readonly gate: ManagementGate
  readonly faults: PlannedFaults
  readonly stats: FakeStats
  /** Newest last; at most 10,000. */
  readonly requests: FakeRequest[]
  /** Requests that reached the vendor, or were meant for another host; newest last, at most 10,000. */
  readonly vendorCalls: VendorCall[]
  /** Requests of the proxy itself to vendors: refreshed tokens, lists of models, profiles. Newest last; at most 10,000. */
  readonly ownCalls: VendorCall[]
  readonly vendorRules: VendorRules
}

/** Creates the initial state of a fake proxy, with its accounts brought up to the present. */
export function createFakeState(options: FakeUpstreamOptions): FakeState {
  const { sleep = realSleep, authDir = '/srv/cpa/auths', utcOffsetMinutes = 0 } = options
  const accounts: FakeAccount[] = [...(options.accounts ?? [])]
  const settings: FakeSettings = {
    generation: 'v7',
    quotaFetchUnderV8: true,
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
  const note: FakeState['note'] = (account, request) => {
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
  const filesChanged = () => {
    for (const account of accounts) forgetErrors(account, now())
    registerModels()
    usage.announce('{"refresh":true}')
  }
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
  /** Writes the file of an account whose profile the proxy lacks, or whose token is due. */
  const afterSettling = (account: FakeAccount) => {
    if (!account.hasAccountUuid && account.success + account.failed > 0) {
      account.hasAccountUuid = true
      callVendor(account, vendorOf(account.provider)?.ownCalls.afterRefresh ?? null)
      write(account)
    }
    if (account.refreshDueAt !== null && account.refreshDueAt <= now()) {
      account.refreshDueAt = null
      refresh(account)
    }
  }
  const write = (account: FakeAccount) => {
    settle()
    account.updatedAt = account.modifiedAt = now()
    filesChanged()
  }
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
    now,
    sleep,
    authDir,
    utcOffsetMinutes,
    settings,
    accounts,
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
    requests: [],
    vendorCalls: [],
    ownCalls,
    vendorRules: createVendorRules(settings.vendorSecondsApart),
  }
}

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
