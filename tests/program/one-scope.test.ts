import { defaultNeed, guardOf, type QuotaSample } from '@svc/core'
import {
  accountQuotasOf,
  isUsableUnknown,
  noTrends,
  type ProviderPool,
  poolOfProviders,
  runwayOf,
  type Trends,
  trendsOf,
} from '@svc/core/pool'
import { perWindow, providerRowOf } from '@svc/core/service'
import { anAccount, aSnapshot, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import {
  capacityPartsView,
  createWording,
  type Health,
  healthView,
  recommendationsView,
  type StatusSnapshot,
  statusFrameView,
  statusView,
} from '@svc/views'
import { createZone, unitsText as shownUnits, wholeUnitsText } from '@svc/views/format'
import { unitNames } from '@svc/views/messages'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { glanceOf } from '../../apps/cli/src/glance/glance.ts'
import { colouring } from '../../apps/cli/src/program/terminal.ts'
import { plainTableOf } from '../../apps/cli/src/top/top-frame.ts'
import { gaugeSamplesOf } from '../../packages/monitor/src/metrics/metric-families.ts'

const HOUR = 3_600
const WINDOWS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  codex: [['5h', 'week']],
  claude: [['5h', 'week'], ['week']],
  xai: [['day'], ['week'], ['month']],
  kimi: [
    ['5h', 'week'],
    ['5h', 'month'],
  ],
  'kimi-ai': [['5h', 'week']],
}

const drawnAccount = fc.record({
  provider: fc.constantFrom(...Object.keys(WINDOWS)),
  layout: fc.nat(2),
  percents: fc.array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant(0) },
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 1000 }).map((tenths) => tenths / 10) },
    ),
    { minLength: 2, maxLength: 2 },
  ),
  resetHours: fc.option(fc.integer({ min: 1, max: 60 })),
  heldHours: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 1 }),
  isOld: fc.boolean(),
  isRead: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  plan: fc.constantFrom('plus', 'pro', 'prolite'),
})

const poolOf = (
  drawn: readonly (typeof drawnAccount extends fc.Arbitrary<infer T> ? T : never)[],
) =>
  aSnapshot(
    drawn.map(
      ({ provider, layout, percents, resetHours, heldHours, isOld, isRead, plan }, index) => {
        const layouts = WINDOWS[provider] ?? []
        const ids = layouts[layout % layouts.length] ?? []
        const sample: QuotaSample = {
          origin: 'direct',
          sampledAt: fromNow(isOld ? -20 * HOUR : -60),
          plan,
          windows: ids.map((id, at) => ({
            id,
            periodSeconds: null,
            percent: percents[at] ?? 50,
            resetAt: resetHours === null ? null : fromNow((resetHours + at) * HOUR),
          })),
          unreadableWindowCount: 0,
          limitReached: false,
          spendReached: null,
        }
        const account = anAccount(`a${index}`, {
          provider,
          nextRetryAt: heldHours === null ? null : fromNow(heldHours * HOUR),
        })
        return [account, isRead ? evidenceOf([sample]) : null] as const
      },
    ),
  )

/** Burn of a day, so that there is a forecast. */
const burn = {
  firstAt: fromNow(-24 * HOUR),
  unitsByHour: new Map([[Math.floor(NOW / 3_600_000) - 1, 3]]),
}
const trendsIn = ({ provider, accounts }: ProviderPool): Trends => {
  const multiplier = providerRowOf(provider).weekCapsFiveHour ? 6 : 'off'
  const quotas = accountQuotasOf(accounts, NOW)
  return perWindow(({ id: windowId }) => ({
    past: [],
    runway: runwayOf(quotas, burn, { windowId, multiplier, now: NOW }),
  }))
}

const NAMES = [
  'usableUnits',
  'heldUnits',
  'knownUnits',
  'trackedUnits',
  'unknownUnits',
  'staleUnits',
] as const
type Figures = Readonly<Partial<Record<(typeof NAMES)[number] | 'percent' | 'text', unknown>>>
const figuresOf = (of: Figures) => NAMES.map((name) => of[name])
const sumOf = (numbers: readonly number[]) =>
  Math.round(numbers.reduce((sum, each) => sum + each, 0) * 1000) / 1000
const unitsText = (units: number) => {
  const text = units.toFixed(1)
  return units > 0 && text === '0.0' ? '<0.1' : text
}
const tenthsOf = (texts: readonly string[]) =>
  sumOf(
    texts.filter((text) => !text.startsWith('<')).map((text) => Number(text.replaceAll(',', ''))),
  )

