import type { Snapshot } from '@svc/core'
import { anAccount, aSnapshot, NOW } from '@svc/core/testing'
import { createWording, type Recommendations } from '@svc/views'
import { expect, it } from 'vitest'
import { createUpstreamAnswers, type UpstreamAnswer } from './upstream-answers.ts'

const context = { text: createWording('UTC') }

/** alice at tokyo and bob at berlin. */
function aFleet(): Snapshot {
  const snapshot = aSnapshot([
    [anAccount('alice', { upstream: 'tokyo' }), null],
    [anAccount('bob', { upstream: 'berlin' }), null],
  ])
  const standing = (name: string) => ({
    name,
    source: 'live' as const,
    available: true,
    sampledAt: NOW,
    gatewayUp: true,
    version: null,
    clockSkewSeconds: null,
    skippedCount: 0,
    otherProviders: new Map<string, number>(),
  })
  return { ...snapshot, upstreams: [standing('tokyo'), standing('berlin')] }
}

function recommendationsIn(answer: UpstreamAnswer): Recommendations {
  if (!('answer' in answer)) throw new Error(`unknown; there are ${answer.names}`)
  return JSON.parse(new TextDecoder().decode(answer.answer.plain.bytes))
}

it('the ranking of a proxy has its accounts alone, and counts them alone', () => {
  const answers = createUpstreamAnswers()
  const { items, routableCount } = recommendationsIn(
    answers.answer('berlin', 'none', { snapshot: aFleet(), context }),
  )

  expect(items.map(({ title, upstream }) => [title, upstream])).toEqual([
    ['bob@example.com', 'berlin'],
  ])
  expect(routableCount).toBe(1)
})

it('is made once for a snapshot, and compressed further only when that is asked for', () => {
  const answers = createUpstreamAnswers()
  const of = { snapshot: aFleet(), context }
  const plain = answers.answer('tokyo', 'none', of)
  const br = answers.answer('tokyo', 'br', of)
  const again = answers.answer('tokyo', 'gzip', of)

  if (!('answer' in plain && 'answer' in br && 'answer' in again)) throw new Error('unknown')
  expect(br.answer.plain.etag).toBe(plain.answer.plain.etag)
  expect(plain.answer.gzip).toBe(null)
  expect(again.answer).toBe(br.answer)
  expect(answers.answer('tokyo', 'none', { ...of, snapshot: aFleet() })).not.toBe(again)
})

it.each(['paris', '', 'TOKYO'])(
  'of a proxy that is not watched the names are given: %j',
  (name) => {
    expect(createUpstreamAnswers().answer(name, 'none', { snapshot: aFleet(), context })).toEqual({
      names: ['tokyo', 'berlin'],
    })
  },
)

it('of the only proxy it is that of the whole pool', () => {
  const snapshot = aSnapshot([[anAccount('alice'), null]])
  const answers = createUpstreamAnswers()

  expect(
    recommendationsIn(answers.answer('default', 'none', { snapshot, context })).items,
  ).toHaveLength(1)
  expect(answers.answer('tokyo', 'none', { snapshot, context })).toEqual({ names: ['default'] })
})
