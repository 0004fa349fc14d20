import { stalledSnapshot } from '@svc/core/health'
import { noTrends } from '@svc/core/pool'
import { anAccount, aSnapshot, silentLog } from '@svc/core/testing'
import { createWording, type Health, type StatusSnapshot } from '@svc/views'
import { expect, it } from 'vitest'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { encodedPayloads } from '../testing/encoded-payloads.ts'
import { handoverOf, ifStalledOf } from './pipeline-events.ts'
import { createShownPublication } from './shown-publication.ts'

const context = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(new TextDecoder().decode(plain.bytes)) as Body

it('a status that is older than the rest says the same of a stalled pipeline as health', () => {
  const shown = createShownPublication({ onGauges() {} }, silentLog)
  const good = aSnapshot([[anAccount('ana'), null]])
  // Other actions than those of the status that is shown.
  const worse = stalledSnapshot(good)
  for (const snapshot of [good, worse]) {
    const { status, ...others } = encodedPayloads(snapshot, context)
    const payloads = snapshot === good ? { status, ...others } : others
    const ifStalled = ifStalledOf(snapshot, context)
    const made = { snapshot, payloads, context, ifStalled }
    shown.publish(handoverOf(made, null).publication)
  }
  shown.stall()
  const health = parsed<Health>(shown.payload('health'))
  const { summary } = parsed<StatusSnapshot>(shown.payload('status'))

  expect(worse.health.actions.length).toBeGreaterThan(good.health.actions.length)
  expect([summary.healthState, summary.healthActionCount]).toEqual([
    health.state,
    health.actionCount,
  ])
})
