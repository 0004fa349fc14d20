import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createStoreReader, ReaderBusy, type StoreReader } from './store-reader.ts'

/**
 * A reading thread that answers a summary with how often this thread was asked and with the labels it was given, after it has failed with these
 * codes, a chart by the name of a case (`ends`, `hangs` or a code), and cycles with the number of accounts asked about.
 */
const threadAnswering = (outcome: string, failures: readonly string[]): URL => {
  const code = `
    import { parentPort } from 'node:worker_threads'
    let asked = 0
    let labels = null
    let refused = null
    const failures = ${JSON.stringify(failures)}
    parentPort.on('message', ({ id, method, args }) => {
      if (method === 'useLabels') labels = [...args[0]]
      if (method === 'usePrices') refused = [...args[0].refused]
      if (id === null) return
      if (method === 'close') return parentPort.postMessage({ answers: id, ok: true, value: null })
      asked += 1
      if (method === 'cycles') {
        const window = { endedCount: args[0].size, knownCount: 1, dryCount: 0, weekly: null }
        const value = { watchedSeconds: 60, windows: { '5h': window, week: window } }
        return parentPort.postMessage({ answers: id, ok: true, value })
      }
      if (method === 'chart' && ${JSON.stringify(outcome)} === 'ends') process.exit(1)
      if (method === 'chart' && ${JSON.stringify(outcome)} === 'hangs') return
      const code = method === 'chart' ? ${JSON.stringify(outcome)} : failures.shift()
      parentPort.postMessage(
        code !== undefined
          ? { answers: id, ok: false, code, detail: null }
          : { answers: id, ok: true, value: { asked, labels, refused, history: { lagSeconds: asked } } },
      )
    })`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

let clock: VirtualClock
let reader: StoreReader
let damage: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  damage = []
})
afterEach(async () => {
  await reader.stop()
})

function open(outcome = 'timeout', failures: readonly string[] = []) {
  reader = createStoreReader({
    place: { location: '/store.db', passwordFile: null, replica: null },
    retentionDays: 30,
    language: 'en',
    silentMsMax: 1_800_000,
    workerUrl: threadAnswering(outcome, failures),
    onDamage: (code) => void damage.push(code),
    clock,
    log: silentLog,
  })
}
const summary = async () => {
  const { asked, labels } = (await reader.summary(NOW)) as unknown as Record<string, unknown>
  return { asked, labels }
}
const chart = () => reader.chart({} as never, NOW)

