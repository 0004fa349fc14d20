import { type EpochMs, plusMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import type { Vendor } from './vendors/vendor.ts'
import type { VendorBehaviour } from './vendors/vendor-behaviour.ts'

interface PlannedRefusal {
  readonly behaviour: VendorBehaviour
  /** Null: every host of the vendor. */
  readonly host: string | null
  /** Calls left; Infinity until it is cleared. */
  calls: number
}

/** Refusals of whole vendors, and their memory of who asked when. */
export interface VendorRules {
  /** Has the vendor of this provider behave so toward every query, or the next `calls` of them, at one `host` or all; null ends it. */
  fail(
    provider: string,
    behaviour: VendorBehaviour | null,
    where?: { readonly calls?: number; readonly host?: string },
  ): void
  /** The behaviour planned for the current query; null for none. */
  take(provider: string, host: string): VendorBehaviour | null
  /** Grants a quota query unless the account got another one too short a time ago. */
  grant(vendor: Vendor, account: FakeAccount, at: EpochMs): boolean
}

/** Creates the rules. `secondsApart` overrides each vendor's own limit, by provider. */
export function createVendorRules(secondsApart: Readonly<Record<string, number>>): VendorRules {
  let planned: readonly (PlannedRefusal & { readonly provider: string })[] = []
  const grantedAt = new Map<string, EpochMs>()
  return {
    fail(provider, behaviour, { calls = Number.POSITIVE_INFINITY, host = null } = {}) {
      planned = planned.filter((refusal) => behaviour !== null || refusal.provider !== provider)
      if (behaviour !== null) planned = [...planned, { provider, behaviour, host, calls }]
    },
    take(provider, host) {
      const refusal = planned.find(
        (one) => one.provider === provider && (one.host ?? host) === host && one.calls > 0,
      )
      if (refusal === undefined) return null
      refusal.calls -= 1
      return refusal.behaviour
    },
    grant(vendor, { provider, accountId }, at) {
      const seconds = secondsApart[provider] ?? vendor.secondsApart
      const key = `${provider}|${accountId}`
      const before = grantedAt.get(key)
      if (before !== undefined && plusMs(before, seconds * 1000) > at) return false
      grantedAt.set(key, at)
      return true
    },
  }
}
