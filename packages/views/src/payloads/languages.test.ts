import { type AccountPick, type EvaluatedAccount, plusMs, type Snapshot } from '@svc/core'
import { unrecordedCourses } from '@svc/core/account'
import { noTrends } from '@svc/core/pool'
import { aUsageRecord, fromNow, NOW } from '@svc/core/testing'
import { seriesOf, type UsageReading } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import type { Language } from '../language/language.ts'
import { createWording } from '../messages/wording.ts'
import { everyAction, everyChange } from '../testing/every-code.ts'
import { differingTexts, foreignWordsIn, stringsIn } from '../testing/language-differences.ts'
import {
  aMixedPool,
  anOpenAction,
  aPoolCapacity,
  aSnapshot,
  aUsageSummary,
} from '../testing/snapshots.ts'
import { healthView } from './health.ts'
import { pickView } from './pick.ts'
import { quotaCourseView } from './quota-course.ts'
import { recommendationsView } from './recommendations.ts'
import { refreshResultView } from './refresh.ts'
import { statsView } from './stats.ts'
import { seriesDefaults, statsSeriesView } from './stats-series.ts'
import { statusView } from './status.ts'

const counters = { success: 90, failed: 10, tokens: null, restartedAt: fromNow(-600) }
const snapshots: readonly { readonly name: string; readonly snapshot: Snapshot }[] = [
  {
    name: 'a pool with everything open',
    snapshot: {
      ...aSnapshot(aMixedPool(20), {
        capacity: aPoolCapacity({
          '5h': {
            unknownUnits: 3,
            returns: [{ at: fromNow(2460), units: 5, fileKey: 'b.json', title: 'b@example.com' }],
          },
          week: { trackedUnits: 0 },
        }),
        firstRound: {
          readCount: 3,
          toReadCount: 20,
          doneAt: fromNow(60),
          seenFrom: { at: NOW, readCount: 0 },
        },
        requestCounters: counters,
        recentChanges: Object.values(everyChange).map((detail, index) => ({
          at: fromNow(-60 * index),
          tone: 'warn' as const,
          detail,
        })),
      }),
      health: {
        ...aSnapshot([]).health,
        state: 'bad',
        actions: Object.values(everyAction).map((action) => anOpenAction({ tone: 'bad', action })),
      },
    },
  },
  {
    name: 'no data yet',
    snapshot: aSnapshot([], { source: 'unavailable', available: false, sampledAt: null }),
  },
]
const readings: readonly UsageReading[] = [
  { kind: 'off' },
  { kind: 'read', summary: aUsageSummary() },
]

/** A pick of every reason. */
function picksIn({ accounts: [item] }: Snapshot): readonly AccountPick<EvaluatedAccount>[] {
  const given = item === undefined ? [] : (['kept', 'best', 'spread'] as const)
  return [
    ...given.map((reason) => ({ item: item as EvaluatedAccount, kept: reason === 'kept', reason })),
    ...(['none_listed', 'none_matching', 'all_blocked', 'all_avoided'] as const).map((reason) => ({
      none: true as const,
      nextAt: reason === 'all_blocked' ? fromNow(3_600) : null,
      reason,
    })),
  ]
}

/** All payloads of one snapshot. */
function answersIn(language: Language, snapshot: Snapshot, usage: UsageReading) {
  const text = createWording('Asia/Shanghai', language)
  const { words } = text
  const context = {
    text,
    usage,
    trends: noTrends,
    refresh: {
      status: 'partial',
      target: { scope: 'default' },
      startedAt: fromNow(-60),
      completedAt: NOW,
      tally: { queued: 3, done: 3, failed: 1 },
      failure: 'quota_off',
    },
  } as const
  const client = { id: 'laptop', label: 'laptop' }
  const records = [5, 500].map((seconds) => aUsageRecord(fromNow(-seconds), { client }))
  const seriesIn = (group: 'total' | 'api') => {
    const query = { ...seriesDefaults, group, compare: true, mode: 'rate' } as const
    const earliest = plusMs(NOW, -86_400_000 * 3)
    return statsSeriesView(seriesOf(records, query, { now: NOW, earliest }), query, {
      warnings: [],
      words,
    })
  }
  const course = { accountKey: 'ann-key', range: '7d' } as const
  const { displayLanguage, ...status } = statusView(snapshot, context)
  return {
    displayLanguage,
    status,
    recommendations: recommendationsView(snapshot, context),
    health: healthView(snapshot, context),
    stats: statsView(snapshot, context),
    totalSeries: seriesIn('total'),
    apiSeries: seriesIn('api'),
    emptySeries: statsSeriesView(null, seriesDefaults, { warnings: [], words }),
    course: quotaCourseView(unrecordedCourses(course, NOW), course, { now: NOW, words }),
    refresh: refreshResultView(context.refresh, text),
    picks: picksIn(snapshot).map((pick) => pickView(pick, snapshot, context)),
  }
}

/** Members with text for people. `source` is such a text only in the counters, `reason` only in score parts. */
const TEXT =
  /(?:[tT]ext|[tT]itle|\.(?:badge|pill|summary|detail|note|label|value|footnote|reasons|scoreReasons|activityLine|error)|scoreParts\.reason|cumulative\.source)$/
const NAMES =
  /\b[\w.]+@example\.com|\bfirstname\.lastname\d+|\bacc-\d|\b[a-z]+\.json|\b[\d.]+\.0\.[01]|gpt-5\.5|key-1|laptop|Asia\/Shanghai|svc-quota-monitor/g

describe.each(snapshots)('answers in two languages about $name', ({ snapshot }) => {
  it.each(readings)('with usage $kind differ in texts alone', (usage) => {
    const { displayLanguage, ...chinese } = answersIn('zh-CN', snapshot, usage)
    const { displayLanguage: none, ...english } = answersIn('en', snapshot, usage)

    const differing = differingTexts(english, chinese)
    expect(differing.filter(({ path }) => !TEXT.test(path))).toEqual([])
    expect(differing.length).toBeGreaterThan(20)
    expect([displayLanguage, none]).toEqual(['zh-CN', undefined])
  })

  it.each(readings)('with usage $kind have no word of English in Chinese', (usage) => {
    const { displayLanguage: _, ...chinese } = answersIn('zh-CN', snapshot, usage)
    const foreign = stringsIn(chinese)
      .filter(([path]) => TEXT.test(path))
      .filter(([, text]) => foreignWordsIn(text, NAMES).length > 0)
    expect(foreign).toEqual([])
  })
})