describe('the reader of the store', () => {
  it('is one thread for all questions, with the labels of now', async () => {
    open()
    reader.useLabels(new Map([['a', 'Ana']]))
    expect(await summary()).toEqual({ asked: 1, labels: [['a', 'Ana']] })
    reader.useLabels(new Map([['b', 'Bob']]))

    expect(await summary()).toEqual({ asked: 2, labels: [['b', 'Bob']] })
  })

  it('has the prices of now, before and after its thread is there', async () => {
    open()
    const refusedOf = async () =>
      ((await reader.summary(NOW)) as unknown as Record<string, unknown>).refused
    const unset = { own: { rates: [], multipliers: [] }, subscriptions: [] }
    expect(await refusedOf()).toBeNull()
    reader.usePrices({ ...unset, refused: new Map([['m', 'zero']]) })
    expect(await refusedOf()).toEqual([['m', 'zero']])

    await reader.stop()
    open()
    reader.usePrices({ ...unset, refused: new Map([['n', 'rate']]) })
    expect(await refusedOf()).toEqual([['n', 'rate']])
  })

  it('knows the lag of the standby at the last summary', async () => {
    open()
    expect(reader.lagSeconds()).toBe(0)
    await summary()
    await summary()

    expect(reader.lagSeconds()).toBe(2)
  })

  it.each([
    { accounts: 0, parts: 1 },
    { accounts: 20, parts: 1 },
    { accounts: 41, parts: 3 },
  ])(
    'adds up the cycles of $accounts accounts from $parts questions',
    async ({ accounts, parts }) => {
      open()
      const weights = new Map(Array.from({ length: accounts }, (_, index) => [`${index}`, 1]))
      const { watchedSeconds, windows } = await reader.cycles(weights, { from: NOW, to: NOW })

      expect(watchedSeconds).toBe(60)
      expect(windows.week).toMatchObject({ endedCount: accounts, knownCount: parts })
      expect((await summary()).asked).toBe(parts + 1)
    },
  )

  it.each([
    { code: 'corrupt', isDamage: true },
    { code: 'not_a_database', isDamage: true },
    { code: 'not_ours', isDamage: true },
    { code: 'io_error', isDamage: true },
    { code: 'locked', isDamage: false },
    { code: 'cannot_open', isDamage: false },
  ])('that meets $code reports damage: $isDamage', async ({ code, isDamage }) => {
    open(code)

    await expect(chart()).rejects.toMatchObject({ code })
    expect(damage).toEqual(isDamage ? [code] : [])
  })

  it('that has ended is replaced after a quarter of a second, and knows the labels again', async () => {
    open('ends')
    reader.useLabels(new Map([['a', 'Ana']]))
    await expect(chart()).rejects.toBeInstanceOf(ReaderBusy)
    await expect(summary()).rejects.toBeInstanceOf(ReaderBusy)
    await clock.advance(249)
    await expect(summary()).rejects.toBeInstanceOf(ReaderBusy)
    await clock.advance(1)

    expect(await summary()).toEqual({ asked: 1, labels: [['a', 'Ana']] })
    expect(damage).toEqual([])
  })

  it('that ends again and again is replaced later each time, until it has answered', async () => {
    open('ends')
    for (const milliseconds of [250, 500, 1_000]) {
      await expect(chart()).rejects.toBeInstanceOf(ReaderBusy)
      await clock.advance(milliseconds - 1)
      await expect(summary()).rejects.toBeInstanceOf(ReaderBusy)
      await clock.advance(1)
    }
    await summary()
    await expect(chart()).rejects.toBeInstanceOf(ReaderBusy)
    await clock.advance(250)

    expect((await summary()).asked).toBe(1)
  })

  it('that hangs is given up after half a minute, and the question with it', async () => {
    open('hangs')
    const asked = expect(chart()).rejects.toBeInstanceOf(ReaderBusy)
    await clock.advance(30_000)
    await asked
    await clock.advance(250)

    expect((await summary()).asked).toBe(1)
  })

  it('turns a ninth question away, and answers none of the eight for it', async () => {
    open('hangs')
    const waiting = Promise.allSettled(Array.from({ length: 8 }, chart))

    await expect(chart()).rejects.toThrow('too many questions')
    await clock.advance(30_000)
    expect((await waiting).map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
  })

  it('reads on for a download while eight questions wait', async () => {
    open('hangs')
    const waiting = Promise.allSettled(Array.from({ length: 8 }, chart))

    await expect(reader.rows({} as never, {} as never)).resolves.toMatchObject({ asked: 9 })
    await clock.advance(30_000)
    await waiting
  })

  it('reports summaries that fail for half a minute, since when and why, until one succeeds', async () => {
    open('timeout', ['SQLITE_ERROR', 'SQLITE_ERROR', 'busy'])
    const since = clock.now()
    await expect(summary()).rejects.toThrow()
    await clock.advance(29_999)
    await expect(summary()).rejects.toThrow()
    expect(reader.failure()).toBeNull()
    await clock.advance(1)
    expect(reader.failure()).toEqual({ since, reason: null })
    await expect(summary()).rejects.toThrow()
    expect(reader.failure()).toEqual({ since, reason: 'busy' })
    await summary()

    expect(reader.failure()).toBeNull()
  })

  it('counts no failure from before the store was opened', async () => {
    open('timeout', ['busy'])
    await expect(summary()).rejects.toThrow()
    await clock.advance(60_000)
    reader.noteOpening(true)

    expect(reader.failure()).toBeNull()
  })

  it('starts no thread once it is stopped', async () => {
    open()
    await summary()

    expect(await reader.stop()).toBe(true)
    await expect(summary()).rejects.toThrow()
  })
})
