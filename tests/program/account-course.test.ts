import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, parseInstant } from '@svc/core'
import { aFakeAccount } from '@svc/fake-proxy'
import type { AccountDetail, QuotaCourse, Recommendations } from '@svc/views'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { contractErrors } from '../contract.ts'

let folder: string
let running: ProxiedService | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-course-'))
})
afterEach(async () => {
  await running?.stop()
  running = null
  rmSync(folder, { recursive: true, force: true })
})

const ana = aFakeAccount({ name: 'ana' })

/** A service with one account that has been read, and the path of its course. */
async function service(flags: Readonly<Record<string, string>>) {
  const live = await startService({
    where: 'here',
    time: acceleratedClock({ factor: paceOfBusyMachine(10) }),
    accounts: [ana],
    flags,
  })
  running = live
  const items = async () => (await live.json<Recommendations>('/api/v1/recommendations')).items
  await eventually('the account has been read', async () =>
    (await items()).some(({ quotaWindows }) => quotaWindows[0]?.state === 'known'),
  )
  const [item] = await items()
  return { live, path: `/api/v1/accounts/${item?.selector.accountKey}/quota` }
}

describe('the course of an account of a live service', () => {
  it('is what the store has recorded of it, with what each reading came with', async () => {
    const { live, path } = await service({
      'state-db': join(folder, 'history.db'),
      'history-write-seconds': '5',
    })
    await eventually('a reading is recorded', async () => {
      const { windows } = await live.json<QuotaCourse>(path)
      return windows.some(({ points }) => points.length > 0)
    })
    const course = await live.json<QuotaCourse>(path)

    expect(contractErrors('/api/v1/accounts/{accountKey}/quota', course)).toEqual([])
    expect(course).toMatchObject({ available: true, reason: null })
    for (const { points, gaps } of course.windows) {
      expect(points[0]?.origin).toBe('direct')
      expect(points[0]?.ageSeconds).toBeGreaterThanOrEqual(0)
      // Before the service was started nothing is known.
      expect(gaps[0]).toEqual({ from: course.range.start, to: points[0]?.t })
    }
    expect((await fetch(`${live.url}/api/v1/accounts/ffffffffffffffff/quota`)).status).toBe(404)
    const account = path.replace('/quota', '')
    live.fake.usage.record({
      at: parseInstant(course.range.end) ?? epochMs(0),
      source: 'ana@example.com',
      authIndex: live.fake.authIndexOf(ana),
    })
    await eventually('the request is counted for the account', async () => {
      const { usage } = await live.json<AccountDetail>(account)
      return usage.lastWeek?.requests === 1 && usage.lastDay?.requests === 1
    })
    expect(contractErrors('/api/v1/accounts/{accountKey}', await live.json(account))).toEqual([])
  })
})
