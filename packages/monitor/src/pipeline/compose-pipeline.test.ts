import { resolveConfig } from '@svc/config'
import { virtualClock } from '@svc/core/testing'
import { seriesDefaults } from '@svc/views'
import { afterEach, expect, it } from 'vitest'
import type { PickQuestion } from '../answers/ready-answer.ts'
import type { Channel } from '../threads/channel.ts'
import { composePipeline, type PipelineApi } from './compose-pipeline.ts'
import type { PipelineEvents, Publication } from './pipeline-api.ts'

const running: PipelineApi[] = []
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop()
})

const { config } = resolveConfig({
  flags: {},
  configFlag: null,
  env: {},
  cwd: '/work',
  homeDir: '/home/someone',
  hostTimeZone: 'UTC',
  demo: true,
  readTextFile() {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  },
})

/** A pipeline of the sample pool in virtual time, and what it hands to the thread that answers. */
function aDemoPipeline() {
  const clock = virtualClock(() => new Promise<void>((resolve) => setImmediate(resolve)))
  const published: Publication[] = []
  const counted: unknown[] = []
  const events: Channel<PipelineEvents> = {
    tell(method, args) {
      if (method === 'publish') published.push(args[0] as Publication)
      if (method === 'count') counted.push(args[0])
    },
    call: () => Promise.reject(new Error('nothing is awaited of the other thread')),
    pendingCount: () => 0,
    close() {},
  }
  const workers = {
    storeWriter: 'file:///writer',
    storeReader: 'file:///reader',
    storeLeases: 'file:///leases',
  }
  const pipeline = composePipeline(
    { config, exposedHost: null, demo: true, workers },
    { clock, random: () => 0.5, fetch: () => Promise.reject(new Error('the demo asks nobody')) },
    events,
  )
  running.push(pipeline)
  const statusNow = () => {
    const status = published.findLast(({ payloads }) => payloads.status !== undefined)
    return new TextDecoder().decode(status?.payloads.status?.plain.bytes)
  }
  return { clock, pipeline, published, counted, statusNow }
}

it('a pipeline that is prepared has published everything once, runs no timer, draws charts, and refreshes an account that is listed', async () => {
  const { clock, pipeline, published, statusNow } = aDemoPipeline()
  expect(published).toEqual([])
  pipeline.prepare()

  expect(published).toHaveLength(1)
  expect(Object.keys(published[0]?.payloads ?? {})).toHaveLength(4)
  expect(published[0]?.readiness).toBe('ready')
  expect(clock.scheduledCount).toBe(0)
  const found = await pipeline.chart({
    query: seriesDefaults,
    between: null,
    format: 'json',
    warnings: [],
  })
  const { plain } = 'answer' in found ? found.answer : expect.unreachable()
  const { series } = JSON.parse(new TextDecoder().decode(plain.bytes))
  expect(series.length).toBeGreaterThan(0)

  pipeline.start()
  const nobody = { scope: 'account', accountKey: 'nobody' } as const
  expect(pipeline.requestRefresh(nobody)).toBeNull()
  expect(statusNow()).toContain('"status":"idle"')

  const target = { scope: 'account', accountKey: 'c3aeb2b8278af147' } as const
  expect(pipeline.requestRefresh(target)).toMatchObject({ target, tally: { queued: 1 } })
  expect(pipeline.requestRefresh(nobody)).toMatchObject({ target })
  await clock.advance(3_000)
  pipeline.read({ payload: 'status', compression: 'none' })
  expect(statusNow()).toContain('"status":"completed","scope":"account"')
})

it('a reader of the status or the history who comes after a pause has a publication made for him', async () => {
  const { clock, pipeline, published } = aDemoPipeline()
  pipeline.prepare()
  pipeline.start()
  for (const read of [() => pipeline.read(null), () => pipeline.healthHistory()]) {
    await clock.advance(149_000)
    const before = published.length
    await read()

    expect(published.length).toBeGreaterThan(before)
  }
})

it('a scheduler that asked is on Health with the next snapshot, and a pipeline that was stopped does nothing more', async () => {
  const { clock, pipeline, published } = aDemoPipeline()
  pipeline.prepare()
  pipeline.start()
  pipeline.schedulerAsked({ version: '9.8.7', upstream: null, report: null, refusal: null })
  await clock.advance(60_000)
  pipeline.read(null)
  const health = published.findLast(({ payloads }) => payloads.health !== undefined)

  expect(new TextDecoder().decode(health?.payloads.health?.plain.bytes)).toContain(
    '"version":"9.8.7"',
  )

  expect(await pipeline.stop()).toBe(true)
  const before = published.length
  await clock.advance(600_000)
  expect([published.length, clock.scheduledCount]).toEqual([before, 0])
})

it('a refresh is shown at once and counted when it has ended; one that is cancelled shows so with the next snapshot, and is partial', async () => {
  const { clock, pipeline, counted, statusNow } = aDemoPipeline()
  pipeline.prepare()
  pipeline.start()
  expect(statusNow()).not.toContain('"status":"running"')
  const refresh = pipeline.requestRefresh({ scope: 'default' })
  expect(refresh?.status).toBe('running')
  expect(statusNow()).toContain('"status":"running"')
  await clock.advance(3_000)

  expect(counted).toContainEqual({ counter: 'manual_refresh_total', result: 'completed' })

  pipeline.requestRefresh({ scope: 'default' })
  await clock.advance(1_000)
  expect(pipeline.cancelRefresh()).toMatchObject({ status: 'partial', failure: 'cancelled' })
  await clock.advance(1_000)
  pipeline.read({ payload: 'status', compression: 'none' })

  expect(statusNow()).toContain('"reason":"cancelled"')
  expect(counted).toContainEqual({ counter: 'manual_refresh_total', result: 'partial' })
})

it('three callers who failed on one account have it asked about, and a pick names it no more to them', async () => {
  const { clock, pipeline, statusNow } = aDemoPipeline()
  pipeline.prepare()
  pipeline.start()
  const given = (question: Omit<PickQuestion, 'filter'>): string => {
    const made = pipeline.pick({ ...question, filter: {} })
    if (made === null || 'unknown' in made) throw new Error('no pick')
    const { item } = JSON.parse(new TextDecoder().decode(made.answer.plain.bytes))
    return item.selector.authName
  }
  const failed = given({})
  expect(given({ as: 'one', failed })).not.toBe(failed)
  expect(given({ as: 'two', failed })).not.toBe(failed)
  expect(statusNow()).toContain('"status":"idle"')
  expect(given({ as: 'three', failed })).not.toBe(failed)
  expect(statusNow()).toContain('"status":"running","scope":"account"')
  await clock.advance(3_000)
  expect(given({ as: 'four' })).toBe(failed)
  expect(pipeline.pick({ filter: { plan: ['gold'] } })).toMatchObject({
    unknown: { parameter: 'plan' },
  })
})
