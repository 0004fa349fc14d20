import { epochMs, type Observation } from '@svc/core'
import type { ProxyStanding } from '@svc/core/pool'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createPoolMemory, type PoolMemory } from './pool-course.ts'

const STANDING = { source: 'live', gatewayUp: true } as ProxyStanding
const poolOf = (names: Readonly<Record<string, number>>): Observation =>
  aLiveObservation(
    Object.entries(names).map(([name, fiveHour]) => [
      anAccount(name),
      evidenceOf([aQuotaSample({ fiveHour })]),
    ]),
  )

/** Names written by an update; deleted ones have a minus. */
function written(memory: PoolMemory, observation: Observation): readonly string[] | null {
  const update = memory.updateOf(observation, STANDING)
  if (update === null) return null
  memory.kept(update)
  return update.texts.map(([authName, text]) => (text === null ? `-${authName}` : authName)).sort()
}
const nameOf = (name: string) => anAccount(name).selector.authName

describe('the memory of a pool', () => {
  it('takes away an account that is no longer listed, once, and writes it anew when it is back', () => {
    const memory = createPoolMemory()
    written(memory, poolOf({ a: 10, b: 20 }))

    expect(written(memory, poolOf({ a: 10 }))).toEqual([`-${nameOf('b')}`])
    expect(written(memory, poolOf({ a: 10 }))).toEqual([])
    expect(written(memory, poolOf({ a: 10, b: 20 }))).toEqual([nameOf('b')])
  })

  it('keeps files of one name apart that several proxies have', () => {
    const memory = createPoolMemory()
    const at = (upstream: string) => anAccount('a', { upstream })
    const both = aLiveObservation([
      [at('tokyo'), null],
      [at('berlin'), null],
    ])

    expect(written(memory, both)).toEqual([`berlin/${nameOf('a')}`, `tokyo/${nameOf('a')}`])
    expect(written(memory, aLiveObservation([[at('tokyo'), null]]))).toEqual([
      `-berlin/${nameOf('a')}`,
    ])
  })

  it.each([
    { what: 'no list was read', lastGood: null },
    { what: 'the list is the one an earlier process has left', lastGood: 'kept' },
  ])('writes nothing while $what', ({ lastGood }) => {
    const pool = poolOf({ a: 10 })
    const observation: Observation = {
      ...pool,
      sources: {
        ...pool.sources,
        accounts: {
          ...pool.sources.accounts,
          outcome: { kind: 'pending' },
          lastGood: lastGood === null ? null : pool.sources.accounts.lastGood,
        },
      },
    }

    expect(written(createPoolMemory(), observation)).toBeNull()
  })
})

describe('a login whose vendor has named an identity', () => {
  const DAY = 86_400_000
  const kimi = anAccount('a', { provider: 'kimi' })
  const pool = (at: number, accounts = [kimi]): Observation => {
    const sample = aQuotaSample({}, { vendorIdentity: '0123456789abcdef' })
    const observed = aLiveObservation(accounts.map((one) => [one, evidenceOf([sample])]))
    const { accounts: list } = observed.sources
    const lastGood = list.lastGood === null ? null : { ...list.lastGood, at: epochMs(at) }
    return { ...observed, sources: { ...observed.sources, accounts: { ...list, lastGood } } }
  }
  const loginsIn = (memory: PoolMemory, observation: Observation) => {
    const update = memory.updateOf(observation, STANDING)
    if (update !== null) memory.kept(update)
    return update?.logins
  }
  const { accountKey } = kimi.selector
  const row = (seenAt: number) => ['0123456789abcdef', JSON.stringify({ accountKey, seenAt })]

  it('is written once a day while its file is listed, and stays when that has gone', () => {
    const memory = createPoolMemory()

    expect(loginsIn(memory, pool(9 * DAY))).toEqual([row(9 * DAY)])
    expect(loginsIn(memory, pool(9.9 * DAY))).toBeUndefined()
    expect(loginsIn(memory, pool(10.2 * DAY))).toEqual([row(10 * DAY)])
    expect(loginsIn(memory, pool(11 * DAY, []))).toBeUndefined()
    const codex = anAccount('b')
    expect(loginsIn(createPoolMemory(), pool(9 * DAY, [codex]))).toBeUndefined()
  })

  it.each([
    { days: 90, forgotten: false },
    { days: 91, forgotten: true },
  ])('that has gone for $days days is forgotten: $forgotten', ({ days, forgotten }) => {
    const memory = createPoolMemory()
    const seenAt = epochMs(9 * DAY)
    memory.seed({
      ...STANDING,
      listedAt: epochMs((9 + days) * DAY),
      accounts: [],
      logins: [{ identity: '0123456789abcdef', accountKey, seenAt }],
    })
    const later = pool((9 + days) * DAY, [])

    expect(loginsIn(memory, later)).toEqual(forgotten ? [['0123456789abcdef', null]] : undefined)
    expect(loginsIn(memory, later)).toBeUndefined()
  })
})
