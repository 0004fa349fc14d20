import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createMissingRequestsWatch } from './missing-requests.ts'

const MINUTE_MS = 60_000

function aWatch() {
  const clock = virtualClock(async () => undefined)
  const watch = createMissingRequestsWatch(clock)
  /** An account list, then a pop that empties the queue. */
  const round = async (requestCount: number, recordCount: number) => {
    watch.listBegins()
    watch.listed(requestCount)
    await clock.advance(3_000)
    watch.popBegins()
    watch.popped({ recordCount, emptied: true })
  }
  return { clock, watch, round }
}

it('suspects a rival from the first losses until ten quiet minutes have passed', async () => {
  const { clock, watch, round } = aWatch()
  await round(100, 0)
  await round(104, 0)
  expect(watch.isRivalSuspected(), 'a few may be on their way').toBe(false)
  await round(106, 1)
  expect(watch.isRivalSuspected()).toBe(true)
  expect(watch.uncounted()?.count).toBe(5)
  await clock.advance(9 * MINUTE_MS)
  await round(107, 0)
  await clock.advance(9 * MINUTE_MS)
  expect(watch.isRivalSuspected()).toBe(true)
  await clock.advance(MINUTE_MS + 1)
  expect(watch.isRivalSuspected()).toBe(false)
})

it('counts what is explained and suspects nobody for it', async () => {
  const { clock, watch, round } = aWatch()
  await round(100, 0)
  watch.explain(null)
  await clock.advance(1)
  await round(130, 0)
  expect(watch.uncounted()?.count).toBe(30)
  expect(watch.isRivalSuspected()).toBe(false)
  await round(140, 0)
  expect(watch.isRivalSuspected()).toBe(true)
})

it('proves nothing by a list that is too fresh, by a queue that was not emptied, or while no records are kept', async () => {
  const { watch, round } = aWatch()
  await round(100, 0)
  watch.listBegins()
  watch.listed(150)
  watch.popBegins()
  watch.popped({ recordCount: 0, emptied: true })
  expect(watch.uncounted()).toBeNull()
  watch.useRecording(false)
  await round(200, 0)
  watch.useRecording(true)
  await round(250, 0)
  expect(watch.uncounted()).toBeNull()
  await round(251, 0)
  expect(watch.uncounted()?.count).toBe(1)
})

it('counts what the proxy has thrown away while nothing is taken, over the gap that tells of it', async () => {
  const { clock, watch, round } = aWatch()
  await round(100, 0)
  const list = async (requestCount: number) => {
    watch.listBegins()
    watch.listed(requestCount)
    await clock.advance(15_000)
  }
  for (const requestCount of [110, 120, 130, 140, 150, 160]) await list(requestCount)
  watch.forgotten(60)
  expect(watch.uncounted()?.count, 'of lists older than a minute').toBe(20)
  const gap = { from: clock.now(), to: clock.now() }
  watch.explain(gap)
  expect(watch.uncounted()).toEqual({ count: 20, ...gap })
  expect(watch.isRivalSuspected()).toBe(true)
})

it('counts once, over the time since nothing was missing', async () => {
  const { watch, round } = aWatch()
  await round(100, 0)
  await round(109, 0)
  const found = watch.uncounted()
  expect((found?.to ?? 0) - (found?.from ?? 0)).toBe(3_000)
  if (found !== null) watch.counted(found)
  expect(watch.uncounted()).toBeNull()
})

describe('a queue that gives nothing although requests are made', () => {
  /** A list and an empty pop a minute, with so many requests more at each list and so many records. */
  async function minutes(
    watch: ReturnType<typeof createMissingRequestsWatch>,
    clock: ReturnType<typeof virtualClock>,
    { count, requests, records }: { count: number; requests: number; records: number },
    total = 0,
  ) {
    let listed = total
    for (let minute = 0; minute < count; minute += 1) {
      listed += requests
      watch.listBegins()
      watch.listed(listed)
      await clock.advance(MINUTE_MS)
      watch.popBegins()
      watch.popped({ recordCount: records, emptied: true })
    }
    return listed
  }

  it.each([
    { why: '3 requests a minute for 12 minutes', requests: 3, records: 0, count: 12, shown: true },
    { why: 'not for ten minutes yet', requests: 3, records: 0, count: 9, shown: false },
    { why: 'fewer than 20 requests', requests: 1, records: 0, count: 15, shown: false },
    {
      why: 'a part is handed out, as beside a popper',
      requests: 5,
      records: 1,
      count: 15,
      shown: false,
    },
    { why: 'no requests', requests: 0, records: 0, count: 15, shown: false },
  ])('$why: $shown', async ({ shown, ...traffic }) => {
    const clock = virtualClock(() => Promise.resolve())
    const watch = createMissingRequestsWatch(clock)
    await minutes(watch, clock, { count: 1, requests: 0, records: 0 })
    const listed = await minutes(watch, clock, traffic)

    expect(watch.isStarved()).toBe(shown)
    // What comes by subscription does not show that the other subscriber has gone.
    await minutes(watch, clock, { count: 3, requests: 2, records: 2 }, listed)
    expect(watch.isStarved()).toBe(shown)
    watch.explain(null)
    expect(watch.isStarved(), 'after a restart of the proxy').toBe(false)
  })
})
