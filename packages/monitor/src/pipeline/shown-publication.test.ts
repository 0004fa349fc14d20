import { stalledSnapshot } from '@svc/core/health'
import { anAccount, aSnapshot, silentLog } from '@svc/core/testing'
import type { Health, Recommendations, StatusSnapshot } from '@svc/views'
import { expect, it } from 'vitest'
import type { FilteredReading, ReadyAnswer } from '../answers/ready-answer.ts'
import { contextIn, encodedPayloads } from '../testing/encoded-payloads.ts'
import { ChannelError } from '../threads/channel.ts'
import { handoverOf, ifStalledOf } from './pipeline-events.ts'
import { createShownPublication } from './shown-publication.ts'

const context = contextIn()

const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(new TextDecoder().decode(plain.bytes)) as Body

it('a filtered answer stays served while the pipeline is lost, with the stall in it; another is refused', async () => {
  const shown = createShownPublication({ onGauges() {} }, silentLog)
  const snapshot = aSnapshot([[anAccount('ana'), null]])
  const payloads = encodedPayloads(snapshot, context)
  const ifStalled = ifStalledOf(snapshot, context)
  shown.publish(handoverOf({ snapshot, payloads, context, ifStalled }, null).publication)
  const asked: string[] = []
  const part = async (payload: FilteredReading['payload'], plan = 'plus') => {
    const reading = { payload, compression: 'none', filter: { plan: [plan] } } as const
    const found = await shown.part(reading, async () => {
      asked.push(payload)
      return { answer: payload === 'capacity' ? payloads.stats : payloads[payload] }
    })
    return 'answer' in found ? parsed<Record<string, unknown>>(found.answer) : found
  }
  const names = ['status', 'recommendations', 'health', 'capacity'] as const
  for (const name of names) await part(name)
  expect(asked).toEqual(names)
  shown.stall()
  const health = parsed<Health>(shown.payload('health'))
  const rows = health.pools

  expect(await part('health')).toEqual(health)
  expect(await part('recommendations')).toMatchObject({ pools: rows })
  expect(await part('capacity')).toEqual(parsed(payloads.stats))
  expect(await part('status')).toMatchObject({
    summary: { answer: health.answer, healthState: 'bad' },
    recommendations: { pools: rows },
  })
  await expect(part('status', 'pro')).rejects.toThrow(ChannelError)
  expect(asked).toEqual(names)
  shown.publish(handoverOf({ snapshot, payloads, context, ifStalled }, null).publication)
  await part('status', 'pro')
  expect(asked).toHaveLength(names.length + 1)
})

it.each([
  ['one provider', ['codex']],
  ['several providers', ['codex', 'claude', 'kimi']],
] as const)(
  'of %s a stalled pipeline has the same answer everywhere, in payloads older than health too',
  (_, providers) => {
    const shown = createShownPublication({ onGauges() {} }, silentLog)
    const good = aSnapshot(
      providers.map((provider) => [anAccount(`"answer":${provider}`, { provider }), null]),
    )
    // Other actions than those of the status that is shown.
    const worse = stalledSnapshot(good)
    for (const snapshot of [good, worse]) {
      const { status, recommendations, ...others } = encodedPayloads(snapshot, context)
      const payloads = snapshot === good ? { status, recommendations, ...others } : others
      const ifStalled = ifStalledOf(snapshot, context)
      const made = { snapshot, payloads, context, ifStalled }
      shown.publish(handoverOf(made, null).publication)
    }
    const before = parsed<StatusSnapshot>(shown.payload('status'))
    shown.stall()
    const health = parsed<Health>(shown.payload('health'))
    const status = parsed<StatusSnapshot>(shown.payload('status'))
    const ranking = parsed<Recommendations>(shown.payload('recommendations'))

    expect(worse.health.actions.length).toBeGreaterThan(good.health.actions.length)
    expect([status.summary.healthState, status.summary.healthActionCount]).toEqual([
      health.state,
      health.actionCount,
    ])
    expect(health.answer?.code).toBe('monitor_silent')
    expect(status.summary.answer).toEqual(health.answer)
    const rows = [health.pools, ranking.pools, status.recommendations.pools]
    for (const row of rows.flatMap((pools) => pools ?? [])) {
      const { shortText: _short, ...answer } = row.answer ?? {}
      expect(answer).toEqual(health.answer)
      expect(row.tone).toBe('bad')
    }
    expect(rows.map((pools) => pools?.map(({ provider }) => provider))).toEqual([
      providers,
      providers,
      providers,
    ])
    expect(status.recommendations.items).toEqual(before.recommendations.items)
    expect(status.tabs).toEqual(before.tabs)
  },
)
