import { epochMs, plusMs } from '@svc/core'
import { type UsageDetail, usageGroups } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testedEngines } from '../../store-engines.ts'
import { START } from '../../store-steps.ts'

const engines = testedEngines()
const [sqlite, postgres] = engines
afterAll(() => Promise.all(engines.map(({ end }) => end())))
beforeEach((context) => {
  const why = postgres?.whyNot ?? null
  if (why !== null) context.skip(why)
})

/** What a store of each engine answers to every chart, once these were stored, each batch twice. */
async function chartsOf(
  engine: (typeof engines)[number] | undefined,
  details: readonly UsageDetail[],
) {
  const own = await engine?.create()
  const store = await own?.open()
  const usage = await own?.openUsage()
  try {
    const batch = { receivedAt: START, details, quarantined: [], saturatedCount: 0 }
    const tallies = [
      await store?.usageOf('default').record(batch),
      await store?.usageOf('default').record(batch),
    ]
    // A client without a label is called by a fingerprint of its own store.
    usage?.useLabels(new Map(details.map(({ apiName }, index) => [apiName, `client ${index}`])))
    const charts = []
    for (const group of usageGroups)
      charts.push(
        await usage?.series(
          { range: '1h', group, metric: 'tokens', top: 30, compare: true },
          plusMs(START, 1),
        ),
      )
    return { tallies, charts }
  } finally {
    await usage?.close()
    await store?.close()
    await own?.remove()
  }
}

const detail = (number: number, changes: Partial<UsageDetail>): UsageDetail => ({
  at: epochMs(START - number * 1_000),
  key: BigInt(number),
  accountKey: 'ann',
  apiName: 'key',
  model: 'model',
  tokens: 1,
  failed: false,
  provider: 'codex',
  ...changes,
})

const NAMES = [
  `it's`,
  '"quoted"',
  'back\\slash',
  '{a,"b",NULL}',
  'NULL',
  '',
  ' ',
  "'; DROP TABLE svc_quota_monitor.usage; --",
  '$1',
  '%s_%',
  '模型 𝕏 👩‍👩‍👧 é',
  '\u202E\uFEFF\u0001',
  '__proto__',
  'x'.repeat(256),
  '😀'.repeat(128),
]

describe('both engines answer alike', () => {
  it('of names with quotes, escapes and characters of four bytes', async () => {
    const details = NAMES.map((name, index) =>
      detail(index, { accountKey: name, apiName: name, model: name, provider: `p${name}` }),
    )
    const [one, other] = [await chartsOf(sqlite, details), await chartsOf(postgres, details)]

    expect(other).toEqual(one)
    expect(other.tallies).toMatchObject([{ stored: NAMES.length }, { duplicate: NAMES.length }])
    expect(JSON.stringify(other.charts)).toContain(JSON.stringify(NAMES[10]))
  })

  it('of the smallest and the largest numbers there are', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    const classes = { tokensIn: largest, tokensCached: 0, tokensWritten: largest, tokensOut: 0 }
    const details = [2n ** 63n - 1n, -(2n ** 63n), -1n, 0n].map((key, index) =>
      detail(1, { key, tokens: index === 3 ? 0 : largest, classes, latencyMs: 2 ** 40 }),
    )
    const [one, other] = [await chartsOf(sqlite, details), await chartsOf(postgres, details)]

    expect(other).toEqual(one)
    expect(other.charts[0]?.totals).toMatchObject({ requests: 4, tokens: largest })
  })

  it('of requests at the edges of days, and from before 1970', async () => {
    const day = Math.floor(START / 86_400_000) * 86_400_000
    const details = [
      day - 1,
      day,
      day + 86_399_999,
      day + 86_400_000,
      0,
      -1,
      -62_135_596_800_000,
    ].map((at, index) => detail(index, { at: epochMs(at) }))
    const [one, other] = [await chartsOf(sqlite, details), await chartsOf(postgres, details)]

    expect(other).toEqual(one)
    expect(other.tallies).toMatchObject([
      { stored: 5, expired: 2 },
      { duplicate: 5, expired: 2 },
    ])
  })
})

it.each(['sqlite', 'postgres'] as const)(
  'a record with a NUL in a name is refused and counted, in %s',
  async (engine) => {
    const own = await (engine === 'sqlite' ? sqlite : postgres)?.create()
    const store = await own?.open()
    const details = [
      detail(1, { accountKey: 'a\0b' }),
      detail(2, { apiName: '\0' }),
      detail(3, { model: 'm\0' }),
      detail(4, { provider: 'p\0' }),
      detail(5, { accountKey: 'a\uFFFDb', model: 'whole' }),
    ]
    const tally = await store
      ?.usageOf('default')
      .record({ receivedAt: START, details, quarantined: [], saturatedCount: 0 })
    const usage = await own?.openUsage()
    const chart = await usage?.series(
      { range: '1h', group: 'account', metric: 'tokens', top: 5, compare: false },
      plusMs(START, 1),
    )
    await usage?.close()
    await store?.close()

    expect(tally).toEqual({ seen: 5, stored: 1, duplicate: 0, quarantined: 4, expired: 0 })
    expect(chart?.breakdown.rows).toMatchObject([{ id: 'a\uFFFDb', requests: 1 }])
  },
)