it.each(['en', 'zh-CN'] as const)(
  'has one value a word in every answer, for each provider and for all, in %s',
  (language) => {
    fc.assert(
      fc.property(fc.array(drawnAccount, { minLength: 1, maxLength: 14 }), (drawn) => {
        const snapshot = poolOf(drawn)
        const trendsByProvider = new Map(
          snapshot.pools.map((pool) => [pool.provider, trendsIn(pool)]),
        )
        const text = createWording('UTC', language)
        const common = {
          text,
          trendsByProvider,
          usage: { kind: 'off' },
          refresh: { status: 'idle' },
        } as const
        const home = { ...common, trends: trendsOf(trendsByProvider, snapshot.provider) }
        const gauges = new Map(
          gaugeSamplesOf(snapshot, home).map(({ name, samples }) => [name, samples]),
        )
        const gauge = (name: string, labels: Readonly<Record<string, string>>) =>
          gauges
            .get(name)
            ?.find((sample) =>
              Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
            )?.value
        const rows = recommendationsView(snapshot, home).pools ?? []
        const all = poolOfProviders(snapshot, 'all')
        const allContext = { ...common, trends: noTrends }
        expect(recommendationsView(all, allContext).pools).toEqual(rows)
        expect(
          capacityPartsView(all, allContext).windows.map(({ id, provider }) => [provider, id]),
        ).toEqual(rows.flatMap(({ provider, windows }) => windows.map(({ id }) => [provider, id])))
        const able = rows.filter(({ answer }) => answer?.tone === 'good' || answer?.tone === 'warn')
        const [first = 0, second = 0] = (
          healthView(all, allContext).answer?.text.match(/\d+/g) ?? []
        ).map(Number)
        expect([first, second].sort((a, b) => a - b)).toEqual([able.length, rows.length])

        for (const { provider } of snapshot.pools) {
          const scope = poolOfProviders(snapshot, [provider])
          const context = { ...common, trends: trendsOf(trendsByProvider, provider) }
          const ranking = recommendationsView(scope, context)
          const health = healthView(scope, context)
          const status = statusFrameView(scope, context)
          expect(ranking.pools).toEqual(rows)
          expect(health.pools).toEqual(rows)
          expect(status.summary.answer).toEqual(health.answer)
          const row = rows.find((one) => one.provider === provider)
          const { shortText: _, ...answer } = row?.answer ?? {}
          expect(answer).toEqual(health.answer)
          expect([row?.routable, row?.blocked]).toEqual([
            status.summary.routableCount,
            status.summary.blockedCount,
          ])

          for (const [id, name, summary] of [
            ['5h', 'fiveHour', status.summary.fiveHour],
            ['week', 'week', status.summary.weekly],
          ] as const) {
            const figures = figuresOf(summary)
            const tab = status.tabs.pool.windows.find((one) => one.id === id)
            for (const same of [ranking.capacity?.[name], health.capacity?.[name], tab])
              expect(figuresOf(same ?? {})).toEqual(figures)
            const isUnread = summary.unknownUnits >= summary.trackedUnits
            const { usableUnits = 0, usableStaleUnits = summary.staleUnits } = summary
            const { source, routableCount } = ranking
            const isUnknown = isUsableUnknown({ ...summary, usableUnits }, routableCount)
            expect(summary.text).toContain(isUnknown ? '' : unitsText(usableUnits))
            const facts = { source: source.kind, ageSeconds: 0, routableCount }
            const verdict = guardOf(
              { ...facts, capacity: { ...summary, usableUnits, usableStaleUnits } },
              { ...defaultNeed, window: id, staleOk: true },
            )
            expect(verdict.units).toBe(isUnread ? null : usableUnits)
            const curve = status.tabs.trends.windows.find((one) => one.id === id)
            const [now] = curve?.forecast ?? []
            if (now !== undefined) expect(now.expected).toBeCloseTo(usableUnits, 2)
          }

          for (const part of capacityPartsView(scope, context).windows) {
            const window = row?.windows.find(({ id }) => id === part.id)
            const tab = status.tabs.pool.windows.find(({ id }) => id === part.id)
            expect(figuresOf(part)).toEqual(figuresOf(window ?? {}))
            expect([part.text, part.percent, part.tone, part.sharedBy]).toEqual([
              window?.text,
              window?.percent,
              window?.tone,
              window?.sharedBy,
            ])
            expect([tab?.text, tab?.tone, tab?.sharedBy]).toEqual([
              part.text,
              part.tone,
              part.sharedBy,
            ])
            for (const state of ['usable', 'held', 'unknown'] as const) {
              const own = part.parts.filter((one) => one.state === state)
              const figure = part[`${state}Units`] ?? 0
              expect(sumOf(own.map(({ units }) => units))).toBe(figure)
              const shown = tenthsOf(own.map((one) => one.text))
              if (state !== 'held') expect(shown).toBe(tenthsOf([unitsText(figure)]))
            }
            for (const [gaugeName, figure] of [
              ['usable', part.usableUnits],
              ['held', part.heldUnits],
              ['known', part.knownUnits],
              ['tracked', part.trackedUnits],
              ['unknown', part.unknownUnits],
              ['stale', part.staleUnits],
            ] as const)
              expect(
                gauge(`provider_capacity_${gaugeName}_units`, { provider, window: part.id }),
              ).toBe(figure)
          }
        }
        const codex = statusFrameView(poolOfProviders(snapshot, ['codex']), home).summary
        for (const [window, { usableUnits, heldUnits }] of [
          ['5h', codex.fiveHour],
          ['week', codex.weekly],
        ] as const) {
          expect(gauge('capacity_usable_plus_units', { window })).toBe(usableUnits)
          expect(gauge('capacity_held_plus_units', { window })).toBe(heldUnits)
        }
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 60 : 10 },
    )
  },
)

type Pool = NonNullable<Health['pools']>[number]

const plain = colouring({ stdoutIsTerminal: false, env: {} })
/** Payloads as the verbs read them: without members that are undefined. */
const sent = <Payload>(payload: Payload) => JSON.parse(JSON.stringify(payload)) as Payload

/** Amounts in a text, as `4.0 of 6 Pro`. */
const amountsIn = (text: string) =>
  [...text.matchAll(/(<?\d[\d,]*\.\d of \d[\d,]* (?:Plus|Pro|accounts))/g)].map(
    ([, amount]) => amount,
  )
/** Amounts that a pool can say, of each window that is a quantity of its own. */
const amountsOf = ({ windows, unit }: Pool) =>
  windows
    .filter(({ id, sharedBy }) => (sharedBy?.[0] ?? id) === id)
    .map(
      ({ usableUnits = 0, trackedUnits }) =>
        `${shownUnits(usableUnits)} of ${wholeUnitsText(trackedUnits)} ${unitNames[unit]}`,
    )

it.each(['en', 'zh-CN'] as const)(
  'line and top say the amounts and the answer of the payloads, for each provider and for all, in %s',
  (language) => {
    fc.assert(
      fc.property(fc.array(drawnAccount, { minLength: 1, maxLength: 14 }), (drawn) => {
        const snapshot = poolOf(drawn)
        const trendsByProvider = new Map()
        const context = {
          text: createWording('UTC', language),
          usage: { kind: 'off' },
          refresh: { status: 'idle' },
          trends: trendsOf(trendsByProvider, snapshot.provider),
          trendsByProvider,
        } as const
        const scopes = snapshot.pools.map(({ provider }: ProviderPool) => [provider])
        for (const scope of ['all', ...scopes] as const) {
          const part = poolOfProviders(snapshot, scope)
          const health = sent(healthView(part, context))
          const status: StatusSnapshot = sent(statusView(part, context))
          const asked = (health.pools ?? []).filter(
            ({ provider }) => scope === 'all' || scope.includes(provider),
          )
          const { code, tone, line, details } = glanceOf(health, NOW, createZone('UTC'))
          const top = plainTableOf({ status, now: NOW, trouble: null }, 'score', 400, plain)

          expect([code, tone]).toEqual([health.answer?.code, health.answer?.tone])
          expect(top.replaceAll(/\s+/g, ' ')).toContain(health.answer?.text.replaceAll(/\s+/g, ' '))
          const amounts = asked.flatMap(amountsOf)
          for (const amount of [line, ...details, top].flatMap(amountsIn))
            expect(amounts).toContain(amount)
          for (const { routable, accounts, label } of asked.length > 1 ? asked : [])
            for (const text of [details.join('\n'), top])
              expect(text).toContain(`${label} ${routable} of ${accounts} routable`)
          const [only, ...others] = asked
          if (only !== undefined && others.length === 0)
            for (const { id, text = '', sharedBy } of only.windows)
              if ((sharedBy?.[0] ?? id) === id) expect(top).toContain(text)
        }
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 60 : 10 },
    )
  },
)
