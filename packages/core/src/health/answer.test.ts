import { describe, expect, it } from 'vitest'
import { offBecause } from '../facts/source.ts'
import { type PerWindow, perWindow } from '../facts/window.ts'
import { noTrends, type Runway, type Trends, unknownRunway } from '../pool/runway.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  failing,
  fromNow,
  NOW,
  neverRead,
} from '../testing/builders.ts'
import { type Answer, answerOf, answerTone } from './answer.ts'
import { type Snapshot, stalledSnapshot } from './snapshot.ts'

const HOUR = 3_600
const lost = failing(5)
const account = (name: string, fiveHour: number | null, resetsInSeconds: number | null = null) =>
  [
    anAccount(name),
    fiveHour === null
      ? null
      : evidenceOf([
          aQuotaSample({ fiveHour, fiveHourResetsInSeconds: resetsInSeconds, week: 90 }),
        ]),
  ] as const
const trendsWith = (runways: Partial<PerWindow<Partial<Runway>>>): Trends =>
  perWindow(({ id }) => ({
    ...noTrends[id],
    runway: { ...unknownRunway, ...(runways[id] ?? {}) },
  }))
const dry = (inSeconds: number): Partial<Runway> => ({
  runsDryAt: fromNow(inSeconds),
  p25: fromNow(inSeconds * 0.8),
  p75: fromNow(inSeconds * 1.5),
  confidence: 'high',
})
const fine = [account('ana', 30), account('bob', 80)]
const answer = (snapshot: Snapshot, trends: Trends = noTrends) => answerOf(snapshot, trends)

