import type { UsageSink } from '@svc/collector'
import { plusMs } from '@svc/core'
import { LEASE_MS, type LogFields, POOL_LEASE } from '@svc/core/service'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTrustedClock } from '../clock/trusted-clock.ts'
import type { OpenedStore, OpenRequest } from './store-threads.ts'
import { createStoreWriter, type StoreWriter, type StoreWriterOptions } from './store-writer.ts'

const PLACE = { location: '/store.db', passwordFile: null, replica: null }
const LAST_POLL = plusMs(NOW, -60_000)

/** A writing thread whose store does as it is told: each call is answered, updates the schema, hangs until the next call, fails with a code, or ends the thread; of a list the last one stays. */
type Answers = Readonly<Record<string, string | readonly string[]>>

const threadDoing = (answers: Answers): URL => {
  const code = `
    import { parentPort } from 'node:worker_threads'
    const answers = ${JSON.stringify(answers)}
    const asked = []
    let answerHanging = () => {}
    const opened = {
      interrupted: [], updated: null, lastPollAt: new Map([['tokyo', ${LAST_POLL}]]), newestRecordAt: null,
      forgottenAsOf: null, engine: { name: 'sqlite', walBytes: 0 },
    }
    parentPort.on('message', ({ id, method, args }) => {
      answerHanging()
      answerHanging = () => {}
      asked.push([method, args])
      const next = answers[method] ?? 'fine'
      const answer = typeof next === 'string' ? next : next.length > 1 ? next.shift() : next[0]
      if (answer === 'ends') process.exit(1)
      if (id === null) return
      const value = {
        open: { ...opened, request: args[0] },
        look: asked,
        maintain: { ...opened, missedMs: 0, lagSeconds: null },
      }[method]
      const succeed = () => parentPort.postMessage({ answers: id, ok: true, value })
      if (answer === 'updates') value.updated = { from: 2, to: 4 }
      if (answer === 'fine' || answer === 'updates') succeed()
      else if (answer === 'hangs') answerHanging = succeed
      else parentPort.postMessage({ answers: id, ok: false, code: answer, detail: 'pid 7' })
    })`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

let clock: VirtualClock
let writer: StoreWriter
let requests: OpenRequest[]
let told: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  requests = []
  told = []
})
afterEach(async () => {
  await writer.stop()
})

function connect(answers: Answers = {}, sharing: StoreWriterOptions['sharing'] = null) {
  writer = createStoreWriter({
    place: PLACE,
    retention: {} as never,
    workerUrl: threadDoing(answers),
    pricedBy: null,
    clock,
    trustedClock: createTrustedClock({ clock, log: silentLog }),
    log: {
      ...silentLog,
      info: (event: string, fields: LogFields = {}) =>
        void told.push([event, ...Object.values(fields)].join(' ')),
      error: (event: string, fields?: LogFields) =>
        void told.push([event, fields?.reason, fields?.detail].filter(Boolean).join(' ')),
    },
    sharing,
    onIncrements: () => undefined,
    report: { setBacklog() {}, setLag() {}, count() {} } as never,
    reportOf: () => ({ count() {} }) as never,
    onOpen(opened, isFirst) {
      requests.push((opened as OpenedStore & { readonly request: OpenRequest }).request)
      told.push(`opened, first ${isFirst}`)
    },
    onTaken() {},
    onStored() {},
    onState: () => void told.push(`${shown()}, last poll ${sink.position().lastPollAt}`),
  })
  const sink: Omit<UsageSink, 'useLabels'> = writer.sinkOf('tokyo')
  sink.onReady(() => void told.push('ready'))
  writer.start()
  return sink
}
const shown = () => {
  const state = writer.state()
  return state.kind === 'failing' ? state.code : state.kind
}
const reached = (expected: string) => expect.poll(shown).toBe(expected)
/** Until the store takes usage again. */
const taken = () => expect.poll(() => told.at(-1)).toBe('ready')
const opened = async (answers?: Answers, sharing?: StoreWriterOptions['sharing']) => {
  const sink = connect(answers, sharing)
  await clock.advance(100)
  await reached('ok')
  return sink
}
const asked = async () => (await writer.look()) as unknown as readonly (readonly unknown[])[]

