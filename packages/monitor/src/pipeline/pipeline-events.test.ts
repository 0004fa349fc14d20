import { stalledSnapshot } from '@svc/core/health'
import { anAccount, aSnapshot } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { answerVersionOf, type ReadyAnswer } from '../answers/ready-answer.ts'
import type { Published } from '../evaluation/publisher.ts'
import type { Report } from '../metrics/event-counters.ts'
import { gaugeSamplesOf } from '../metrics/metric-families.ts'
import { contextIn, encodedPayloads } from '../testing/encoded-payloads.ts'
import { handoverOf, ifStalledOf, reportAbout } from './pipeline-events.ts'

const NO_USAGE = { models: [], clients: [], failures: [], firstTokens: [], costs: [] }

it('what happens at a proxy names it', () => {
  const heard: unknown[] = []
  const report: Report = {
    count: (count) => void heard.push(count),
    rankUsage: () => undefined,
    countUsage: (...usage) => void heard.push(usage),
    timeListRead: (...read) => void heard.push(read),
    setUsageWait: (...wait) => void heard.push(wait),
    setBacklog: () => undefined,
    setLag: () => undefined,
  }
  const tokyo = reportAbout(report, 'tokyo')

  tokyo.count({ counter: 'refresh_total', result: 'ok' })
  tokyo.countUsage(NO_USAGE)
  tokyo.timeListRead(2)
  tokyo.setUsageWait(null)

  expect(heard).toEqual([
    { counter: 'refresh_total', result: 'ok', upstream: 'tokyo' },
    [NO_USAGE, 'tokyo'],
    [2, 'tokyo'],
    [null, 'tokyo'],
  ])
})

const context = contextIn()

function publishedOf(...names: readonly string[]) {
  const snapshot = aSnapshot(names.map((name) => [anAccount(name), null]))
  const payloads = encodedPayloads(snapshot, context)
  const made = { snapshot, payloads, context }
  return { ...made, ifStalled: ifStalledOf(snapshot, context) }
}
it('a stalled snapshot changes no gauges but those it hands over', () => {
  const { snapshot, ifStalled } = publishedOf('ana')
  const before = new Map(
    gaugeSamplesOf(snapshot, context).map(({ name, samples }) => [name, JSON.stringify(samples)]),
  )
  const changed = gaugeSamplesOf(stalledSnapshot(snapshot), context).filter(
    ({ name, samples }) => before.get(name) !== JSON.stringify(samples),
  )

  expect(ifStalled.gauges).toEqual(changed)
  expect(changed.map(({ name }) => name)).toContain('health_actions')
})
const textOf = ({ plain }: ReadyAnswer) => new TextDecoder().decode(plain.bytes)
const formsOf = ({ plain, gzip, br }: ReadyAnswer) =>
  [plain, gzip, br].filter((form) => form !== null)

describe('what is handed to the thread that answers', () => {
  it('is everything at first', () => {
    const { publication } = handoverOf(publishedOf('ana'), null)

    expect(Object.keys(publication.payloads).sort()).toEqual([
      'health',
      'recommendations',
      'stats',
      'status',
    ])
    expect(publication.ifStalled).toBeDefined()
  })

  it('is, after that, what is new alone', () => {
    const last = publishedOf('ana')
    const { status } = publishedOf('ana', 'bob').payloads
    const { publication } = handoverOf({ ...last, payloads: { ...last.payloads, status } }, last)

    expect(Object.keys(publication.payloads)).toEqual(['status'])
    expect(publication).not.toHaveProperty('ifStalled')
    expect(publication.gauges.length).toBeGreaterThan(0)
  })

  it('has an event where the snapshot is new, or the status has another version', () => {
    const last = publishedOf('ana')
    const eventOf = (next: Published, before: Published | null) =>
      handoverOf(next, before).publication.snapshotEvent
    const status = publishedOf('bob').payloads.status

    expect(eventOf(last, null)).toContain(`"etag":"${answerVersionOf(last.payloads.status)}"`)
    expect(eventOf({ ...last }, last)).toBeUndefined()
    expect(eventOf({ ...last, snapshot: { ...last.snapshot } }, last)).toBe(eventOf(last, null))
    expect(eventOf({ ...last, payloads: { ...last.payloads, status } }, last)).toContain(
      `"etag":"${answerVersionOf(status)}"`,
    )
  })

  it('is given away without being lost here', () => {
    const published = publishedOf('ana')
    const before = textOf(published.payloads.status)
    const { publication, transfer } = handoverOf(published, null)
    structuredClone(publication, { transfer: [...transfer] })

    expect(textOf(published.payloads.status)).toBe(before)
    expect(textOf(published.ifStalled.health)).not.toBe('')
  })

  it('names the memory of each form once, so that none is copied on the way', () => {
    const { publication, transfer } = handoverOf(publishedOf('ana'), null)
    const { payloads, ifStalled } = publication
    const forms = [...Object.values(payloads), ifStalled?.health].flatMap((answer) =>
      answer === undefined ? [] : formsOf(answer as ReadyAnswer),
    )

    expect(new Set(transfer).size).toBe(transfer.length)
    expect(forms.map(({ bytes }) => bytes.buffer)).toEqual(expect.arrayContaining([...transfer]))
    expect(transfer).toHaveLength(forms.length)
  })
})
