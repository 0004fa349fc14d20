import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createKeptAnswers } from './kept-answers.ts'

function keptAnswers() {
  const clock = virtualClock(async () => undefined)
  const kept = createKeptAnswers<number>(clock)
  let computed = 0
  const count = async () => {
    computed += 1
    return computed
  }
  return { clock, count, ask: (key: string) => kept.answer(key, count), kept }
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
    { what: 'takes itself back', fails: false },
    { what: 'fails', fails: true },
  ])('is computed again where it $what', async ({ fails }) => {
    const { kept, ask } = keptAnswers()
    const first = kept.answer('a', async (forget) => {
      await Promise.resolve()
      if (fails) throw new Error('busy')
      forget()
      return 0
    })
    await first.catch(() => undefined)

    expect(await ask('a')).toBe(1)
  })
})
