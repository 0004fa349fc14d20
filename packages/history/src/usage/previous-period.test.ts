import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageSeries } from '@svc/core/usage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'

const MINUTE_MS = 60_000
const DAYS = 15
const EVERY_MINUTES = 5
/** Buckets of a week are two hours wide, and NOW is where one begins. */
const BUCKET_MINUTES = 120

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A chart of a week beside the week before, of a store with one request every five minutes whose rows are kept for so many days. */
async function weekOf(usageDays: number, now: EpochMs): Promise<UsageSeries> {
  const location = join(folder, 'history.db')
  const store = await openHistory(location)
  const length = (DAYS * 24 * 60) / EVERY_MINUTES
  const details = Array.from({ length }, (_, number) =>
    aDetail(0, {
      key: BigInt(number),
      at: plusMs(NOW, (BUCKET_MINUTES - number * EVERY_MINUTES) * MINUTE_MS),
      tokens: 100,
      accountKey: 'account',
    }),
  )
  await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(details, { receivedAt: plusMs(now, 0) }))
  const plan = { usageDays, historyDays: 90 }
  while (await store.retain(plan, { asOf: now, rowsMax: 5_000 })) {}
  const usage = await openUsage({ location, retentionDays: usageDays })
  try {
    const query = {
      range: '7d',
      group: 'account',
      metric: 'requests',
      top: 8,
      compare: true,
    } as const
    return await usage.series(query, now)
  } finally {
    await usage.close()
    await store.close()
  }
}

describe('the week before a chart', () => {
  it.each([
    { minutes: EVERY_MINUTES, why: 'it has just begun' },
    { minutes: 90, why: 'three quarters have come' },
  ])(
    'counts of its last bucket what had come by then, its rows gone or not: $why',
    async ({ minutes }) => {
      const now = plusMs(NOW, minutes * MINUTE_MS)
      const kept = await weekOf(30, now)
      rmSync(folder, { recursive: true, force: true })
      folder = mkdtempSync(join(tmpdir(), 'svc-history-'))
      const forgotten = await weekOf(3, now)

      for (const { previous } of [kept, forgotten]) {
        expect(previous?.totalBuckets.at(-1)).toMatchObject({
          requests: minutes / EVERY_MINUTES,
          tokens: (minutes / EVERY_MINUTES) * 100,
          failed: 0,
        })
        const [line] = [...(previous?.bucketsById.values() ?? [])]
        expect(line?.at(-1)).toMatchObject({ requests: minutes / EVERY_MINUTES })
      }
      expect(forgotten.previous?.totals).toEqual(kept.previous?.totals)
      expect(forgotten.previous?.totalBuckets).toEqual(kept.previous?.totalBuckets)
    },
  )

  it('counts its last bucket whole where it has come whole', async () => {
    const { previous } = await weekOf(3, NOW)

    expect(previous?.totalBuckets.at(-1)?.requests).toBe(BUCKET_MINUTES / EVERY_MINUTES)
  })
})
