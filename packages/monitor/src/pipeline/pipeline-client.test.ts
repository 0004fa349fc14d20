import { anAccount, aSnapshot, silentLog, virtualClock } from '@svc/core/testing'
import type { Health, StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { createEventRing } from '../answers/event-ring.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/snapshot-gauge.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { contextIn, encodedPayloads } from '../testing/encoded-payloads.ts'
import { ChannelError } from '../threads/channel.ts'
import type { Thread } from '../threads/thread.ts'
import type { PipelineApi } from './compose-pipeline.ts'
import type { PipelineEvents, PipelineSetup, Publication } from './pipeline-api.ts'
import { createPipelineClient, type PipelineClient } from './pipeline-client.ts'
import { handoverOf, ifStalledOf } from './pipeline-events.ts'

const context = contextIn()

/** What a pipeline publishes of a pool with this account. */
async function publicationOf(
  title: string,
  changes: Partial<Publication> = {},
): Promise<Publication> {
  const snapshot = aSnapshot([[anAccount(title), null]])
  const payloads = encodedPayloads(snapshot, context)
  const made = { snapshot, payloads, context }
  return {
    ...handoverOf({ ...made, ifStalled: ifStalledOf(snapshot, context) }, null).publication,
    readiness: 'ready',
    ...changes,
  }
}

/** A pipeline played by the test. */
interface Played {
  readonly events: PipelineEvents
  readonly called: string[]
  /** What was read, of the reads that are waited for. */
  readonly asked: unknown[]
  /** Whether it answers. */
  answers: boolean
  /** What it does when it hears of a reader. */
  onRead: () => void
  crash(): void
}

function started() {
  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const clock = virtualClock(turns)
  const gauges = new Map<string, GaugeSamples['samples']>()
  const metrics = {
    count() {},
    rankUsage() {},
    countUsage() {},
    timeListRead() {},
    setUsageWait() {},
    setBacklog() {},
    setLag() {},
    onGauges(values: readonly GaugeSamples[]) {
      for (const { name, samples } of values) gauges.set(name, samples)
    },
  }
  const events = createEventRing(0)
  const played: Played[] = []
  const start = (
    _: PipelineSetup,
    events: PipelineEvents,
    onCrash: (error: string | null) => void,
  ): Thread<PipelineApi> => {
    const one: Played = {
      events,
      called: [],
      asked: [],
      answers: true,
      onRead: () => undefined,
      crash: () => onCrash(null),
    }
    played.push(one)
    return {
      call(method, [what]: readonly unknown[]) {
        one.called.push(method)
        if (method === 'read') {
          one.asked.push(what)
          one.onRead()
        }
        if (method === 'chart') return Promise.reject(new ChannelError('crashed'))
        return one.answers ? (Promise.resolve() as never) : new Promise(() => undefined)
      },
      tell: (method) => void one.called.push(method),
      pendingCount: () => 0,
      terminate: async () => undefined,
      end: async () => true,
    }
  }
  const client = createPipelineClient({
    start,
    setup: {} as PipelineSetup,
    events,
    metrics,
    clock,
    log: silentLog,
  })
  const last = () => played.at(-1) as Played
  return { clock, gauges, events, client, played, last }
}

const STATUS = { payload: 'status', compression: 'none' } as const
const STATS = { payload: 'stats', compression: 'none' } as const
const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(Buffer.from(plain.bytes).toString()) as Body
const statusOf = async (client: PipelineClient) =>
  parsed<StatusSnapshot>(await client.payload(STATUS))
const healthOf = async (client: PipelineClient) =>
  parsed<Health>(await client.payload({ payload: 'health', compression: 'none' }))
const STALLED = 'evaluation_stalled'

describe('a pipeline that ends', () => {
  it('leaves its last publication to be served, which says since when nothing is new', async () => {
    const { clock, gauges, client, last } = started()
    last().events.publish(await publicationOf('ana'))
    const before = await healthOf(client)
    last().crash()
    await clock.advance(0)
    const health = await healthOf(client)
    await expect.poll(async () => (await statusOf(client)).summary.healthState).toBe('bad')
    const status = await statusOf(client)

    expect(health).toMatchObject({ state: 'bad', actionCount: before.actionCount + 1 })
    expect(health.actions[0]).toMatchObject({ code: STALLED, tone: 'bad' })
    expect(health.sources).toEqual(before.sources)
    expect(status.summary).toMatchObject({
      healthState: 'bad',
      healthActionCount: before.actionCount + 1,
    })
    expect(status.recommendations.items.map(({ title }) => title)).toEqual(['ana@example.com'])
    expect(gauges.get('health_actions')).toContainEqual({ labels: { code: STALLED }, value: 1 })
    expect(gauges.get('health_state')).toContainEqual({ labels: { state: 'bad' }, value: 1 })
  })

  it('is not shown again before it knows as much as is still shown', async () => {
    const { clock, gauges, client, played, last } = started()
    last().events.publish(await publicationOf('ana'))
    last().crash()
    await clock.advance(250)
    last().events.publish(await publicationOf('nobody', { sampledAt: null }))
    expect((await statusOf(client)).recommendations.items[0]?.title).toBe('ana@example.com')
    expect((await healthOf(client)).actions[0]?.code).toBe(STALLED)

    last().events.publish(await publicationOf('bob'))
    expect((await statusOf(client)).recommendations.items[0]?.title).toBe('bob@example.com')
    expect((await healthOf(client)).actions.map(({ code }) => code)).not.toContain(STALLED)
    expect(gauges.get('health_actions')).toContainEqual({ labels: { code: STALLED }, value: 0 })

    // What the lost one had sent before it ended comes too late.
    played[0]?.events.publish(await publicationOf('ana'))
    expect((await statusOf(client)).recommendations.items[0]?.title).toBe('bob@example.com')
  })

  it('lets nobody resume across the loss, and tells nothing that the lost one sent late', async () => {
    const { clock, events, played, last } = started()
    const told: string[] = []
    events.onEvent((bytes) => told.push(Buffer.from(bytes).toString()))
    last().events.publish(await publicationOf('ana', { snapshotEvent: 'snapshot 1' }))
    last().events.news(['change 1'])
    last().crash()
    await clock.advance(250)
    played[0]?.events.news(['change that came too late'])
    last().events.publish(await publicationOf('bob', { snapshotEvent: 'snapshot 2' }))

    expect(told).toEqual(['id: 1\nsnapshot 1', 'id: 2\nchange 1', 'id: 4\nsnapshot 2'])
    expect(events.after('1').map((bytes) => Buffer.from(bytes).toString())).toEqual([told[2]])
  })

  it('turns charts away meanwhile', async () => {
    const { client } = started()

    await expect(client.chart({} as never)).rejects.toBeInstanceOf(ReaderBusy)
  })
})

it('starts watching once, even if the first pipeline was lost', async () => {
  const { clock, client, last } = started()
  void client.prepare()
  last().crash()
  await clock.advance(250)
  last().events.publish(await publicationOf('ana'))
  await client.prepare()
  client.start()
  await clock.advance(1_000)

  expect(last().called.filter((method) => method === 'start')).toHaveLength(1)
})

it.each<{ readonly what: string; readonly ask: (client: PipelineClient) => Promise<unknown> }>([
  { what: 'a refresh', ask: (client) => client.requestRefresh({ scope: 'default' }) },
  { what: 'a cancel', ask: (client) => client.cancelRefresh() },
])('answers $what within 25 s when the pipeline does not', async ({ ask }) => {
  const { clock, client, last } = started()
  last().answers = false
  const refusal = expect(ask(client)).rejects.toMatchObject({ code: 'crashed' })
  await clock.advance(25_000)
  await refusal
})

describe('before the first publication', () => {
  it('the start and the readers wait for the pipeline', async () => {
    const { client, last } = started()
    const prepared = client.prepare()
    const read = statusOf(client)
    last().events.publish(await publicationOf('ana'))
    await prepared

    expect((await read).recommendations.items[0]?.title).toBe('ana@example.com')
  })

  it('is not waited for when the pipeline is lost: the service starts, and its readers are turned away', async () => {
    const { clock, client, played, last } = started()
    const prepared = client.prepare()
    const read = expect(client.payload(STATUS)).rejects.toMatchObject({ code: 'crashed' })
    last().crash()
    await clock.advance(250)
    await Promise.all([prepared, read])
    client.start()
    const again = last()
    again.events.publish(await publicationOf('ana'))

    expect(played.length).toBeGreaterThan(1)
    expect((await statusOf(client)).recommendations.items[0]?.title).toBe('ana@example.com')
  })
})

describe('who reads', () => {
  const readsIn = ({ called }: Played) => called.filter((method) => method === 'read').length

  it('is reported to the pipeline every five seconds, and waits only after a minute without a reader', async () => {
    const { clock, client, last } = started()
    last().events.publish(await publicationOf('ana'))
    const first = client.payload(STATUS)
    expect(first).toBeInstanceOf(Promise)
    await first
    expect(client.payload(STATUS)).not.toBeInstanceOf(Promise)
    expect(readsIn(last())).toBe(1)
    await clock.advance(5_000)
    expect(client.payload(STATUS)).not.toBeInstanceOf(Promise)
    expect(readsIn(last())).toBe(2)
    await clock.advance(60_000)
    const [again, beside] = [client.payload(STATUS), client.payload(STATUS)]
    expect([again, beside].every((payloads) => payloads instanceof Promise)).toBe(true)
    expect(readsIn(last())).toBe(3)

    expect(await again).toBe(await beside)
  })

  it('gets what was published for them', async () => {
    const { client, last } = started()
    last().events.publish(await publicationOf('ana'))
    const bob = await publicationOf('bob')
    last().onRead = () => last().events.publish(bob)

    expect((await statusOf(client)).recommendations.items[0]?.title).toBe('bob@example.com')
  })

  it('gets what there is after a second', async () => {
    const { clock, client, last } = started()
    last().events.publish(await publicationOf('ana'))
    last().answers = false
    const read = statusOf(client)
    let isAnswered = false
    void read.then(() => {
      isAnswered = true
    })
    await clock.advance(999)
    expect(isAnswered).toBe(false)
    await clock.advance(1)

    expect((await read).recommendations.items[0]?.title).toBe('ana@example.com')
  })

  it('may be a scraper, who reads gauges alone', async () => {
    const { client, last } = started()
    last().events.publish(await publicationOf('ana'))
    await client.gaugesRead()
    await client.gaugesRead()

    expect(readsIn(last())).toBe(1)
    expect(last().asked).toEqual(['gauges'])
  })

  it.each([
    { again: 'another payload', reading: STATS },
    { again: 'another form of it', reading: { ...STATUS, compression: 'gzip' } },
  ] as const)('waits for $again as well, which was not made for the first', async ({ reading }) => {
    const { client, last } = started()
    last().events.publish(await publicationOf('ana'))
    await client.payload(STATUS)
    const other = client.payload(reading)

    expect(other).toBeInstanceOf(Promise)
    expect(readsIn(last())).toBe(2)
    await other
    expect(client.payload(reading)).not.toBeInstanceOf(Promise)
    expect(readsIn(last())).toBe(2)
  })
})

it('passes on what is published while nothing is wrong, piece by piece', async () => {
  const { client, last } = started()
  const first = await publicationOf('ana')
  last().events.publish(first)
  const second = await publicationOf('bob')
  last().events.publish({ ...second, payloads: { stats: second.payloads.stats as ReadyAnswer } })

  expect(await client.payload(STATUS)).toBe(first.payloads.status)
  expect(await client.payload(STATS)).toBe(second.payloads.stats)
})
