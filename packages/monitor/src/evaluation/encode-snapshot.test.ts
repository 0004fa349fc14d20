import { gunzipSync } from 'node:zlib'
import { noTrends } from '@svc/core/pool'
import type { RefreshState } from '@svc/core/service'
import { anAccount, aSnapshot, NOW } from '@svc/core/testing'
import type { UsageReading } from '@svc/core/usage'
import { createWording, type StatsTab, type StatusContext, type StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import type { Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import { ifStalledOf } from '../pipeline/pipeline-events.ts'
import { encodedPayloads } from '../testing/encoded-payloads.ts'
import { encodeSnapshot, withContext } from './encode-snapshot.ts'

const idle: RefreshState = { status: 'idle' }
const running: RefreshState = {
  status: 'running',
  target: { scope: 'default' },
  startedAt: NOW,
  expectedEndAt: NOW,
  tally: { queued: 3, done: 1, failed: 0 },
}
const ended: RefreshState = { ...running, status: 'completed', completedAt: NOW, failure: null }
const off: UsageReading = { kind: 'off' }
const pending: UsageReading = { kind: 'pending' }
const context = (changes: Partial<StatusContext> = {}): StatusContext => ({
  text: createWording('UTC'),
  usage: off,
  trends: noTrends,
  refresh: idle,
  ...changes,
})

function published(from: StatusContext) {
  // A title that contains the text being searched for.
  const snapshot = aSnapshot([[anAccount('"manualRefresh":{"status":"idle"'), null]])
  const payloads = encodedPayloads(snapshot, from)
  const made = { snapshot, payloads, context: from }
  return { ...made, ifStalled: ifStalledOf(snapshot, from) }
}
const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(Buffer.from(plain.bytes).toString()) as Body

const renewedTo = (before: ReturnType<typeof published>, from: StatusContext) => {
  const after = withContext(before, from)
  return { ...after, payloads: after.payloads as Payloads }
}

describe('what was published, withContext', () => {
  it('is the same object where nothing is new', async () => {
    const before = published(context())

    expect(withContext(before, { ...before.context })).toBe(before)
    expect(withContext(before, { ...before.context, refresh: { ...idle } })).toBe(before)
  })

  it('shows a refresh that has begun, in both encodings and under new validators, and nothing else anew', async () => {
    const before = published(context())
    const after = renewedTo(before, context({ refresh: running }))
    const [was, is] = [
      parsed<StatusSnapshot>(before.payloads.status),
      parsed<StatusSnapshot>(after.payloads.status),
    ]

    expect(is.summary.manualRefresh).toMatchObject({ status: 'running', queued: 3, done: 1 })
    expect(is).toEqual({
      ...was,
      summary: { ...was.summary, manualRefresh: is.summary.manualRefresh },
    })
    expect(gunzipSync(after.payloads.status.gzip?.bytes ?? '')).toEqual(
      Buffer.from(after.payloads.status.plain.bytes),
    )
    expect(after.payloads.status.plain.etag).not.toBe(before.payloads.status.plain.etag)
    for (const name of ['recommendations', 'health', 'stats'] as const)
      expect(after.payloads[name]).toBe(before.payloads[name])
  })

  it('leaves it to the next snapshot to say that a refresh has ended', async () => {
    const before = published(context({ refresh: running }))

    expect(withContext(before, context({ refresh: ended }))).toMatchObject({
      context: { refresh: running },
    })
  })

  it('shows usage that was read meanwhile', async () => {
    const before = published(context())
    const after = renewedTo(before, context({ usage: pending }))

    expect(parsed<StatsTab>(before.payloads.stats).history.enabled).toBe(false)
    expect(parsed<StatsTab>(after.payloads.stats).history.enabled).toBe(true)
    expect(after.payloads.status).toBe(before.payloads.status)
  })
})

describe('a snapshot, encoded', () => {
  const snapshot = aSnapshot([[anAccount('ana'), null]])

  it('makes what is wanted alone, as far compressed as it is wanted', () => {
    const made = encodeSnapshot(snapshot, context(), { status: 'gzip', health: 'none' })

    expect(made).toMatchObject({ status: { compression: 'gzip' }, health: { compression: 'none' } })
    expect(Object.keys(made).sort()).toEqual(['health', 'status'])
  })

  it('is the same whether it is made at once or piece by piece', () => {
    const all = encodedPayloads(snapshot, context())
    let made = encodeSnapshot(snapshot, context(), { recommendations: 'none' })
    const { recommendations } = made
    made = encodeSnapshot(snapshot, context(), { status: 'both' }, made)
    expect(made.recommendations).toBe(recommendations)
    made = encodeSnapshot(
      snapshot,
      context(),
      { recommendations: 'both', health: 'both', stats: 'both' },
      made,
    )

    expect(made).toEqual(all)
  })

  it('stays without what was not wanted when it is withContext', () => {
    const made = { ...published(context()), payloads: {} }

    expect(withContext(made, context({ refresh: running, usage: pending })).payloads).toEqual({})
  })
})
