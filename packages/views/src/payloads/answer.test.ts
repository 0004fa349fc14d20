import type { Snapshot } from '@svc/core'
import { stalledSnapshot } from '@svc/core/health'
import { noTrends, type Runway, type Trends, type WindowCapacity } from '@svc/core/pool'
import { perWindow } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { languages } from '../language/language.ts'
import { createWording } from '../messages/wording.ts'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  anOpenAction,
  aPoolCapacity,
  aSnapshot,
} from '../testing/snapshots.ts'
import { answerSchema, answerView, providerAnswersOf } from './answer.ts'

const HOUR = 3_600
const trendsWith = (changes: Partial<Runway>): Trends =>
  perWindow(({ id }) => ({ ...noTrends[id], runway: { ...noTrends[id].runway, ...changes } }))
const capacity = (usableUnits: number, changes: Partial<WindowCapacity> = {}) => ({
  capacity: aPoolCapacity({ '5h': { usableUnits, unknownUnits: 0, returns: [], ...changes } }),
})
const shift = anEvaluatedAccount('night-shift')
const blocked = aBlockedAccount('ana', 'quota_exhausted_5h', {
  status: { kind: 'reset_scheduled', tone: 'warn', until: fromNow(HOUR) },
})
const back = { at: fromNow(2 * HOUR), units: 3, fileKey: 'a', title: 'a' }
const lost = aSnapshot([])

