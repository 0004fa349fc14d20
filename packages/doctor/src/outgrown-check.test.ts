import type { FileUse } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import type { StoreInspection } from '@svc/history'
import { describe, expect, it } from 'vitest'
import { outgrownVerdict } from './store-checks.ts'

const GB = 1e9
const DAY_SECONDS = 86_400
const use = (changes: Partial<FileUse>): FileUse => ({
  freeBytes: 50 * GB,
  roomBytes: 50 * GB,
  usedBytes: 50 * GB,
  requestCount: 1,
  requestsPerDay: 500 * DAY_SECONDS,
  oldestRowAt: fromNow(-91 * DAY_SECONDS),
  ...changes,
})
const store = (changes: Partial<StoreInspection>): StoreInspection => ({
  file: 'store',
  fileBytes: 50 * GB,
  isIntact: true,
  isLocked: false,
  freeBytes: 50 * GB,
  isOnNetwork: false,
  sharedBy: null,
  use: use({}),
  ...changes,
})

describe('a file', () => {
  it('that is as large, as busy and as old as it may be is enough', () => {
    expect(outgrownVerdict(store({}), 90, NOW)).toMatchObject({ status: 'ok' })
    expect(outgrownVerdict(store({ use: null }), 90, NOW).status).toBe('ok')
  })

  it.each([
    [{ fileBytes: 50.6 * GB }, '50.6GB'],
    [{ use: use({ requestsPerDay: 501 * DAY_SECONDS }) }, '501 requests a second, day and night'],
    [
      { use: use({ oldestRowAt: fromNow(-91 * DAY_SECONDS - 1) }) },
      /older than usage_retention_days/,
    ],
    [{ isOnNetwork: true }, 'a network file system'],
  ])('with %j is outgrown, and a database is the remedy', (changes, detail) => {
    expect(outgrownVerdict(store(changes), 90, NOW)).toMatchObject({
      status: 'warn',
      code: 'outgrown',
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
      hint: expect.stringContaining('migrate-history'),
    })
  })

  it('that is yet to be made has not been outgrown', () => {
    expect(outgrownVerdict(store({ file: 'missing', isOnNetwork: true }), 90, NOW).status).toBe(
      'skip',
    )
  })
})
