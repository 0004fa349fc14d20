import type { Snapshot } from '@svc/core'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
  virtualClock,
} from '@svc/core/testing'
import type { Health, Pick, Recommendations, StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import type { FilteredPayload, FilteredReading, PickQuestion } from '../answers/ready-answer.ts'
import { contextIn } from '../testing/encoded-payloads.ts'
import { createFilteredPayloads, createPickAnswers } from './filtered-payloads.ts'

const context = contextIn()

const rankingAt = (
  upstream: string,
  compression: FilteredReading['compression'] = 'none',
): FilteredReading => ({
  filter: { upstream: [upstream] },
  payload: 'recommendations',
  compression,
})

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

function bodyOf<Body>(answer: FilteredPayload): Body {
  if (!('answer' in answer)) throw new Error(`unknown; there are ${answer.unknown.allowed}`)
  return JSON.parse(new TextDecoder().decode(answer.answer.plain.bytes))
}

it('the ranking of a proxy has its accounts alone, counts them alone, and says where else they are', () => {
  const answers = createFilteredPayloads()
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
    createFilteredPayloads().answer(reading, { snapshot: aFleet(), context }),
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
    createFilteredPayloads().answer(reading, { snapshot: aFleet(), context }),
  )

  expect(recommendations?.routableCount).toBe(1)
})

it('is made once for a snapshot and a refresh, whatever usage is new, and compressed further only when that is asked for', () => {
  const answers = createFilteredPayloads()
  const of = { snapshot: aFleet(), context }
  const plain = answers.answer(rankingAt('tokyo'), of)
  const both = answers.answer(rankingAt('tokyo', 'both'), of)
  const again = answers.answer(rankingAt('tokyo', 'gzip'), of)

  if (!('answer' in plain && 'answer' in both && 'answer' in again)) throw new Error('unknown')
  expect(both.answer.plain.etag).toBe(plain.answer.plain.etag)
  expect(plain.answer.gzip).toBe(null)
  expect(again.answer).toBe(both.answer)
  const withUsage = { ...of, context: { ...context, usage: { kind: 'pending' } as const } }
  expect(answers.answer(rankingAt('tokyo'), withUsage)).toEqual({ answer: both.answer })
  for (const other of [
    { ...of, snapshot: aFleet() },
    { ...of, context: { ...context, refresh: { status: 'idle' } as const } },
  ]) {
    const made = answers.answer(rankingAt('tokyo'), other)
    expect('answer' in made && made.answer).not.toBe(both.answer)
  }
})

it.each(['paris', '', 'TOKYO'])(
  'of a proxy that is not watched the names are given: %j',
  (name) => {
    const of = { snapshot: aFleet(), context }
    expect(createFilteredPayloads().answer(rankingAt(name), of)).toEqual({
      unknown: { parameter: 'upstream', allowed: ['tokyo', 'berlin'] },
    })
  },
)

it('of the only proxy it is that of the whole pool', () => {
  const of = { snapshot: aSnapshot([[anAccount('alice'), null]]), context }
  const answers = createFilteredPayloads()

  expect(bodyOf<Recommendations>(answers.answer(rankingAt('default'), of)).items).toHaveLength(1)
  expect(answers.answer(rankingAt('tokyo'), of)).toEqual({
    unknown: { parameter: 'upstream', allowed: ['default'] },
  })
})

/** Two Plus accounts at berlin, one of which is used up, and a Pro account at tokyo. */
function aMixedFleet(): Snapshot {
  const left = (fiveHour: number) =>
    evidenceOf([aQuotaSample({ fiveHour, fiveHourResetsInSeconds: 600 })])
  const snapshot = aSnapshot([
    [anAccount('ada'), left(80)],
    [anAccount('bo'), left(0)],
    [anAccount('cy', { claimedPlan: 'pro' }), left(50)],
  ])
  const accounts = snapshot.accounts.map((one) => {
    const upstream = one.plan === 'pro' ? 'tokyo' : 'berlin'
    return { ...one, account: { ...one.account, upstream } }
  })
  const pools = snapshot.pools.map((pool) => ({ ...pool, accounts }))
  return { ...snapshot, accounts, pools, upstreams: aFleet().upstreams ?? [], seenAt: new Map() }
}

