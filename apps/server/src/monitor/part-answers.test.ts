import type { Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { anAccount, aSnapshot, NOW } from '@svc/core/testing'
import { createWording, type Health, type Recommendations, type StatusSnapshot } from '@svc/views'
import { expect, it } from 'vitest'
import {
  createUpstreamAnswers,
  type UpstreamAnswer,
  type UpstreamReading,
} from './upstream-answers.ts'

const context = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

const rankingAt = (
  upstream: string,
  compression: UpstreamReading['compression'] = 'none',
): UpstreamReading => ({ upstream, payload: 'recommendations', compression })

/** alice at both proxies, bob at berlin. */
function aFleet(): Snapshot {
  const alice = anAccount('alice')
  const snapshot = aSnapshot([
    [{ ...alice, upstream: 'tokyo' }, null],
    [{ ...alice, upstream: 'berlin' }, null],
    [anAccount('bob', { upstream: 'berlin' }), null],
  ])
  const standing = (name: string, fileCount: number) => ({
    name,
    source: 'live' as const,
    available: true,
    sampledAt: NOW,
    gatewayUp: true,
    version: null,
    clockSkewSeconds: null,
    skipped: [],
    otherProviders: new Map<string, number>(),
    fileCount,
    routableCount: fileCount,
  })
  return {
    ...snapshot,
    upstreams: [standing('tokyo', 1), standing('berlin', 2)],
    seenAt: new Map([
      [alice.selector.accountKey, ['berlin', 'tokyo']],
      [anAccount('bob').selector.accountKey, ['berlin']],
    ]),
  }
}

function bodyOf<Body>(answer: UpstreamAnswer): Body {
  if (!('answer' in answer)) throw new Error(`unknown; there are ${answer.names}`)
  return JSON.parse(new TextDecoder().decode(answer.answer.plain.bytes))
}

it('the ranking of a proxy has its accounts alone, counts them alone, and says where else they are', () => {
  const answers = createUpstreamAnswers()
  const { items, routableCount } = bodyOf<Recommendations>(
    answers.answer(rankingAt('tokyo'), { snapshot: aFleet(), context }),
  )

  expect(items.map(({ title, upstream, seenAt }) => [title, upstream, seenAt])).toEqual([
    ['alice@example.com', 'tokyo', ['berlin', 'tokyo']],
  ])
  expect(routableCount).toBe(1)
})

it('the status of a proxy counts its accounts alone, and still lists every proxy', () => {
  const reading = { ...rankingAt('berlin'), payload: 'status' } as const
  const { tabs, summary, recommendations } = bodyOf<StatusSnapshot>(
    createUpstreamAnswers().answer(reading, { snapshot: aFleet(), context }),
  )

  expect(summary.fiveHour.trackedUnits).toBe(2)
  expect(tabs.pool.accounts.map(({ upstream }) => upstream)).toEqual(['berlin', 'berlin'])
  expect(tabs.pool.accounts.map(({ counted = true }) => counted)).toEqual([true, true])
  expect(recommendations.items).toHaveLength(2)
  expect(tabs.upstreams).toMatchObject([
    { name: 'tokyo', accountCount: 1 },
    { name: 'berlin', accountCount: 2 },
  ])
})

it('the health of a proxy counts its accounts alone', () => {
  const reading = { ...rankingAt('tokyo'), payload: 'health' } as const
  const { recommendations } = bodyOf<Health>(
    createUpstreamAnswers().answer(reading, { snapshot: aFleet(), context }),
  )

  expect(recommendations?.routableCount).toBe(1)
})

it('is made once for a snapshot and what is said besides, and compressed further only when that is asked for', () => {
  const answers = createUpstreamAnswers()
  const of = { snapshot: aFleet(), context }
  const plain = answers.answer(rankingAt('tokyo'), of)
  const both = answers.answer(rankingAt('tokyo', 'both'), of)
  const again = answers.answer(rankingAt('tokyo', 'gzip'), of)

  if (!('answer' in plain && 'answer' in both && 'answer' in again)) throw new Error('unknown')
  expect(both.answer.plain.etag).toBe(plain.answer.plain.etag)
  expect(plain.answer.gzip).toBe(null)
  expect(again.answer).toBe(both.answer)
  for (const other of [
    { ...of, snapshot: aFleet() },
    { ...of, context: { ...context } },
  ]) {
    const made = answers.answer(rankingAt('tokyo'), other)
    expect('answer' in made && made.answer).not.toBe(both.answer)
  }
})

it.each(['paris', '', 'TOKYO'])(
  'of a proxy that is not watched the names are given: %j',
  (name) => {
    const of = { snapshot: aFleet(), context }
    expect(createUpstreamAnswers().answer(rankingAt(name), of)).toEqual({
      names: ['tokyo', 'berlin'],
    })
  },
)

it('of the only proxy it is that of the whole pool', () => {
  const of = { snapshot: aSnapshot([[anAccount('alice'), null]]), context }
  const answers = createUpstreamAnswers()

  expect(bodyOf<Recommendations>(answers.answer(rankingAt('default'), of)).items).toHaveLength(1)
  expect(answers.answer(rankingAt('tokyo'), of)).toEqual({ names: ['default'] })
})
