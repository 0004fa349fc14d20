import { virtualClock } from '@svc/core/testing'
import { fetchOf, livePool } from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import { afterEach, expect, it } from 'vitest'
import { seededRandom } from '../../tooling/bench/goals.ts'
import { settle, settleCompressed } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'

const MINUTE_MS = 60_000

let live: ProxiedService | null = null
afterEach(() => live?.stop())

/** Units an hour by which the line fell; what came back at resets between two points is left out. */
function slopeOf(past: readonly { readonly at: string; readonly known: number }[]): number {
  let fell = 0
  let ms = 0
  for (const [index, point] of past.entries()) {
    const before = past[index - 1]
    if (before === undefined) continue
    if (point.known > before.known) continue
    fell += before.known - point.known
    ms += Date.parse(point.at) - Date.parse(before.at)
  }
  return (fell / ms) * 60 * MINUTE_MS
}

it('the pace of a fresh pool is the slope of its own line', async () => {
  const clock = virtualClock(settle)
  live = await startService({
    where: 'here',
    time: clock,
    accounts: livePool(25, clock.now()),
    fetchOf,
    random: seededRandom(7),
  })
  await clock.advance(31 * MINUTE_MS)
  await settleCompressed()

  const { tabs } = await live.json<StatusSnapshot>('/api/v1/status')
  for (const { runway, past } of tabs.trends.windows) {
    const slope = slopeOf(past)
    expect(slope).toBeGreaterThan(0)
    expect(Math.abs((runway.burnPerHour ?? 0) / slope - 1)).toBeLessThan(0.25)
  }
})
