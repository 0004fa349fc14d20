import { gunzipSync } from 'node:zlib'
import { noTrends, type RefreshState } from '@svc/core/service'
import { anAccount, aSnapshot, NOW } from '@svc/core/testing'
import type { UsageReading } from '@svc/core/usage'
import { createZone, type StatsTab, type StatusContext, type StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { ifStalledOf } from '../pipeline/publish.ts'
import { amended, encodeSnapshot } from './encode-snapshot.ts'

const idle: RefreshState = { status: 'idle' }
const running: RefreshState = {
  status: 'running',
  scope: 'default',
  startedAt: NOW,
  tally: { queued: 3, done: 1, failed: 0 },
}
const ended: RefreshState = { ...running, status: 'completed', completedAt: NOW, failure: null }
const off: UsageReading = { kind: 'off' }
const pending: UsageReading = { kind: 'pending' }
const context = (changes: Partial<StatusContext> = {}): StatusContext => ({
  text: createZone('UTC'),
  usage: off,
  trends: noTrends,
  refresh: idle,
  ...changes,
})

async function published(from: StatusContext) {
  // A title that quotes what is looked for.
  const snapshot = aSnapshot([[anAccount('"manualRefresh":{"status":"idle"'), null]])
  const made = { snapshot, payloads: encodeSnapshot(snapshot, from), context: from }
  return { ...made, ifStalled: ifStalledOf(made) }
}
const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(Buffer.from(plain.bytes).toString()) as Body

describe('what was published, amended', () => {
  it('is the same object where nothing is new', async () => {
    const before = await published(context())

    expect(amended(before, { ...before.context })).toBe(before)
    expect(amended(before, { ...before.context, refresh: { ...idle } })).toBe(before)
  })

  it('shows a refresh that has begun, in both encodings and under new validators, and nothing else anew', async () => {
    const before = await published(context())
    const after = amended(before, context({ refresh: running }))
    const [was, is] = [
      parsed<StatusSnapshot>(before.payloads.status),
      parsed<StatusSnapshot>(after.payloads.status),
    ]

    expect(is.summary.manualRefresh).toMatchObject({ status: 'running', queued: 3, done: 1 })
    expect(is).toEqual({
      ...was,
      summary: { ...was.summary, manualRefresh: is.summary.manualRefresh },
    })
    expect(gunzipSync(after.payloads.status.gzip.bytes)).toEqual(
      Buffer.from(after.payloads.status.plain.bytes),
    )
    expect(after.payloads.status.plain.etag).not.toBe(before.payloads.status.plain.etag)
    for (const name of ['recommendations', 'health', 'stats'] as const)
      expect(after.payloads[name]).toBe(before.payloads[name])
  })

  it('leaves it to the next snapshot to say that a refresh has ended', async () => {
    const before = await published(context({ refresh: running }))

    expect(amended(before, context({ refresh: ended }))).toMatchObject({
      context: { refresh: running },
    })
  })

  it('shows usage that was read meanwhile', async () => {
    const before = await published(context())
    const after = amended(before, context({ usage: pending }))

    expect(parsed<StatsTab>(before.payloads.stats).history.enabled).toBe(false)
    expect(parsed<StatsTab>(after.payloads.stats).history.enabled).toBe(true)
    expect(after.payloads.status).toBe(before.payloads.status)
  })
})
