import { epochMs } from '@svc/core'
import type { UsageSummary } from '@svc/core/usage'
import type { StoredUsage } from '@svc/history'
import { describe, expect, it } from 'vitest'
import { createReaderThread } from './reader-thread.ts'

const NOW = epochMs(1_000)
const PLACE = { location: '/store.db', passwordFile: null, replica: null }

/** Stores that are opened in turn; a test decides when each one answers. */
function stores() {
  const opened: {
    labels: readonly string[]
    refused: readonly string[]
    closed: boolean
    asked: number
  }[] = []
  const told: { resolve(summary: UsageSummary): void; reject(error: Error): void }[] = []
  const open = async (): Promise<StoredUsage> => {
    const own = {
      labels: [] as readonly string[],
      refused: [] as readonly string[],
      closed: false,
      asked: 0,
    }
    opened.push(own)
    const summary = () => {
      own.asked += 1
      return new Promise<UsageSummary>((resolve, reject) => told.push({ resolve, reject }))
    }
    return {
      summary,
      failures: () => expect.unreachable(),
      series: () => Promise.reject(new Error('nobody asks')),
      requests: () => Promise.reject(new Error('nobody asks')),
      course: async () => null,
      firstRead: () => Promise.reject(new Error('nobody asks')),
      health: async () => ({ stretches: [], awaySince: null }),
      cycles: () => Promise.reject(new Error('nobody asks')),
      usePrices({ refused }) {
        own.refused = [...refused.keys()]
      },
      prices: () => Promise.reject(new Error('nobody asks')),
      useLabels(labels) {
        own.labels = [...labels.values()]
      },
      async close() {
        own.closed = true
      },
    }
  }
  const thread = createReaderThread(
    { place: PLACE, retentionDays: 90, language: 'en', silentMsMax: 1_800_000 },
    open,
  )
  return { thread, opened, told }
}
const answer = {} as UsageSummary

describe('the reading thread', () => {
  it('asks one store several questions at once', async () => {
    const { thread, opened, told } = stores()
    const answers = [thread.summary(NOW), thread.summary(NOW)]
    await expect.poll(() => told.length).toBe(2)

    for (const { resolve } of told) resolve(answer)
    expect(await Promise.all(answers)).toEqual([answer, answer])
    expect(opened).toMatchObject([{ asked: 2, closed: false }])
  })

  it('opens the store again after a failure, once for all answers that fail', async () => {
    const { thread, opened, told } = stores()
    const failing = [thread.summary(NOW), thread.summary(NOW)].map((asked) =>
      asked.catch((error: Error) => error.message),
    )
    await expect.poll(() => told.length).toBe(2)
    for (const { reject } of told) reject(new Error('lost'))
    expect(await Promise.all(failing)).toEqual(['lost', 'lost'])

    const next = thread.summary(NOW)
    await expect.poll(() => told.length).toBe(3)
    told[2]?.resolve(answer)
    expect(await next).toBe(answer)
    await expect.poll(() => opened).toMatchObject([{ closed: true }, { closed: false }])
  })

  it('tells every store the labels and the prices of now', async () => {
    const { thread, opened, told } = stores()
    thread.usePrices({
      own: { rates: [], multipliers: [] },
      subscriptions: [],
      refused: new Map([['m', 'zero']]),
    })
    thread.useLabels(new Map([['key', 'Team']]))
    const first = thread.summary(NOW).catch(() => null)
    await expect.poll(() => told.length).toBe(1)
    expect(opened).toMatchObject([{ labels: ['Team'] }])

    thread.useLabels(new Map([['key', 'CI']]))
    void thread.summary(NOW).catch(() => null)
    await expect.poll(() => opened).toMatchObject([{ labels: ['CI'] }])
    told[0]?.reject(new Error('lost'))
    await first
    void thread.summary(NOW)
    await expect.poll(() => opened.at(1)).toMatchObject({ labels: ['CI'], refused: ['m'] })
  })

  it('closes what it has, and opens nothing for that', async () => {
    const { thread, opened, told } = stores()
    await thread.close()
    expect(opened).toEqual([])

    const asked = thread.summary(NOW)
    await expect.poll(() => told.length).toBe(1)
    told[0]?.resolve(answer)
    await asked
    await thread.close()
    expect(opened).toMatchObject([{ closed: true }])
  })
})
