import { plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { HistoryError } from '../contract/history-error.ts'
import { openUsage } from '../open-history.ts'
import * as tables from '../schema/postgres.ts'
import type { StoredUsage } from '../sql/usage-reader.ts'
import { freshSchemas } from '../testing/fresh-schemas.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, NOW, someDetails } from '../testing/stored-usage.ts'
import { openPostgresStore } from './postgres-store.ts'
import { createReaderSessions } from './postgres-usage.ts'
import type { Session } from './session.ts'

const schemas = freshSchemas()
const databases = ownDatabases()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(async () => {
  await schemas.remove()
  await databases.remove()
})

const CHART = { range: '1h', group: 'account', metric: 'tokens', top: 3 } as const
const LATER = plusMs(NOW, 1)

async function storedAt(address: string, count: number): Promise<void> {
  const store = await openPostgresStore(address)
  await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(someDetails(count)))
  await store.close()
}

async function asking<Answer>(
  address: string,
  ask: (usage: StoredUsage) => Promise<Answer>,
  replica: string | null = null,
): Promise<Answer> {
  const usage = await openUsage({ location: address, replica, retentionDays: 90 })
  try {
    return await ask(usage)
  } finally {
    await usage.close()
  }
}

describe('answers of a database', () => {
  it('are charts and summaries of what is stored', async () => {
    const { address } = await schemas.next()
    await storedAt(address, 60)
    const [series, summary] = await asking(address, (usage) =>
      Promise.all([usage.series(CHART, LATER), usage.summary(LATER)]),
    )

    expect(series).toMatchObject({ totals: { requests: 60, tokens: 600, failed: 0 } })
    expect(series.lines.map(({ requests }) => requests)).toEqual([20, 20, 20])
    expect(summary.history).toMatchObject({
      totals: { requests: 60, tokens: 600 },
      earliest: plusMs(NOW, -59_000),
      latest: NOW,
      retentionDays: 90,
    })
    expect(summary.lastDay).toMatchObject({ requests: 60 })
  })

  it('call clients by the labels that were given last', async () => {
    const { address } = await schemas.next()
    await storedAt(address, 6)
    const clients = await asking(address, async (usage) => {
      usage.useLabels(new Map([['key-1', 'CI']]))
      const { breakdown } = await usage.series({ ...CHART, group: 'client' }, LATER)
      return breakdown.rows.map(({ label }) => label)
    })

    expect(clients).toContain('CI')
    expect(clients.filter((label) => /^client-[0-9a-f]{8}$/.test(label))).toHaveLength(1)
  })

  it('are worked out by at most four connections, which can only read', async () => {
    const { address, session } = await schemas.next()
    await storedAt(address, 60)
    const counted = await asking(address, async (usage) => {
      await Promise.all(Array.from({ length: 20 }, () => usage.series(CHART, LATER)))
      const [row] = await session.rows<{ count: number }>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      return row?.count
    })

    expect(counted).toBe(4)
  })

  it('are of one moment, whatever is stored meanwhile', async () => {
    const { address } = await schemas.next()
    const store = await openPostgresStore(address)
    await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(someDetails(3)))
    const answers = await asking(address, async (usage) => {
      const asked = []
      for (const [index, detail] of someDetails(30).entries()) {
        asked.push(usage.series(CHART, LATER))
        await store
          .usageOf(DEFAULT_UPSTREAM)
          .record(aBatch([{ ...detail, key: BigInt(1000 + index) }]))
      }
      return await Promise.all(asked)
    })
    await store.close()

    for (const { totals, totalBuckets, lines } of answers) {
      const sumOf = (rows: readonly { readonly requests: number }[]) =>
        rows.reduce((sum, { requests }) => sum + requests, 0)
      expect([sumOf(totalBuckets), sumOf(lines)]).toEqual([totals.requests, totals.requests])
    }
  })
})

describe('a database', () => {
  it('without a store yet is not brought up to date, until its writer has opened it', async () => {
    const address = await databases.nextAddress()
    const opening = openUsage({ location: address, retentionDays: 90 })
    await expect(opening).rejects.toMatchObject({ code: 'cannot_open' })

    await (await openPostgresStore(address)).close()
    expect(await asking(address, (usage) => usage.summary(NOW))).toMatchObject({
      history: { earliest: null },
    })
  })

  it('that has gone is unreachable, and answers again over new connections when it is back', async () => {
    const address = await databases.nextAddress()
    const server = await databases.server()
    await storedAt(address, 3)
    await asking(address, async (usage) => {
      await usage.series(CHART, LATER)
      await server.kill()
      await expect(usage.series(CHART, LATER)).rejects.toMatchObject({ code: 'unreachable' })
      await server.start()

      expect(await usage.series(CHART, LATER)).toMatchObject({ totals: { requests: 3 } })
    })
  })

  it('that was started again meanwhile answers every question, whatever connections were lost', async () => {
    const address = await databases.nextAddress()
    const server = await databases.server()
    await storedAt(address, 3)
    await asking(address, async (usage) => {
      const charts = () => Promise.all([1, 2, 3, 4].map(() => usage.series(CHART, LATER)))
      await charts()
      await server.kill()
      await server.start()

      const answers = await charts()
      expect(answers.map(({ totals }) => totals.requests)).toEqual([3, 3, 3, 3])
    })
  })

  it('is left alone where a standby answers, which says how far it lags behind', async () => {
    const address = await databases.nextAddress()
    const server = await databases.server()
    await storedAt(address, 3)
    const standby = await server.standby()
    const replica = standby.address(new URL(address).pathname.slice(1))
    await storedAt(address, 4)
    await expect
      .poll(() => asking(address, (usage) => usage.series(CHART, LATER), replica))
      .toMatchObject({ totals: { requests: 4 } })
    const ofStandby = await asking(address, (usage) => usage.summary(LATER), replica)
    expect(ofStandby.history.lagSeconds).toBeGreaterThan(0)
    const ofPrimary = await asking(address, (usage) => usage.summary(LATER))
    expect(ofPrimary.history).not.toHaveProperty('lagSeconds')

    await standby.stop()
    const asked = asking(address, (usage) => usage.series(CHART, LATER), replica)
    await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
  })
})

