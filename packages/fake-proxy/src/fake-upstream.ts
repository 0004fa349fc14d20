import { type EpochMs, plusMs } from '@svc/core'
import type { Hono } from 'hono'
import { authIndexIn } from './auth-files-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import { createFakeApp } from './fake-app.ts'
import type { FakeEnv } from './fake-connection.ts'
import { aFakeQuota, type FakeQuotaForm, isQuotaForm } from './fake-quota.ts'
import type { FakeSettings } from './fake-settings.ts'
import {
  clearStatus,
  forgetCounters,
  recordFailure,
  recordSuccess,
  settleAccount,
} from './fake-traffic.ts'
import { createFakeUsage, type FakeUsage, type FakeUsageShape } from './fake-usage.ts'
import type { VendorCall } from './fake-vendor.ts'
import { createManagementGate } from './management-gate.ts'
import { createPlannedFaults, type PlannedFaults } from './planned-faults.ts'
import { type FakeRequest, type FakeStats, noRequestsYet } from './request-log.ts'
import type { VendorBehaviour } from './vendor-behaviour.ts'

/** How a fake proxy begins. */
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

/** A CLIProxyAPI v7 with a simulated vendor behind it. */
export interface FakeUpstream extends Pick<PlannedFaults, 'failNext' | 'setFault'> {
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
  setStatus(
    account: FakeAccount,
    status: Partial<Pick<FakeAccount, 'status' | 'statusMessage' | 'unavailable' | 'nextRetryAt'>>,
  ): void
  /** Client requests at this moment: first the successes, which burn quota, then the failures, which leave the status their cause leaves. */
  traffic(
    account: FakeAccount,
    requests: { readonly success?: number; readonly failed?: number },
  ): void
  /** Sets how the vendor treats the account; the name of a quota form gives it that quota. */
  setVendor(account: FakeAccount, behaviour: VendorBehaviour | FakeQuotaForm): void
  /** The proxy starts again: counters, cooldowns and bans are gone, files and indexes stay. */
  restart(): void
}

/** Makes a fake proxy. It answers `app.request`, `fetchOf(fake)` and, on a socket, any server that takes a fetch handler. */
export function createFakeUpstream(options: FakeUpstreamOptions): FakeUpstream {
  const sleep = options.sleep ?? realSleep
  const authDir = options.authDir ?? '/srv/cpa/auths'
  const utcOffsetMinutes = options.utcOffsetMinutes ?? 0
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
  const stats = noRequestsYet(gate.failuresOpen)
  const usage = createFakeUsage(utcOffsetMinutes, () => settings.usage === 'legacy')
  const requests: FakeRequest[] = []
  const vendorCalls: VendorCall[] = []
  const faults = createPlannedFaults()

  const note = (
    account: FakeAccount,
    request: Pick<FakeUsageShape, 'at' | 'failed' | 'headers'>,
  ) => {
    if (settings.usageStatisticsEnabled)
      usage.record({ source: account.email, authIndex: authIndexOf(account), ...request })
  }
  const settle = () => {
    for (const account of accounts) settleAccount(account, now(), note)
  }
  const authIndexOf = (account: FakeAccount) => authIndexIn(authDir, account)
  settle()

  const app = createFakeApp({
    now,
    sleep,
    authDir,
    utcOffsetMinutes,
    settings,
    accounts,
    authIndexOf,
    settle,
    usage,
    gate,
    faults,
    stats,
    requests,
    vendorCalls,
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
    failNext: faults.failNext,
    setFault: faults.setFault,
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

/** Does not keep a program alive whose server is gone. */
function realSleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}

function switchAccount(account: FakeAccount, disabled: boolean, at: EpochMs): void {
  account.disabled = disabled
  account.updatedAt = account.modifiedAt = at
  clearStatus(account)
}
