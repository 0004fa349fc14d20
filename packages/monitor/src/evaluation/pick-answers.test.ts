import { noTrends } from '@svc/core/pool'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, virtualClock } from '@svc/core/testing'
import { createWording, type Pick } from '@svc/views'
import { expect, it } from 'vitest'
import type { PickQuestion } from '../answers/ready-answer.ts'
import { createPickAnswers } from './pick-answers.ts'

const nameOf = (name: string) => anAccount(name).selector.authName
const left = (fiveHour: number) =>
  evidenceOf([aQuotaSample({ fiveHour, fiveHourResetsInSeconds: 600 })])
const contextIn = (language: 'en' | 'zh-CN') => ({
  text: createWording('UTC', language),
  usage: { kind: 'off' } as const,
  trends: noTrends,
  refresh: { status: 'idle' } as const,
})

/** ada and bo may be used, ada being the better one; the Pro account cy is used up for ten minutes. */
function aService() {
  const clock = virtualClock(async () => undefined)
  const due: string[] = []
  const picks = createPickAnswers({
    clock,
    onQueryDue: ({ selector }) => void due.push(selector.accountKey),
  })
  const pool = aSnapshot([
    [anAccount('ada'), left(80)],
    [anAccount('bo'), left(70)],
    [anAccount('cy', { claimedPlan: 'pro' }), left(0)],
  ])
  const ask = (question: PickQuestion, snapshot = pool, language: 'en' | 'zh-CN' = 'en'): Pick => {
    const made = picks.answer(question, { snapshot, context: contextIn(language) })
    if ('unknown' in made) throw new Error(made.unknown.parameter)
    return JSON.parse(new TextDecoder().decode(made.answer.plain.bytes))
  }
  return { clock, due, ask }
}

it('without a name the same question has the same answer, and nobody is remembered', () => {
  const { ask } = aService()
  const question = { keep: nameOf('bo'), filter: {} }

  expect(ask(question)).toEqual(ask(question))
  expect(ask(question)).toMatchObject({
    item: { selector: { authName: nameOf('bo') } },
    kept: true,
    reason: 'kept',
    text: 'The account in use is kept.',
  })
  expect(ask({ filter: {} })).toMatchObject({
    item: { selector: { authName: nameOf('ada') } },
    kept: false,
    reason: 'best',
  })
})

it('without an account it says why, and when the first that fits is expected back', () => {
  const { ask } = aService()

  expect(ask({ filter: { plan: ['pro'] } })).toMatchObject({
    item: null,
    kept: false,
    reason: 'all_blocked',
    text: 'No account that fits may be used now.',
    nextAt: '2026-11-20T12:10:00.000Z',
    nextInSeconds: 600,
  })
  expect(ask({ filter: { plan: ['pro'] } }, undefined, 'zh-CN').text).toBe(
    '符合条件的账号目前均不可使用。',
  )
  expect(ask({ filter: { plan: ['team'] } })).toMatchObject({
    reason: 'none_matching',
    nextAt: null,
    nextInSeconds: null,
  })
  expect(ask({ filter: {} }, aSnapshot([]))).toMatchObject({ item: null, reason: 'none_listed' })
})

it('of several providers the first that is asked for is picked from, if it has an account', () => {
  const { ask } = aService()
  const pool = aSnapshot([
    [anAccount('ada'), left(80)],
    [anAccount('cleo', { provider: 'claude' }), left(80)],
    [anAccount('xen', { provider: 'xai' }), left(80)],
    [anAccount('kay', { provider: 'kimi' }), left(0)],
  ])
  const providerOf = (...provider: readonly string[]) =>
    ask({ filter: { provider } }, pool).item?.provider

  expect(providerOf('xai', 'claude')).toBe('xai')
  expect(providerOf('claude', 'xai')).toBe('claude')
  expect(providerOf('kimi', 'xai', 'codex')).toBe('xai')
  expect(providerOf('xai', 'codex', 'xai')).toBe('xai')
  expect(providerOf('xai', 'all')).toBe('codex')
})

it('a caller that gives its account back is forgotten at once', () => {
  const { ask } = aService()
  const filter = {}
  expect(ask({ as: 'one', filter }).item?.selector.authName).toBe(nameOf('ada'))
  const { sampledAt } = ask({ filter })
  expect(ask({ as: 'one', release: true, filter })).toEqual({
    contractVersion: '1.1',
    sampledAt,
    item: null,
    kept: false,
    reason: 'released',
    text: 'The caller is forgotten.',
  })
  expect(ask({ as: 'nobody', release: true, filter })).toMatchObject({ reason: 'released' })
  expect(ask({ as: 'one', filter })).toMatchObject({ kept: false, reason: 'best' })
})

it('a caller keeps its account for 15 minutes, and three who failed on it make its query due', async () => {
  const { ask, clock, due } = aService()
  const nameFor = (question: Omit<PickQuestion, 'filter'>) =>
    ask({ ...question, filter: {} }).item?.selector.authName
  expect(nameFor({ as: 'one', keep: nameOf('bo') })).toBe(nameOf('bo'))
  await clock.advance(14 * 60_000)
  expect(ask({ as: 'one', filter: {} })).toMatchObject({ kept: true })
  await clock.advance(15 * 60_000)
  expect(nameFor({ as: 'one' })).toBe(nameOf('ada'))

  for (const as of ['one', 'two', 'three'])
    expect(nameFor({ as, failed: nameOf('ada') })).toBe(nameOf('bo'))
  expect(due).toEqual(['key-ada'])
  expect(nameFor({ as: 'four' })).toBe(nameOf('ada'))
})
