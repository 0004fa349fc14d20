import type { AccountStatus, HealthAction, ScoreComponents } from '@svc/core'
import type { HealthSource } from '@svc/core/health'
import type { OffReason, SourceId } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import {
  anAccount,
  everyAction,
  everyChange,
  historyFailureCodes,
  keyFileProblems,
  sourceFailureCodes,
  statusKinds,
} from '../../testing/every-code.ts'
import { foreignWordsIn, stringsIn } from '../../testing/language-differences.ts'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
  unknownWindow,
} from '../../testing/snapshots.ts'
import { english } from '../en/catalogue.ts'
import { actionWords, changeWords } from '../health-words.ts'
import { causeWord } from '../names/names.ts'
import { scoreParts } from '../score.ts'
import { snapshotSourceText, sourceWords } from '../source-words.ts'
import { statusAdvice, statusLabel } from '../statuses.ts'
import { createWording, type Wording } from '../wording.ts'
import { chinese } from './catalogue.ts'

const inEnglish = createWording('Asia/Shanghai')
const inChinese = createWording('Asia/Shanghai', 'zh-CN')
/** The Chinese texts with every moment two days away, so that a weekday precedes each time. */
const daysAway: Wording = {
  ...inChinese,
  momentText: (at) => inChinese.momentText(at, at + 2 * 86_400_000),
  whenText: (at) => inChinese.whenText(at, at + 2 * 86_400_000),
  justNowText: (at) => inChinese.justNowText(at, at + 2 * 86_400_000),
  durationText: () => inChinese.durationText(0),
}
const NAMES = /\ba@example\.com|\b[a-z]+\.json|\b0\.0\.0\.0|\b127\.0\.0\.1|\bacc-\d/g

/** A text that exists in each language. */
interface Said {
  readonly what: string
  say(text: Wording): unknown
}

const actions: readonly HealthAction[] = [
  ...Object.values(everyAction),
  ...keyFileProblems.map((reason) => ({ code: 'management_key_unreadable', reason }) as const),
  ...historyFailureCodes.flatMap((reason) => [
    ...(['sqlite', 'postgres'] as const).flatMap((engine) => [
      { code: 'history_failing', reason, engine, since: fromNow(-60) } as const,
      { code: 'history_unreadable', reason, engine, since: fromNow(-60) } as const,
    ]),
  ]),
  {
    code: 'management_key_refused',
    at: fromNow(-60),
    nextAttemptAt: fromNow(60),
    failure: 'forbidden',
  },
  { code: 'gateway_down', since: fromNow(-60), address: '127.0.0.1' },
  {
    code: 'snapshot_partial',
    failedSources: ['accounts'],
    failedAt: ['acc-1'],
    othersCurrent: false,
  },
  {
    code: 'snapshot_partial',
    failedSources: ['accounts'],
    failedAt: ['acc-1', 'acc-2'],
    unread: ['acc-1'],
    old: ['acc-2'],
    othersCurrent: false,
  },
  { code: 'clock_doubted', reason: 'jump', aheadSeconds: 100_000 },
  { code: 'nothing_routable', provider: 'codex', blockedCount: 0, nextRoutableAt: null },
  { code: 'nothing_routable', provider: 'codex', blockedCount: 1, nextRoutableAt: null },
  { code: 'auth_invalid', accounts: Array.from({ length: 7 }, () => anAccount) },
  { code: 'quota_hit', accounts: [anAccount, anAccount] },
  { code: 'quota_hit', accounts: [{ ...anAccount, reason: 'quota_exhausted_spend' }] },
  {
    code: 'runway_short',
    provider: 'codex',
    windowId: 'week',
    runsDryAt: fromNow(60),
    returnsBefore: { units: 5.04, firstAt: fromNow(30) },
    returnsAgainAt: null,
  },
]

function aSource(id: SourceId, outcome: HealthSource['outcome']): HealthSource {
  return {
    id,
    tone: 'warn',
    outcome,
    failuresInARow: 3,
    lastGoodAt: outcome.kind === 'failed' ? null : fromNow(-60),
    since: fromNow(-600),
  }
}
const offReasons = [
  'no_store',
  'no_key',
  'not_configured',
  'switched_off',
  'standby',
] as const satisfies readonly OffReason[]
const outcomes: readonly HealthSource['outcome'][] = [
  { kind: 'pending' },
  { kind: 'ok', at: fromNow(-12) },
  ...offReasons.map((reason) => ({ kind: 'off', reason }) as const),
  ...sourceFailureCodes.map((code) => ({ kind: 'failed', code, at: fromNow(-12) }) as const),
]
const sourceIds = Object.keys(english.sourceRows) as SourceId[]
const snapshot = aSnapshot([anEvaluatedAccount('acc-1')], {
  skipped: (['not_an_object', 'no_name', 'bad_name', 'repeated', 'too_many'] as const).map(
    (reason) => ({
      position: 1,
      reason,
    }),
  ),
  clockSkewSeconds: -90,
  benchmark: {
    generatedAt: null,
    speedup: 1.8,
    tokenOverheadRatio: 1.1,
    weeklyToFiveHourMultiplier: 6,
  },
})

