import type { ProviderId, WindowReading } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { recommendationsView } from './recommendations.ts'

const DAY = 86_400
const english = { text: createWording('UTC') }
const chinese = { text: createWording('UTC', 'zh-CN') }

const reading = (
  id: string,
  percent: number,
  resetsInSeconds: number | null,
  names: Pick<WindowReading, 'label' | 'models'> = {},
): WindowReading => ({
  id,
  periodSeconds: null,
  percent,
  resetAt: resetsInSeconds === null ? null : fromNow(resetsInSeconds),
  ...names,
})
const fable = { label: 'Fable', models: ['Fable'] }
const gemini = { label: 'Gemini Models', models: ['Gemini 3.1 Pro', 'Gemini 3 Flash'] }

/** The account of this provider whose vendor's last answer has these windows, none to report if there are none. */
function itemOf(provider: ProviderId, windows: readonly WindowReading[], context = english) {
  const words = windows.length === 0 && { reportsNone: true }
  const sample = aQuotaSample({}, { windows, ...words })
  const snapshot = aSnapshot([
    [anAccount('a', { provider, claimedPlan: null }), evidenceOf([sample])],
  ])
  const [item] = recommendationsView(snapshot, context).items
  if (item === undefined) throw new Error('there is no item')
  return { ...item, reason: item.reasons?.[0] }
}

describe('an account of another provider', () => {
  it('of which windows are known is shown by those, without the ones it lacks', () => {
    const { summary, detail } = itemOf('kimi', [
      reading('5h', 80, 3600),
      reading('month', 46, 7.5 * DAY),
    ])

    expect(summary).toBe('Active · 5h 80% · Monthly 46%')
    expect(detail).toBe(
      '5h resets at 13:00, in 1h 00min · Monthly resets on 28 Nov 00:00, in 7d 12h',
    )
  })

  it('has no window of its own: those of its models are shown', () => {
    const { summary, detail, reason } = itemOf('antigravity', [
      reading('gemini:week', 61, DAY, gemini),
    ])

    expect(summary).toBe('Active · Gemini Models weekly 61%')
    expect(detail).toBe('Gemini Models weekly resets on Sat 12:00, in 1d 0h')
    expect(reason).toBe('Only the quota of some of its models is known')
  })

  it('whose vendor reports nothing says so once', () => {
    const { summary, detail, reason } = itemOf('antigravity', [])

    expect([summary, detail, reason]).toEqual([
      'Active · quota not reported',
      undefined,
      'Its quota is not reported',
    ])
    expect(itemOf('antigravity', [], chinese).summary).toBe('正常 · 配额未报告')
  })

  it('that cannot serve every model says which, and until when', () => {
    const claude = [reading('5h', 61, 3600), reading('week', 62, DAY)]
    const used = reading('premium:week', 0, DAY, fable)
    const { summary, note } = itemOf('claude', [...claude, used])

    expect(summary).toBe('Active · 5h 61% · Weekly 62% · Fable weekly 0%')
    expect(note).toBe('Ready, but not for Fable until Sat 12:00.')
    expect(itemOf('claude', [...claude, used], chinese).note).toBe(
      '可用，但不能用于 Fable（至周六 12:00）。',
    )
    const pools = [
      reading('gemini:week', 0, null, gemini),
      reading('3p:week', 0, DAY, { label: 'Rest' }),
    ]
    expect(itemOf('antigravity', pools).note).toBe(
      'Ready, but not for Rest until Sat 12:00; Gemini 3.1 Pro, Gemini 3 Flash.',
    )
  })

  it('has spent its extra usage: its plan goes on', () => {
    const { note, blockedModels } = itemOf('claude', [
      reading('5h', 61, 3600),
      reading('week', 62, DAY),
      reading('extra_usage:month', 0, null, { label: 'Extra usage' }),
    ])

    expect([note, blockedModels]).toEqual(['Ready.', undefined])
  })
})

describe('the capacity sentence of another provider', () => {
  it('says that a zero which requests deny is no reading', () => {
    const derived = {
      ...reading('week', 100, DAY),
      periodSeconds: 7 * DAY,
      note: 'derived',
    } as const
    const snapshot = aSnapshot([
      [
        anAccount('a', { provider: 'xai', lastSuccessAt: NOW }),
        evidenceOf([aQuotaSample({}, { windows: [derived] })]),
      ],
    ])

    expect(recommendationsView(snapshot, english).items[0]).toMatchObject({
      summary: 'Active · Weekly unknown',
      reasons: expect.arrayContaining(['Its last reading does not say how much is left']),
    })
  })
})

it('an account that rests says until when', () => {
  const verdict = {
    origin: 'record',
    at: fromNow(-60),
    message: { kind: 'quota' },
    retryAt: null,
    inARow: 3,
  } as const
  const snapshot = aSnapshot([[anAccount('a', { provider: 'claude', verdict }), null]])

  expect(recommendationsView(snapshot, english).items[0]?.note).toBe(
    'Nothing to do. Its requests were refused without a time; it rests until 12:03.',
  )
})

it('words the pools of a snapshot again only in another language or with another forecast', () => {
  const snapshot = aSnapshot([[anAccount('a'), null]])
  const { pools } = recommendationsView(snapshot, english)
  expect(recommendationsView(snapshot, { ...english }).pools).toBe(pools)
  const forecast = { ...english, trends: { ...noTrends } }
  const later = recommendationsView(snapshot, forecast).pools
  expect(later).not.toBe(pools)
  expect(recommendationsView(snapshot, { ...forecast, ...chinese }).pools).not.toEqual(later)
})