describe('the ranking of a part', () => {
  const of = { snapshot: aMixedFleet(), context }
  const rankingOf = (asked: Omit<FilteredReading, 'payload' | 'compression'>) =>
    bodyOf<Recommendations>(
      createFilteredPayloads().answer(
        { payload: 'recommendations', compression: 'none', ...asked },
        of,
      ),
    )
  const titlesOf = ({ items }: Recommendations) => items.map(({ title }) => title.split('@')[0])

  it.each<readonly [expected: string[], asked: Omit<FilteredReading, 'payload' | 'compression'>]>([
    [['cy', 'ada', 'bo'], { filter: {} }],
    [['cy', 'ada'], { filter: {}, routable: true }],
    [['cy'], { filter: {}, limit: 1 }],
    [['ada', 'bo'], { filter: { plan: ['plus'] } }],
    [['cy'], { filter: { plan: ['Pro 20x', 'free'] } }],
    [[], { filter: { plan: ['free'] } }],
    [['cy', 'ada', 'bo'], { filter: { upstream: ['tokyo', 'berlin'], provider: ['codex'] } }],
    [['ada'], { filter: { upstream: ['berlin'], plan: ['plus'] }, routable: true }],
  ])('lists %j for %o', (expected, asked) => {
    const ranking = rankingOf(asked)
    expect(titlesOf(ranking).sort()).toEqual([...expected].sort())
    if (ranking.items.length > 1) expect(ranking.items[0]?.routingScore).toBe(ranking.topScore)
  })

  it('counts all that fits, whatever is left out of its list', () => {
    const whole = rankingOf({ filter: {} })
    expect({ ...rankingOf({ filter: {}, limit: 1, routable: true }), items: null }).toEqual({
      ...whole,
      items: null,
    })
    expect(rankingOf({ filter: { plan: ['plus'] }, limit: 1 })).toMatchObject({
      routableCount: 1,
      blockedCount: 1,
      capacity: { fiveHour: { trackedUnits: 2 } },
      nextRoutableInSeconds: 600,
    })
    expect(rankingOf({ filter: { plan: ['free'] } })).toMatchObject({
      routableCount: 0,
      topScore: 0,
      nextRoutableAt: null,
    })
  })

  it.each([
    { filter: { plan: ['plus', 'gold'] }, parameter: 'plan', allowed: 'plus' },
    { filter: { provider: ['nobody'] }, parameter: 'provider', allowed: 'codex' },
    { filter: { provider: ['claude', 'Codex'] }, parameter: 'provider', allowed: 'all' },
    {
      filter: { plan: ['plus'], upstream: ['tokyo', 'oslo'] },
      parameter: 'upstream',
      allowed: 'tokyo',
    },
  ])('of an unknown $parameter says which there are', ({ filter, parameter, allowed }) => {
    expect(
      createFilteredPayloads().answer(
        { payload: 'recommendations', compression: 'none', filter },
        of,
      ),
    ).toEqual({ unknown: { parameter, allowed: expect.arrayContaining([allowed]) } })
  })

  it('is made once however its values are listed, and again when 64 others were read since', () => {
    const answers = createFilteredPayloads()
    const ranking = (asked: Omit<FilteredReading, 'payload' | 'compression'>) => {
      const made = answers.answer({ payload: 'recommendations', compression: 'none', ...asked }, of)
      return 'answer' in made ? made.answer : null
    }
    const first = ranking({ filter: { plan: ['plus', 'pro'] } })
    const limited = ranking({ filter: {}, limit: 1 })
    for (let limit = 2; limit <= 63; limit++) ranking({ filter: {}, limit })
    expect(ranking({ filter: { plan: ['PRO', 'plus', 'plus'] } })).toBe(first)
    expect(ranking({ filter: {}, limit: 64 })).not.toBeNull()
    expect(ranking({ filter: { plan: ['plus', 'pro'] } })).toBe(first)
    expect(ranking({ filter: {}, limit: 1 })).not.toBe(limited)
  })
})

const nameOf = (name: string) => anAccount(name).selector.authName
const left = (fiveHour: number) =>
  evidenceOf([aQuotaSample({ fiveHour, fiveHourResetsInSeconds: 600 })])

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
