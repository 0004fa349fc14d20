import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { type Database, inTransaction } from '@svc/sqlite'
import { createDictionaries } from '../sqlite/dictionary.ts'
import { createUsageRows } from '../sqlite/usage-rows.ts'

export const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

/** A request that many seconds before NOW. */
export function aDetail(number: number, changes: Partial<UsageDetail> = {}): UsageDetail {
  return {
    at: plusMs(NOW, -number * 1000),
    key: BigInt(number),
    accountKey: `account-${number % 3}`,
    apiName: `key-${number % 2}`,
    model: 'model',
    tokens: 10,
    failed: false,
    ...changes,
  }
}

export function aBatch(
  details: readonly UsageDetail[],
  changes: Partial<UsageBatch> = {},
): UsageBatch {
  return { receivedAt: NOW, details, quarantined: [], saturatedCount: 0, ...changes }
}

export function storeUsage(
  db: Database,
  details: readonly UsageDetail[],
  receivedAt: EpochMs = NOW,
): void {
  const dictionaries = createDictionaries(db, 'instance')
  const rows = createUsageRows(db, dictionaries)
  inTransaction(db, () =>
    rows.add(aBatch(details, { receivedAt }), { upstream: DEFAULT_UPSTREAM, cut: epochMs(0) }),
  )
}

/** That many requests, one a second up to NOW. */
export function someDetails(length: number): readonly UsageDetail[] {
  return Array.from({ length }, (_, number) => aDetail(number))
}