describe('the answer', () => {
  it.each<readonly [what: string, answer: Answer, expected: object]>([
    [
      'no newer snapshot can be made',
      answer(stalledSnapshot(aSnapshot(fine))),
      { code: 'monitor_silent', since: NOW },
    ],
    [
      'no account list was read yet',
      answer(aSnapshot([], { sources: { accounts: neverRead } })),
      { code: 'not_ready', firstRound: null },
    ],
    [
      'the first round is under way',
      answer(aSnapshot([...fine, account('new', null), account('newer', null)])),
      {
        code: 'go',
        usableUnits: 1.1,
        atLeast: true,
        lasts: { kind: 'unknown' },
        firstRound: { readCount: 2, toReadCount: 4 },
      },
    ],
    [
      'the first round has found nothing usable yet',
      answer(aSnapshot([account('new', null), account('newer', null), account('ana', 0, HOUR)])),
      { code: 'not_ready', firstRound: { readCount: 1, toReadCount: 3 } },
    ],
    [
      'nothing is known of the quota, and nobody asks for it',
      answer(
        aSnapshot([account('new', null)], {
          sources: { direct_quota: offBecause('switched_off') },
        }),
      ),
      { code: 'not_ready', firstRound: null },
    ],
    [
      'the gateway does not answer',
      answer(aSnapshot(fine, { sources: { gateway: lost } })),
      { code: 'proxy_down', answers: false, sampledAt: NOW, usableUnits: 1.1 },
    ],
    [
      'the gateway does not answer, and nothing was read',
      answer(aSnapshot([], { sources: { gateway: lost, accounts: lost } })),
      { code: 'proxy_down', answers: false, sampledAt: null, usableUnits: null },
    ],
    [
      'the account list is old though the gateway answers',
      answer({ ...aSnapshot(fine), source: 'stale', sampledAt: fromNow(-600) }),
      { code: 'proxy_down', answers: true, sampledAt: fromNow(-600) },
    ],
    [
      'the list is remembered and the gateway was not asked yet',
      answer({ ...aSnapshot(fine), source: 'stale', sampledAt: fromNow(-600), gatewayUp: null }),
      { code: 'go', usableUnits: 1.1, atLeast: false, asOf: fromNow(-600) },
    ],
    [
      'the list is remembered, and few of it were ever read',
      answer({
        ...aSnapshot([...fine, account('new', null), account('newer', null)]),
        source: 'stale',
        gatewayUp: null,
      }),
      { code: 'go', usableUnits: 1.1, atLeast: true, asOf: NOW },
    ],
    [
      'the list is remembered, and every account of it waits',
      answer({
        ...aSnapshot([account('ana', 0, HOUR), account('bob', 0, 2 * HOUR)]),
        source: 'stale',
        gatewayUp: null,
      }),
      { code: 'wait', until: fromNow(HOUR), units: 1, asOf: NOW },
    ],
    [
      'the list is remembered, and no quota of it is known',
      answer({
        ...aSnapshot([account('new', null), account('newer', null)]),
        source: 'stale',
        gatewayUp: null,
      }),
      { code: 'not_ready' },
    ],
    [
      'a list was read by this process before the gateway answered',
      answer({ ...aSnapshot(fine), gatewayUp: null }),
      { code: 'go', asOf: null },
    ],
    [
      'every account waits: what the first of them gets back',
      answer(aSnapshot([account('ana', 0, HOUR), account('bob', 0, 2 * HOUR)])),
      { code: 'wait', until: fromNow(HOUR), units: 1 },
    ],
    [
      'every account waits, two of them for the same reset',
      answer(aSnapshot([account('ana', 0, HOUR), account('bob', 0, HOUR)])),
      { code: 'wait', until: fromNow(HOUR), units: 2 },
    ],
    [
      'every account waits, another reset in the same minute',
      answer(aSnapshot([account('ana', 0, HOUR), account('bob', 0, HOUR + 1)])),
      { code: 'wait', until: fromNow(HOUR), units: 2 },
    ],
    [
      'every account waits, another reset a minute later',
      answer(aSnapshot([account('ana', 0, HOUR), account('bob', 0, HOUR + 60)])),
      { code: 'wait', until: fromNow(HOUR), units: 1 },
    ],
    [
      'no return is known',
      answer(aSnapshot([[anAccount('off', { operatorDisabled: true }), null]])),
      { code: 'wait', until: null, units: null },
    ],
    ['nothing is listed', answer(aSnapshot([])), { code: 'wait', until: null, units: null }],
    [
      'dry within two hours',
      answer(
        aSnapshot([account('ana', 30, 3 * HOUR), account('bob', 80)]),
        trendsWith({ '5h': dry(2 * HOUR) }),
      ),
      {
        code: 'hurry',
        usableUnits: 1.1,
        first: 'bob@example.com',
        lasts: { kind: 'until', at: fromNow(2 * HOUR) },
        windowId: '5h',
        nextReturn: { at: fromNow(3 * HOUR), units: 0.7 },
      },
    ],
    [
      'dry later',
      answer(aSnapshot(fine), trendsWith({ '5h': dry(2 * HOUR + 1) })),
      { code: 'go_short', lasts: { kind: 'until', at: fromNow(2 * HOUR + 1) } },
    ],
    [
      'the week runs dry before the 5h window',
      answer(aSnapshot(fine), trendsWith({ '5h': dry(20 * HOUR), week: dry(HOUR) })),
      { code: 'hurry', windowId: 'week', lasts: { kind: 'until', at: fromNow(HOUR) } },
    ],
    [
      'lasts beyond the forecast',
      answer(aSnapshot(fine), trendsWith({ '5h': { confidence: 'high' } })),
      { code: 'go', windowId: '5h', lasts: { kind: 'beyond', at: fromNow(48 * HOUR) } },
    ],
    [
      'lasts beyond the last full hour of the forecast',
      answer(
        { ...aSnapshot(fine), evaluatedAt: fromNow(HOUR - 1) },
        trendsWith({ '5h': { confidence: 'high' } }),
      ),
      { code: 'go', windowId: '5h', lasts: { kind: 'beyond', at: fromNow(48 * HOUR) } },
    ],
    [
      'low confidence names no instant',
      answer(aSnapshot(fine), trendsWith({ '5h': { ...dry(10 * HOUR), confidence: 'low' } })),
      {
        code: 'go_short',
        lasts: { kind: 'rough', fromMs: 8 * HOUR * 1000, toMs: 15 * HOUR * 1000 },
      },
    ],
    [
      'low confidence beyond the forecast',
      answer(aSnapshot(fine), trendsWith({ '5h': { confidence: 'low' } })),
      { code: 'go', lasts: { kind: 'rough', fromMs: 48 * HOUR * 1000, toMs: null } },
    ],
    [
      'the burn is unknown',
      answer(aSnapshot(fine)),
      { code: 'go', usableUnits: 1.1, lasts: { kind: 'unknown' } },
    ],
    [
      'routable, but of unknown weight',
      answer(
        aSnapshot([[anAccount('odd', { claimedPlan: 'galaxy' }), evidenceOf([aQuotaSample()])]]),
      ),
      { code: 'go', usableUnits: null, first: 'odd@example.com' },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toMatchObject(expected)
  })

  it('is never good if only an earlier process has read anything', () => {
    expect(answerTone('go', null)).toBe('good')
    expect([answerTone('go', NOW), answerTone('go_short', NOW), answerTone('wait', NOW)]).toEqual([
      'warn',
      'warn',
      'bad',
    ])
  })
})