describe('the writer of the store', () => {
  it('opens it a moment after the start, and knows its contents before it counts as usable', async () => {
    connect()
    await clock.advance(99)
    expect(told).toEqual([])
    await clock.advance(1)
    await reached('ok')

    expect(told).toEqual([
      'history store open',
      `ok, last poll ${LAST_POLL}`,
      'opened, first true',
      'ready',
    ])
    expect(requests).toMatchObject([{ place: PLACE, isFirst: true, thorough: false, held: null }])
  })

  it('says that it has updated the schema', async () => {
    await opened({ open: 'updates' })

    expect(told[0]).toBe('history store updated 2 4')
  })

  it('refuses calls before it is open', async () => {
    const sink = connect()

    expect(sink.refusal()).toBe('store_unavailable')
    await expect(sink.clearPop()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('opens it again after a failure, which is said once, with its detail', async () => {
    const sink = await opened({ clearPop: 'corrupt' })
    told.splice(0)
    const calls = [sink.clearPop(), sink.clearPop()]
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    await clock.advance(1_999)
    expect(requests).toHaveLength(1)
    await clock.advance(1)
    await taken()
    expect(shown()).toBe('corrupt')
    await sink.markPop(NOW)

    expect(shown()).toBe('ok')
    expect(requests[1]).toMatchObject({ isFirst: false, thorough: true })
    expect(told).toEqual([
      'history store not usable corrupt',
      `corrupt, last poll ${LAST_POLL}`,
      'opened, first false',
      'ready',
      'history store open',
      `ok, last poll ${LAST_POLL}`,
    ])
    await expect(asked()).resolves.toContainEqual(['close', []])
  })

  it('says why it cannot open it, and does so at once when somebody asks', async () => {
    connect({ open: ['login_refused', 'fine'] })
    await clock.advance(100)
    await reached('login_refused')
    expect(told[0]).toBe('history store not usable login_refused pid 7')

    writer.retry()
    await reached('ok')
    await clock.advance(60_000)
    expect(requests).toHaveLength(1)
  })

  it('starts another thread in place of one that has ended', async () => {
    const sink = await opened({ clearPop: 'ends' })
    await expect(sink.clearPop()).rejects.toMatchObject({ code: 'store_unavailable' })
    await reached('crashed')
    await clock.advance(2_000)
    await taken()

    expect(requests).toHaveLength(2)
  })

  it('closes and opens a store in which a reader has met damage', async () => {
    await opened()
    writer.damaged('corrupt')
    await clock.advance(2_000)
    await taken()

    expect(requests[1]).toMatchObject({ thorough: true })
  })

  it('reports a call that hangs for half a minute, and takes usage again once it returns', async () => {
    const sink = await opened({ markPop: ['hangs', 'fine'] })
    told.splice(0)
    const marked = sink.markPop(NOW)
    await clock.advance(29_999)
    expect(shown()).toBe('ok')
    await clock.advance(1)
    expect(writer.state()).toMatchObject({ code: 'not_answering', since: plusMs(NOW, 100) })
    await expect(sink.markPop(NOW)).rejects.toMatchObject({ code: 'store_unavailable' })
    // Upkeep was asked before, and answers what hangs.
    await marked

    expect(shown()).toBe('ok')
    expect(told).toContain('ready')
  })

  it('that stands by has nothing to write: any answer ends its failure', async () => {
    const sharing = { held: () => new Map(), termOf: () => null }
    const sink = await opened({ useAccounts: ['busy', 'fine'] }, sharing)
    sink.useAccounts({ titleByKey: new Map() } as never)
    await reached('busy')
    await clock.advance(2_000)

    await reached('ok')
  })

  it('is silent once calls have had no answer for as long as a lease lasts, and until one has', async () => {
    const sharing = { held: () => new Map([[POOL_LEASE, 1] as const]), termOf: () => 1 }
    const failing = Array(3).fill('unreachable')
    const sink = await opened(
      { clearPop: 'unreachable', open: ['fine', ...failing, 'fine'] },
      sharing,
    )
    await expect(sink.clearPop()).rejects.toMatchObject({ code: 'store_unavailable' })
    await clock.advance(LEASE_MS - 1)
    expect(writer.isSilent()).toBe(false)
    await clock.advance(1)
    expect(writer.isSilent()).toBe(true)

    const reopened = async () => {
      await clock.advance(1_000)
      return requests.length
    }
    await expect.poll(reopened).toBe(2)
    expect(writer.isSilent()).toBe(false)
  })

  it.each(['busy', 'disk_full', 'not_holder'])(
    'is not silent where it answers %s, however long nothing is stored',
    async (code) => {
      const sink = await opened({ clearPop: code, markPop: code })
      await sink.clearPop().catch(() => undefined)
      await sink.markPop(NOW).catch(() => undefined)
      await clock.advance(2 * LEASE_MS)

      expect(writer.isSilent()).toBe(false)
    },
  )

  it('opens nothing once it is stopped', async () => {
    const sink = await opened({ clearPop: 'disk_full' })
    await sink.clearPop().catch(() => undefined)

    expect(await writer.stop()).toBe(true)
    await clock.advance(600_000)
    expect(requests).toHaveLength(1)
  })

  it('that never began is stopped at once', async () => {
    connect()

    expect(await writer.stop()).toBe(true)
    await clock.advance(600_000)
    expect(told).toEqual([])
  })
})