const everyScore: ScoreComponents = { capacity: 1, health: 1, plan: 1, load: 1, reclaim: 1 }
const scored = [
  anEvaluatedAccount('acc-1', {
    scoreComponents: everyScore,
    reclaim: { id: '5h', percent: 74, resetsInSeconds: 2_940 },
    failureRatio: 0.2,
  }),
  anEvaluatedAccount('acc-2', {
    scoreComponents: everyScore,
    windows: [knownWindow('5h', 50, null), unknownWindow('week')],
  }),
  anEvaluatedAccount('acc-3', {
    scoreComponents: everyScore,
    windows: [unknownWindow('5h'), unknownWindow('week')],
    capacityWeight: 0,
    plan: 'free',
    lastSample: null,
  }),
]
const reasons = ['operator_disabled', 'auth_invalid', 'status_invalid'] as const
const windowIds = ['5h', 'week', 'month', '259200s', 'spend', 'limit']

const everything: readonly Said[] = [
  ...actions.map((action) => ({
    what: `the action ${JSON.stringify(action)}`,
    say: (text: Wording) => ({ ...actionWords(action, NOW, text), kind: null }),
  })),
  ...Object.values(everyChange).flatMap((change) =>
    [change, ...('up' in change ? [{ ...change, up: true }] : [])].map((each) => ({
      what: `the change ${each.code}`,
      say: (text: Wording) => ({ ...changeWords(each, NOW, text), kind: null }),
    })),
  ),
  ...(['live', 'demo', 'partial', 'stale', 'unavailable'] as const).flatMap((to) => [
    {
      what: `readings that become ${to}`,
      say: (text: Wording) => ({
        ...changeWords({ code: 'source_changed', from: 'live', to }, NOW, text),
        kind: null,
      }),
    },
    {
      what: `a snapshot that is ${to}`,
      say: (text: Wording) => snapshotSourceText({ ...snapshot, source: to }, text),
    },
  ]),
  ...sourceIds.flatMap((id) =>
    (['pending', 'ok', 'off', 'failed'] as const).map((kind) => ({
      what: `the source ${id} that is ${kind}`,
      say: (text: Wording) =>
        outcomes
          .filter((outcome) => outcome.kind === kind)
          .map((outcome) => sourceWords(aSource(id, outcome), snapshot, text)),
    })),
  ),
  ...statusKinds.map((kind) => ({
    what: `the status ${kind}`,
    say: (text: Wording) =>
      [null, fromNow(2_460), fromNow(200_000)].map((until) =>
        statusTexts({ kind, tone: 'warn', until }, text),
      ),
  })),
  ...scored.map((account) => ({
    what: `the score of ${account.title}`,
    say: (text: Wording) => scoreParts(account, NOW, text).map(({ reason }) => reason),
  })),
  ...[
    ...reasons,
    'upstream_retry_after' as const,
    'cooldown' as const,
    ...windowIds.map((id) => `quota_exhausted_${id}` as const),
  ].map((reason) => ({
    what: `what blocks: ${reason}`,
    say: (text: Wording) => causeWord(reason, false, text.words.statuses),
  })),
  ...windowIds.map((id) => ({
    what: `the window ${id}`,
    say: (text: Wording) => text.words.windowLabel(id),
  })),
]

function statusTexts(status: AccountStatus, text: Wording): readonly string[] {
  const account = aBlockedAccount('acc-1', 'quota_exhausted_5h', {
    status,
    windows: [exhaustedWindow('5h', 2_460), knownWindow('week', 57, 86_400)],
  })
  return [statusLabel(account, text), statusAdvice(account, NOW, text)]
}

const textsOf = (said: unknown) => stringsIn(said).map(([, text]) => text)

describe('in Chinese and in English', () => {
  it.each(everything)('$what is said with the same parts', ({ say }) => {
    const [ours, theirs] = [stringsIn(say(inChinese)), stringsIn(say(inEnglish))]
    expect(ours.map(([path]) => path)).toEqual(theirs.map(([path]) => path))
    for (const [path, text] of [...ours, ...theirs]) {
      expect(text, path).toMatch(/\S/)
      expect(text, path).not.toMatch(/undefined|null|NaN|\[object|=>/)
    }
  })
})

describe('in Chinese', () => {
  it.each(everything)('$what is said without a word of English', ({ say }) => {
    for (const text of textsOf(say(inChinese))) expect(foreignWordsIn(text, NAMES)).toEqual([])
  })

  it.each(everything)('$what is set as Chinese is, with spaces around Latin words', ({ say }) => {
    for (const text of [...textsOf(say(inChinese)), ...textsOf(say(daysAway))]) {
      expect(text).not.toMatch(/\p{Script=Han}[,;!?]|\p{Script=Han}\.(?:\s|$)| {2}|^ | $/u)
      expect(text).not.toMatch(/\p{Script=Han} \p{Script=Han}/u)
      const withoutDates = text.replaceAll(/\d+(?:年|月|日)/g, '')
      expect(withoutDates).not.toMatch(/\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Script=Han}/u)
    }
  })

  it('tables without parameters have a text at every place, too', () => {
    const { health, pool, queries, stats, usage } = chinese
    for (const [path, text] of stringsIn({ health, pool, queries, stats, usage })) {
      expect(text, path).toMatch(/\S/)
      expect(foreignWordsIn(text, NAMES), path).toEqual([])
    }
  })

  it('an action has a summary, a detail and the variants that the English one has', () => {
    const shapeOf = ({ actions: rows }: typeof chinese) =>
      Object.entries(rows).map(([code, row]) => ({
        code,
        summary: row.summary !== undefined,
        detail: row.detail !== undefined,
        variants: Object.entries(row.variants ?? {})
          .map(([id, words]) => [id, ...Object.keys(words).sort()].join(' '))
          .sort(),
      }))
    const byCode = (one: { code: string }, other: { code: string }) =>
      one.code < other.code ? -1 : 1
    expect(shapeOf(chinese).sort(byCode)).toEqual(shapeOf(english).sort(byCode))
  })
})
