import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { createDictionaries } from '../sql/dictionary.ts'
import { addBatch, prepareBatch } from '../sql/usage-rows.ts'
import { connectionTo } from '../sqlite/connection.ts'
import { createRowWriter } from '../sqlite/usage-rows.ts'

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

export async function storeUsage(
  db: Database,
  details: readonly UsageDetail[],
  receivedAt: EpochMs = NOW,
): Promise<void> {
  const connection = connectionTo(db)
  const rows = createRowWriter(db)
  const parts = { names: createDictionaries(connection, 'instance'), rows }
  const from = { upstream: DEFAULT_UPSTREAM, cut: epochMs(0) }
  const prepared = await prepareBatch(parts, aBatch(details, { receivedAt }), from)
  await connection.transaction('write', () =>
    addBatch({ db: connection, rows }, prepared, { cut: from.cut, ratesUntil: null }),
  )
}

/** That many requests, one a second up to NOW. */
export function someDetails(length: number): readonly UsageDetail[] {
  return Array.from({ length }, (_, number) => aDetail(number))
}
