import { describe, expect, it } from 'vitest'
import { HistoryError } from '../contract/history-error.ts'
import * as tables from '../schema/postgres.ts'
import { createReaderSessions } from './reader-sessions.ts'
import type { Session } from './session.ts'

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

/** An answer that is done when it is told. */
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