const told: readonly (readonly [
  snapshot: Snapshot,
  trends: Trends,
  english: string,
  chinese: string,
])[] = [
  [
    stalledSnapshot(aSnapshot([shift])),
    noTrends,
    'Not known: the monitor has been silent since 12:00.',
    '尚不清楚：监控自 12:00 起没有更新。',
  ],
  [
    aSnapshot([], {
      firstRound: {
        readCount: 403,
        toReadCount: 478,
        doneAt: fromNow(20 * 60),
        seenFrom: { at: NOW, readCount: 0 },
      },
    }),
    noTrends,
    'Not known yet: 403 of 478 accounts read, done about 12:20.',
    '尚不清楚：已读取账号 403 / 478，约 12:20 完成。',
  ],
  [
    aSnapshot([], {
      available: false,
      source: 'unavailable',
      health: {
        ...lost.health,
        actions: [anOpenAction({ tone: 'bad', action: { code: 'management_key_missing' } })],
      },
    }),
    noTrends,
    'Not known yet: no management key.',
    '尚不清楚：没有管理密钥。',
  ],
  [
    aSnapshot([shift], capacity(0, { unknownUnits: 5 })),
    noTrends,
    'Not known yet: no quota was read.',
    '尚不清楚：还没有读取任何配额。',
  ],
  [
    aSnapshot([shift], {
      gatewayUp: false,
      sampledAt: fromNow(-600),
      health: {
        ...lost.health,
        sources: lost.health.sources.map((source) =>
          source.id === 'gateway'
            ? { ...source, address: 'http://127.0.0.1:8999/healthz' }
            : source.id === 'accounts'
              ? { ...source, address: 'http://127.0.0.1:8999' }
              : source,
        ),
      },
    }),
    noTrends,
    'The proxy at http://127.0.0.1:8999 does not answer; last readings are from 11:50, with 16.1 Plus usable.',
    '代理 http://127.0.0.1:8999 没有响应；最后的读数来自 11:50，当时可用 16.1 Plus。',
  ],
  [
    aSnapshot([shift], { gatewayUp: false, sampledAt: null }),
    noTrends,
    'The proxy does not answer; nothing was read yet.',
    '代理没有响应；还没有任何读数。',
  ],
  [
    aSnapshot([shift], { source: 'stale', sampledAt: fromNow(-600) }),
    noTrends,
    'The account list cannot be read; last readings are from 11:50, with 16.1 Plus usable.',
    '无法读取账号列表；最后的读数来自 11:50，当时可用 16.1 Plus。',
  ],
  [
    aSnapshot([shift], { ...capacity(0), gatewayUp: false, sampledAt: fromNow(-600) }),
    noTrends,
    'The proxy does not answer; last readings are from 11:50.',
    '代理没有响应；最后的读数来自 11:50。',
  ],
  [
    aSnapshot([shift], {
      ...capacity(3.2),
      gatewayUp: null,
      source: 'stale',
      sampledAt: fromNow(-600),
    }),
    trendsWith({ confidence: 'high', runsDryAt: fromNow(5 * HOUR) }),
    'Yes. 3.2 Plus usable now, night-shift@example.com first, lasts until about 17:00; readings are from 11:50, the proxy has not answered yet.',
    '可以。现在可用 3.2 Plus，先用 night-shift@example.com，约可用到 17:00；读数来自 11:50，代理尚未响应。',
  ],
  [
    aSnapshot([blocked], {
      nextRoutableAt: fromNow(HOUR),
      gatewayUp: null,
      source: 'stale',
      sampledAt: fromNow(-600),
    }),
    noTrends,
    'Wait until 13:00: 1.0 Plus come back; readings are from 11:50, the proxy has not answered yet.',
    '请等到 13:00：届时恢复 1.0 Plus；读数来自 11:50，代理尚未响应。',
  ],
  [
    aSnapshot([shift], {
      ...capacity(316, { unknownUnits: 90, trackedUnits: 400 }),
      firstRound: {
        readCount: 744,
        toReadCount: 957,
        doneAt: fromNow(20 * 60),
        seenFrom: { at: NOW, readCount: 0 },
      },
    }),
    trendsWith({ confidence: 'high', runsDryAt: fromNow(60) }),
    'Yes, at least 316.0 Plus usable, night-shift@example.com first; 744 of 957 read, done about 12:20.',
    '可以。现在至少可用 316.0 Plus，先用 night-shift@example.com；已读取账号 744 / 957，约 12:20 完成。',
  ],
  [
    aSnapshot([shift], {
      ...capacity(0, { unknownUnits: 80, trackedUnits: 400 }),
      firstRound: {
        readCount: 744,
        toReadCount: 957,
        doneAt: fromNow(20 * 60),
        seenFrom: { at: NOW, readCount: 0 },
      },
    }),
    noTrends,
    'Not known yet: 744 of 957 accounts read, done about 12:20.',
    '尚不清楚：已读取账号 744 / 957，约 12:20 完成。',
  ],
  [
    aSnapshot([blocked], { nextRoutableAt: fromNow(HOUR) }),
    noTrends,
    'Wait until 13:00: 1.0 Plus come back.',
    '请等到 13:00：届时恢复 1.0 Plus。',
  ],
  [
    aSnapshot([blocked]),
    noTrends,
    'No account can take work, and no return is known.',
    '没有账号可用，也不知道何时恢复。',
  ],
  [
    aSnapshot([shift], capacity(3.1, { returns: [back] })),
    trendsWith({ confidence: 'high', runsDryAt: fromNow(HOUR) }),
    'Yes, but short: 3.1 Plus usable, dry about 13:00, next return 14:00.',
    '可以，但不多：可用 3.1 Plus，约 13:00 耗尽，下次恢复在 14:00。',
  ],
  [
    aSnapshot([shift], capacity(3.1)),
    trendsWith({
      confidence: 'low',
      runsDryAt: fromNow(HOUR),
      p25: fromNow(HOUR),
      p75: fromNow(3 * HOUR),
    }),
    'Yes, but short: 3.1 Plus usable, dry in 1 to 3 h, no return known.',
    '可以，但不多：可用 3.1 Plus，1 至 3 小时后耗尽，没有已知的恢复时间。',
  ],
  [
    aSnapshot([shift], capacity(13.4)),
    trendsWith({ confidence: 'high', runsDryAt: fromNow(9 * HOUR) }),
    'Yes. 13.4 Plus usable now, night-shift@example.com first, lasts until about 21:00.',
    '可以。现在可用 13.4 Plus，先用 night-shift@example.com，约可用到 21:00。',
  ],
  [
    aSnapshot([shift], capacity(13.4)),
    trendsWith({ confidence: 'high' }),
    'Yes. 13.4 Plus usable now, night-shift@example.com first, lasts beyond Sun 12:00.',
    '可以。现在可用 13.4 Plus，先用 night-shift@example.com，可用到周日 12:00 以后。',
  ],
  [
    aSnapshot([shift], capacity(13.4)),
    trendsWith({ confidence: 'low', p25: fromNow(5 * HOUR), p75: fromNow(20 * HOUR) }),
    'Yes. 13.4 Plus usable now, night-shift@example.com first, lasts 5 to 20 h.',
    '可以。现在可用 13.4 Plus，先用 night-shift@example.com，可持续 5 至 20 小时。',
  ],
  [
    aSnapshot([shift], capacity(13.4)),
    noTrends,
    'Yes. 13.4 Plus usable now, night-shift@example.com first.',
    '可以。现在可用 13.4 Plus，先用 night-shift@example.com。',
  ],
]

it.each([
  [aSnapshot([shift], capacity(13.4, { returns: [back] })), 'fiveHour', fromNow(2 * HOUR), 3],
  [aSnapshot([shift], capacity(13.4)), 'fiveHour', null, null],
  [aSnapshot([blocked], { nextRoutableAt: fromNow(HOUR) }), null, fromNow(HOUR), 1],
  [aSnapshot([]), null, null, null],
])('names the window that binds and what comes back', (snapshot, window, at, units) => {
  expect(answerView(snapshot, { trends: noTrends, text: createWording('UTC') })).toMatchObject({
    window,
    nextReturn: at === null ? null : { at: new Date(Number(at)).toISOString(), units },
  })
})