/** Connections that only say whether they are closed. */
function connections() {
  const closed = new Set<Session>()
  let opened = 0
  const open = async (): Promise<Session> => {
    opened += 1
    const session: Session = {
      tables,
      rows: async () => [],
      run: async () => 0,
      transaction: (_, work) => work(),
      close: async () => void closed.add(session),
    }
    return session
  }
  return { open, closed, opened: () => opened }
}

/** An answer that the test ends. */
function answer() {
  let done = () => {}
  const told = new Promise<void>((resolve) => {
    done = resolve
  })
  const used: Session[] = []
  const work = async (session: Session) => {
    used.push(session)
    await told
  }
  return { work, done: () => done(), used }
}

describe('connections for answers', () => {
  it('are as many as answers are under way, up to a number; the next one waits for the first that is free', async () => {
    const { open, opened } = connections()
    const sessions = createReaderSessions(open, { first: await open(), max: 2 })
    const answers = [answer(), answer(), answer()]
    const all = answers.map(({ work }) => sessions.use(work))
    await expect.poll(() => answers.map(({ used }) => used.length)).toEqual([1, 1, 0])

    answers[1]?.done()
    await expect.poll(() => answers[2]?.used).toEqual(answers[1]?.used)
    for (const { done } of answers) done()
    await Promise.all(all)
    expect(opened()).toBe(2)
  })

  it('are used again by the next answer', async () => {
    const { open, opened } = connections()
    const first = await open()
    const sessions = createReaderSessions(open, { first, max: 2 })

    for (let count = 0; count < 5; count += 1)
      expect(await sessions.use(async (session) => session)).toBe(first)
    expect(opened()).toBe(1)
  })

  it('are closed when an answer fails on them, and another takes their place', async () => {
    const { open, closed } = connections()
    const first = await open()
    const sessions = createReaderSessions(open, { first, max: 1 })
    const failing = sessions.use(() => Promise.reject(new HistoryError('busy')))

    await expect(failing).rejects.toMatchObject({ code: 'busy' })
    expect(await sessions.use(async (session) => session)).not.toBe(first)
    expect([...closed]).toEqual([first])
  })

  it('that were lost while they were idle are replaced, and the answer is worked out again', async () => {
    const { open, closed, opened } = connections()
    const first = await open()
    const sessions = createReaderSessions(open, { first, max: 1 })
    const answered = sessions.use(async (session) => {
      if (session === first) throw new HistoryError('unreachable')
      return session
    })

    expect(await answered).not.toBe(first)
    expect([...closed]).toEqual([first])
    expect(opened()).toBe(2)
    expect(await sessions.use(async (session) => session)).toBe(await answered)
  })

  it('that were idle beside a lost one are not tried one after the other', async () => {
    const { open, opened } = connections()
    const lost = new Set<Session>()
    const sessions = createReaderSessions(open, { first: await open(), max: 2 })
    const both = [answer(), answer()]
    const answered = both.map(({ work }) => sessions.use(work))
    await expect.poll(() => both.map(({ used }) => used.length)).toEqual([1, 1])
    for (const { done, used } of both) {
      done()
      for (const session of used) lost.add(session)
    }
    await Promise.all(answered)
    const tried: Session[] = []
    const ask = () =>
      sessions.use(async (session) => {
        tried.push(session)
        if (lost.has(session)) throw new HistoryError('unreachable')
      })

    await ask()
    await Promise.all([ask(), ask()])
    expect(tried.filter((session) => lost.has(session))).toHaveLength(1)
    expect(opened()).toBe(4)
  })

  it('that have just been opened are not replaced: the database is away', async () => {
    const { open, closed, opened } = connections()
    const sessions = createReaderSessions(open, { first: await open(), max: 1 })
    const lost = () => Promise.reject(new HistoryError('unreachable'))

    await expect(sessions.use(lost)).rejects.toMatchObject({ code: 'unreachable' })
    expect([opened(), closed.size]).toEqual([2, 2])
    await expect(sessions.use(lost)).rejects.toMatchObject({ code: 'unreachable' })
    expect([opened(), closed.size]).toEqual([3, 3])
  })

  it('do not wait for one that could not be opened', async () => {
    const { open } = connections()
    const first = await open()
    const refused = () => Promise.reject(new HistoryError('login_refused'))
    const sessions = createReaderSessions(refused, { first, max: 2 })
    const busy = answer()
    const held = sessions.use(busy.work)

    await expect(sessions.use(async () => 1)).rejects.toMatchObject({ code: 'login_refused' })
    busy.done()
    await held
    expect(await sessions.use(async () => 2)).toBe(2)
  })

  it('are closed after the answers under way', async () => {
    const { open, closed } = connections()
    const first = await open()
    const sessions = createReaderSessions(open, { first, max: 2 })
    const busy = answer()
    const held = sessions.use(busy.work)
    const closing = sessions.close()
    await Promise.resolve()
    expect(closed.size).toBe(0)

    busy.done()
    await Promise.all([held, closing])
    expect([...closed]).toEqual([first])
  })
})
