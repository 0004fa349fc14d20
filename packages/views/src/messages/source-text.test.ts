import { accountNamed, type HealthAction, type Snapshot } from '@svc/core'
import type { HealthSource } from '@svc/core/health'
import { fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEvaluatedAccount, anOpenAction, aSnapshot } from '../testing/snapshots.ts'
import { snapshotSourceText } from './source-words.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')
const pool = [anEvaluatedAccount('a'), anEvaluatedAccount('b')]
const [home] = aSnapshot([anEvaluatedAccount('a')]).pools
if (home === undefined) throw new Error('no pool')
const anotherProviders = anEvaluatedAccount('c', {
  account: accountNamed('c', { provider: 'nobody' }),
})

describe('snapshotSourceText', () => {
  it.each<[string, Partial<Snapshot>, string]>([
    ['live', {}, 'Live: 2 Codex accounts, read at 19:59:56'],
    [
      'live, of two providers',
      { pools: [home, { ...home, provider: 'nobody', accounts: [anotherProviders] }] },
      'Live: 1 Codex, 1 Nobody accounts, read at 19:59:56',
    ],
    ['demo', { source: 'demo' }, 'Demo: 2 sample accounts'],
    [
      'stale',
      { source: 'stale', sampledAt: fromNow(-300) },
      'Old account list: the proxy last answered at 19:55',
    ],
    [
      'stale since yesterday',
      { source: 'stale', sampledAt: fromNow(-86_400) },
      'Old account list: the proxy last answered on Thu 20:00',
    ],
    [
      'cold start',
      { source: 'unavailable', sampledAt: null },
      'No data yet: waiting for the first reading',
    ],
  ])('%s', (_, changes, expected) => {
    expect(snapshotSourceText(aSnapshot(pool, changes), text)).toBe(expected)
  })

  it('names the sources that failed', () => {
    const { health } = aSnapshot(pool)
    const failed = (source: HealthSource): HealthSource => ({
      ...source,
      outcome: { kind: 'failed', code: 'timeout', at: fromNow(-2) },
    })
    const sources = health.sources.map((source) =>
      source.id === 'direct_quota' || source.id === 'gateway' ? failed(source) : source,
    )

    expect(
      snapshotSourceText(
        aSnapshot(pool, { source: 'partial', health: { ...health, sources } }),
        text,
      ),
    ).toBe('Partly live: gateway, direct quota failed')
    expect(snapshotSourceText(aSnapshot(pool, { source: 'partial' }), text)).toBe(
      'Partly live: some sources are not read',
    )
  })

  it.each<[HealthAction, string]>([
    [{ code: 'management_key_missing' }, 'no management key'],
    [
      { code: 'management_key_unreadable', reason: 'empty' },
      'the management key file cannot be used',
    ],
    [refused('unauthorized'), 'the proxy refused the management key'],
    [refused('forbidden'), 'the proxy refuses management from this address'],
    [
      { code: 'management_banned', until: fromNow(1800) },
      'the proxy bans this address until 20:30',
    ],
    [{ code: 'gateway_down', since: fromNow(-60) }, 'waiting for the first reading'],
  ])('without data it says what is missing: $0.code', (action, expected) => {
    const { health } = aSnapshot([])
    const actions = [
      anOpenAction({ tone: 'bad', action: { code: 'snapshot_unavailable' } }),
      anOpenAction({ tone: 'bad', action }),
    ]
    const snapshot = aSnapshot([], {
      source: 'unavailable',
      sampledAt: null,
      health: { ...health, actions },
    })

    expect(snapshotSourceText(snapshot, text)).toBe(`No data yet: ${expected}`)
  })
})

function refused(failure: 'unauthorized' | 'forbidden'): HealthAction {
  return {
    code: 'management_key_refused',
    at: fromNow(-60),
    nextAttemptAt: fromNow(9000),
    failure,
  }
}
