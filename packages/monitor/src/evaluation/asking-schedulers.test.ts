import { DAY_MS, epochMs, plusMs } from '@svc/core'
import type { SchedulerQuestion } from '@svc/core/service'
import { aLiveObservation, NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { createAskingSchedulers } from './asking-schedulers.ts'

const aQuestion = (set: Partial<SchedulerQuestion> = {}): SchedulerQuestion => ({
  upstream: null,
  version: '0.2.0',
  report: { askedCount: 0, pickCount: 0, follows: true },
  refusal: null,
  ...set,
})

/** An observation whose account list of `seconds` after NOW counts so many requests. */
const served = (count: number, seconds: number) => {
  const observed = aLiveObservation([])
  const requestCounters = { success: count - 1, failed: 1, tokens: null, restartedAt: null }
  return {
    ...observed,
    sources: {
      ...observed.sources,
      accounts: {
        ...observed.sources.accounts,
        lastGood: {
          value: { accounts: [], skipped: [], requestCounters },
          at: plusMs(NOW, seconds * 1000),
        },
      },
    },
  }
}

const aRun = () => {
  let now = NOW
  const schedulers = createAskingSchedulers({ now: () => now })
  return {
    ...schedulers,
    at(seconds: number) {
      now = plusMs(NOW, seconds * 1000)
    },
    only: (observed = aLiveObservation([])) => schedulers.until(now, observed).schedulers?.[0],
    all: (at: number) => schedulers.until(epochMs(at), aLiveObservation([])),
  }
}

it('the last question of each proxy counts, for a day', () => {
  const { asked, at, all } = aRun()
  expect(all(NOW)).toEqual({})

  asked(aQuestion({ version: '0.1.0', report: null }))
  at(2)
  asked(aQuestion({ upstream: 'tokyo' }))
  at(4)
  asked(aQuestion())

  expect(all(NOW + 4_000).schedulers).toMatchObject([
    { version: '0.2.0', askedAt: NOW + 4_000, askingSince: NOW },
    { upstream: 'tokyo', askedAt: NOW + 2_000, askingSince: NOW + 2_000 },
  ])
  expect(all(NOW + 2_000 + DAY_MS).schedulers).toHaveLength(1)
  expect(all(NOW + 4_000 + DAY_MS)).toEqual({})
})

it('reports add up, and a pause begins anew', () => {
  const { asked, at, only } = aRun()
  asked(aQuestion({ report: { askedCount: 3, pickCount: 2, follows: true } }))
  at(30)
  asked(aQuestion())
  expect(only()).toMatchObject({ askedCount: 3, pickCount: 2, consultedAt: NOW, askingSince: NOW })

  at(91)
  asked(aQuestion({ report: { askedCount: 1, pickCount: 1, follows: false } }))
  expect(only()).toMatchObject({
    askedCount: 4,
    pickCount: 3,
    consultedAt: NOW + 91_000,
    askingSince: NOW + 91_000,
  })
})

it('requests ended after the last list that had not counted them', () => {
  const { asked, only } = aRun()
  asked(aQuestion())

  const counted = (count: number, seconds: number) => {
    const { requestsAfter, requestCount } = only(served(count, seconds)) ?? {}
    return [requestsAfter, requestCount]
  }
  expect(counted(10, 0)).toEqual([null, 0])
  expect(counted(10, 15)).toEqual([null, 0])
  expect(counted(12, 30)).toEqual([NOW + 15_000, 2])
  expect(counted(12, 45)).toEqual([NOW + 15_000, 2])
})

it('a scheduler that begins anew counts from there', () => {
  const { asked, at, only } = aRun()
  only(served(10, 0))
  asked(aQuestion())
  expect(only(served(14, 15))?.requestCount).toBe(4)
  at(61)
  asked(aQuestion())
  expect(only(served(14, 60))?.requestCount).toBe(0)
})

it('each proxy counts its own requests', () => {
  const { asked, until } = createAskingSchedulers({ now: () => NOW })
  asked(aQuestion({ upstream: 'tokyo' }))
  const fleet = (tokyo: number, berlin: number, seconds: number) => ({
    ...served(tokyo + berlin, seconds),
    upstreams: [
      { ...served(tokyo, seconds), name: 'tokyo' },
      { ...served(berlin, seconds), name: 'berlin' },
    ],
  })
  until(NOW, fleet(5, 5, 0))

  expect(until(NOW, fleet(5, 9, 15)).schedulers?.[0]?.requestsAfter).toBeNull()
  expect(until(NOW, fleet(6, 9, 30)).schedulers?.[0]?.requestsAfter).toBe(NOW + 15_000)
})

it('a refused question takes no place of an answered one that asks', () => {
  const { asked, at, only } = aRun()
  asked(aQuestion())
  asked(aQuestion({ refusal: 'host' }))
  expect(only()?.refusal).toBeNull()

  at(61)
  asked(aQuestion({ refusal: 'host' }))
  expect(only()?.refusal).toBe('host')
  asked(aQuestion())
  expect(only()?.refusal).toBeNull()
})

it('whoever claims to be a scheduler of many proxies takes little memory', () => {
  const { asked, all } = aRun()
  for (let number = 0; number < 1_000; number += 1)
    asked(aQuestion({ upstream: `u${number}`, refusal: 'upstream' }))

  expect(all(NOW).schedulers).toHaveLength(64)
})
