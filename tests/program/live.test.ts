import { samplePool } from '@svc/fake-proxy'
import type { Recommendations, StatusSnapshot } from '@svc/views'
import { healthSchema, recommendationsSchema, statusSnapshotSchema } from '@svc/views'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import {
  type LocalOptions,
  type ProxiedService,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine, testInstant } from '../../tooling/test-instant.ts'
import { contractErrors, jsonPaths } from '../contract.ts'

/** One second of the test is this many of the service. Deadlines shrink with it, so more would fail on a slow machine. */
const FACTOR = paceOfBusyMachine(10)

let running: ProxiedService | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

async function service(options: Omit<LocalOptions, 'time'> & { readonly factor?: number }) {
  running = await startService({
    where: 'here',
    time: acceleratedClock({ factor: options.factor ?? FACTOR }),
    ...options,
  })
  return running
}

const recommendations = (live: ProxiedService) =>
  live.json<Recommendations>('/api/v1/recommendations')

/** What each account of the recorded pool must look like: badge-like status word, blocked reasons, and whether it is known to have quota. */
const EXPECTED: Readonly<Record<string, readonly [status: string, reasons: readonly string[]]>> = {
  'user1@example.com': ['Active', []],
  'user2@example.com': ['Active', []],
  'user3@example.com': ['5h quota used up', ['quota_exhausted_5h', 'upstream_retry_after']],
  'user4@example.com': ['Active', []],
  'user5@example.com': ['Weekly quota used up', ['quota_exhausted_week', 'upstream_retry_after']],
  'user6@example.com': ['Auth invalid', ['auth_invalid']],
  'user7@example.com': ['Deactivated', ['auth_invalid', 'upstream_retry_after']],
  'user8@example.com': ['Held back', ['upstream_retry_after']],
  'user9@example.com': ['Held back', ['upstream_retry_after']],
  'user10@example.com': ['Disabled', ['operator_disabled']],
  'user11@example.com': ['Active', []],
  'user13@example.com': ['Held back', ['upstream_retry_after']],
}

describe('the live service over real sockets', () => {
  it('ranks the recorded pool right', async () => {
    const live = await service({ accounts: samplePool(testInstant), factor: 1 })
    await eventually('every routable account has a known window', async () => {
      const { items } = await recommendations(live)
      const routable = items.filter((item) => item.routingEligible)
      return (
        items.length === 12 &&
        routable.length === 4 &&
        routable.every((item) => item.quotaWindows.some((window) => window.state === 'known'))
      )
    })

    const { items, routableCount, blockedCount, topScore } = await recommendations(live)
    expect({ routableCount, blockedCount }).toEqual({ routableCount: 4, blockedCount: 8 })
    for (const item of items) {
      const [status, reasons] = EXPECTED[item.title] ?? ['', []]
      expect([
        item.title,
        item.summary.slice(0, status.length),
        item.routingBlockedReasons,
      ]).toEqual([item.title, status, reasons])
    }
    expect(items.slice(0, 4).map((item) => item.routingScore)).toEqual(
      [...items.slice(0, 4).map((item) => item.routingScore)].sort((a, b) => b - a),
    )
    expect(topScore).toBe(items[0]?.routingScore)
    expect(items.slice(4).every((item) => item.routingScore === 0)).toBe(true)
  })

  it('answers with what its contract says', async () => {
    const live = await service({ accounts: samplePool(testInstant) })
    await eventually(
      'an account list',
      async () => (await live.json<StatusSnapshot>('/api/v1/status')).available,
    )

    for (const path of jsonPaths) expect(contractErrors(path, await live.json(path))).toEqual([])
    v.parse(statusSnapshotSchema, await live.json('/api/v1/status'))
    v.parse(recommendationsSchema, await live.json('/api/v1/recommendations'))
    v.parse(healthSchema, await live.json('/api/v1/health'))
  })
})