describe.each(languages)('the answer in %s', (language) => {
  const wording = createWording('UTC', language)

  it.each(told)('%#', (snapshot, trends, english, chinese) => {
    const view = answerView(snapshot, { trends, text: wording })

    expect(view.text).toBe(language === 'en' ? english : chinese)
    expect(v.parse(answerSchema, view)).toEqual(view)
  })
})

it.each([
  [
    aSnapshot([shift], capacity(1)),
    trendsWith({ confidence: 'high', runsDryAt: fromNow(60) }),
    fromNow(60),
  ],
  [aSnapshot([shift], capacity(1)), noTrends, null],
  [aSnapshot([shift], capacity(1)), trendsWith({ confidence: 'high' }), null],
  [aSnapshot([blocked], { nextRoutableAt: fromNow(HOUR) }), noTrends, fromNow(HOUR)],
])('names its instant for programs', (snapshot, trends, at) => {
  expect(answerView(snapshot, { trends, text: createWording('UTC') }).at).toBe(
    at === null ? null : new Date(Number(at)).toISOString(),
  )
})

describe.each([
  [
    'en',
    '1 of 4 providers can work: Codex until 17:00; Claude next 13:00, xAI is being read, 1 more.',
    ['until 17:00', 'next 13:00', 'is being read', 'not known yet'],
    '5 of 6 providers can work: Codex until 17:00, Claude, xAI, 2 more; Antigravity not known yet.',
  ],
  [
    'zh-CN',
    '4 个提供商中 1 个可用：Codex 可用到 17:00；Claude 13:00 恢复、xAI 正在读取、另外 1 个。',
    ['可用到 17:00', '13:00 恢复', '正在读取', '尚不清楚'],
    '6 个提供商中 5 个可用：Codex 可用到 17:00、Claude、xAI、另外 2 个；Antigravity 尚不清楚。',
  ],
] as const)('the answer of several providers in %s', (language, sentence, shorts, ofFive) => {
  const own = aSnapshot([shift], capacity(3))
  const firstRound = {
    readCount: 3,
    toReadCount: 9,
    doneAt: null,
    seenFrom: { at: NOW, readCount: 0 },
  }
  const pool = (provider: string, changes: Partial<Snapshot>) => ({ ...own, provider, ...changes })
  const unread = capacity(0, { unknownUnits: 4, trackedUnits: 4 })
  const pools = [
    pool('codex', {}),
    pool('claude', { accounts: [blocked], nextRoutableAt: fromNow(HOUR) }),
    pool('xai', { ...unread, firstRound }),
    pool('antigravity', unread),
  ]
  const lasting = trendsWith({ confidence: 'high', runsDryAt: fromNow(5 * HOUR) })
  const context = {
    text: createWording('UTC', language),
    trends: noTrends,
    trendsByProvider: new Map([['codex', lasting]]),
  }
  const all: Snapshot = { ...own, provider: 'all', unit: 'mixed', pools }

  it('names those that can work, until when, and the others', () => {
    expect(answerView(all, context)).toMatchObject({ code: 'go_short', text: sentence, at: null })
    expect(providerAnswersOf(all, context).map(({ short }) => short)).toEqual(shorts)
  })

  it('counts those it does not name with their own kind', () => {
    const five = ['codex', 'claude', 'xai', 'kimi', 'kimi-ai'].map((provider) => pool(provider, {}))
    const { text } = answerView({ ...all, pools: [...five, pool('antigravity', unread)] }, context)

    expect(text).toBe(ofFive)
  })

  it('is that of the whole where the proxy is lost', () => {
    expect(answerView({ ...all, gatewayUp: false }, context).code).toBe('proxy_down')
  })

  it('is dated, and never good, until the proxy is reached after a restart', () => {
    const since = { gatewayUp: null, source: 'stale', sampledAt: fromNow(-600) } as const
    const dated = pools.map((one) => ({ ...one, ...since }))
    const found = answerView({ ...all, ...since, pools: dated }, context)
    const at = language === 'en' ? /; readings are from 11:50, / : /；读数来自 11:50，/
    expect(found).toMatchObject({ code: 'go_short', tone: 'warn', text: expect.stringMatching(at) })
    expect(found.asOf).toMatch(/T11:50:00/)
  })

  it('waits for the first of them', () => {
    const waiting = { ...all, pools: pools.slice(1), provider: 'claude,xai' }
    expect(answerView(waiting, context)).toMatchObject({ code: 'wait', at: expect.any(String) })
  })
})
