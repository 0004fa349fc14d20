import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { ReaderBusy } from '../store/store-reader.ts'
import { createKeptAnswers } from './kept-answers.ts'

const unreadable = () => -1

function keptAnswers() {
  const clock = virtualClock(async () => undefined)
  const kept = createKeptAnswers<number>(clock)
  let computed = 0
  const count = async () => {
    computed += 1
    return computed
  }
  return { clock, count, ask: (key: string) => kept(key, { read: count, unreadable }), kept }
}

describe('an answer that is kept', () => {
  it.each([
    { ms: 4_999, answers: [1, 1] },
    { ms: 5_000, answers: [1, 1] },
    { ms: 5_001, answers: [1, 2] },
  ])('is given after $ms ms as $answers', async ({ ms, answers }) => {
    const { ask, clock } = keptAnswers()
    const first = await ask('a')
    await clock.advance(ms)

    expect([first, await ask('a')]).toEqual(answers)
  })

  it('is of its own question alone', async () => {
    const { ask } = keptAnswers()

    expect([await ask('a'), await ask('b'), await ask('a')]).toEqual([1, 2, 1])
  })

  it('makes room for the newest of more than 64, the oldest first', async () => {
    const { ask } = keptAnswers()
    for (let number = 0; number <= 64; number += 1) await ask(String(number))

    expect(await ask('1')).toBe(2)
    expect(await ask('0')).toBe(66)
  })

  it.each([
    { what: 'cannot be read', error: new Error('damaged'), given: -1 },
    { what: 'waits too long', error: new ReaderBusy(), given: 'busy' },
  ])('is read again where it $what', async ({ error, given }) => {
    const { kept, ask } = keptAnswers()
    const read = async () => {
      await Promise.resolve()
      throw error
    }
    const first = kept('a', { read, unreadable })

    expect(await first.catch(() => 'busy')).toBe(given)
    expect(await ask('a')).toBe(1)
  })
})
