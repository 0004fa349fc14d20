import { silentLog, virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, fetchOf } from '@svc/fake-proxy'
import { expect, it } from 'vitest'
import { createLiveSource } from './live-source.ts'
import { liveSourceOptions, reportInto } from './testing/live-source-options.ts'
import { anIngestedUsage, aSink } from './testing/usage-equipment.ts'

const KEY = 'management-key'
/** Number of pops that are full of new records. */
const FULL_POPS = 500
const fullOf = (elementCount: number) =>
  anIngestedUsage({
    elementCount,
    tally: { seen: elementCount, stored: elementCount, duplicate: 0, quarantined: 0, expired: 0 },
  })

/** Time for several pops, if only the answers held them up. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

it('a queue that is never empty is read ten times a second at most', async () => {
  const clock = virtualClock(settle)
  let pops = 0
  const sink = aSink({
    now: clock.now,
    async storeQueue() {
      pops += 1
      return fullOf(pops <= FULL_POPS ? 2_000 : 0)
    },
  })
  const fake = createFakeUpstream({
    now: clock.now,
    managementKey: KEY,
    accounts: [aFakeAccount({ name: 'ana' })],
  })
  const source = createLiveSource(liveSourceOptions(KEY), {
    clock,
    fetch: fetchOf(fake),
    random: () => 0.5,
    log: silentLog,
    usageSink: sink,
    report: reportInto([]),
  })
  source.start(() => undefined)
  await clock.advance(8_000)
  await source.stop()

  expect(pops).toBeGreaterThan(60)
  expect(pops).toBeLessThanOrEqual(81)
})
