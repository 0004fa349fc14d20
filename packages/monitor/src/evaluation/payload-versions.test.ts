import { gunzipSync } from 'node:zlib'
import { defaultPolicy, type EpochMs, evaluateSnapshot, plusMs, type Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf, NOW } from '@svc/core/testing'
import { createWording, type StatusContext, type StatusSnapshot } from '@svc/views'
import { afterSteps } from '@svc/views/changes'
import { describe, expect, it } from 'vitest'
import { type ReadyAnswer, versionOf } from '../answers/ready-answer.ts'
import { amended, encodeSnapshot, versionsOf } from './encode-snapshot.ts'
import { isReady, type PayloadVersions, versionsAfter } from './payload-versions.ts'
import type { Published } from './publisher.ts'

const context: StatusContext = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
}

/** A pool of this size at this time; accounts in `probed` were read just then, the others before. */
function poolAt(now: EpochMs, count: number, probed: readonly number[] = []): Snapshot {
  const entries = Array.from({ length: count }, (_, index) => {
    const isProbed = probed.includes(index)
    const sample = aQuotaSample({
      fiveHour: isProbed ? 12 : 20 + ((index * 37) % 80),
      week: 5 + ((index * 23) % 90),
      fiveHourResetsInSeconds: 600 + ((index * 4_211) % 17_000),
      weekResetsInSeconds: 3_000 + ((index * 53_777) % 600_000),
      ageSeconds: isProbed ? (NOW - now) / 1000 : index % 280,
    })
    return [anAccount(`user${index}`), evidenceOf([sample])] as const
  })
  const past = { previous: null, recordedChanges: [] }
  return evaluateSnapshot(aLiveObservation(entries), defaultPolicy, now, past)
}

/** Publishes one snapshot after another, with changes read in this compression. */
function publishing(compression: 'none' | 'gzip' | 'br' | 'both' | null) {
  let versions: PayloadVersions | null = null
  const documents = new Map<string, StatusSnapshot>()
  return {
    documents,
    publish(snapshot: Snapshot) {
      const { status } = encodeSnapshot(snapshot, context, { status: 'none' }) as {
        status: ReadyAnswer
      }
      versions = versionsAfter(versions, status, { snapshot, context }, compression)
      documents.set(versionOf(status), parsed(status))
      return { status, versions: versions as PayloadVersions }
    },
  }
}

const parsed = <Body>({ plain }: ReadyAnswer): Body =>
  JSON.parse(Buffer.from(plain.bytes).toString()) as Body
interface Changes {
  readonly since: string
  readonly etag: string
  readonly steps: []
}
const at = (seconds: number) => plusMs(NOW, seconds * 1000)

describe('what has changed of the status', () => {
  it('is not known of the first version', () => {
    const { versions } = publishing('br').publish(poolAt(NOW, 3))

    expect(versions.answers.size).toBe(0)
    expect(isReady(versions, 'br')).toBe(true)
  })

  it('leads from each of the last versions to the newest', () => {
    const { publish, documents } = publishing('none')
    const pools = [poolAt(NOW, 16), poolAt(at(15), 14, [1]), poolAt(at(31), 17, [2, 5])]
    const { status, versions } = pools.map(publish).at(-1) as ReturnType<typeof publish>

    expect([...versions.answers.keys()]).toEqual([...documents.keys()].slice(0, -1))
    for (const [since, answer] of versions.answers) {
      const changes = parsed<Changes>(answer)
      expect(changes).toMatchObject({ since, etag: versionOf(status) })
      expect(afterSteps(documents.get(since), changes.steps)).toEqual(parsed(status))
    }
  })

  it('is forgotten after five versions', () => {
    const { publish, documents } = publishing('none')
    let last = publish(poolAt(NOW, 3))
    for (let round = 1; round <= 7; round += 1) last = publish(poolAt(at(15 * round), 3))

    expect([...last.versions.answers.keys()]).toEqual([...documents.keys()].slice(-6, -1))
  })

  it('is not kept where it is as large as half of the status', () => {
    const { publish } = publishing('none')
    publish(poolAt(NOW, 2))

    expect(publish(poolAt(NOW, 40)).versions.answers.size).toBe(0)
  })

  it('is not worked out while nobody asks, and not known to the first who does', () => {
    const { publish } = publishing(null)
    publish(poolAt(NOW, 3))
    const { versions, status } = publish(poolAt(at(15), 3))
    expect(versions.answers.size).toBe(0)
    expect(isReady(versions, 'none')).toBe(false)

    const asked = versionsAfter(versions, status, versions.newest, 'gzip') as PayloadVersions
    expect([asked.answers.size, isReady(asked, 'gzip'), isReady(asked, 'br')]).toEqual([
      0,
      true,
      false,
    ])
  })

  it('is compressed further for who takes that, and stays what it was', () => {
    const { publish } = publishing('none')
    publish(poolAt(NOW, 30))
    const { status, versions } = publish(poolAt(at(15), 30, [3]))
    const further = versionsAfter(versions, status, versions.newest, 'both') as PayloadVersions
    const [[since, before] = [], [sinceAfter, after] = []] = [
      ...versions.answers,
      ...further.answers,
    ]

    expect(sinceAfter).toBe(since)
    expect(before?.gzip).toBeNull()
    expect(after?.plain).toEqual(before?.plain)
    const text = Buffer.from(before?.plain.bytes ?? [])
    expect(gunzipSync(after?.gzip?.bytes ?? '')).toEqual(text)
    expect(after?.compression).toBe('both')
  })

  it('is lost with a publication without a status', () => {
    const { versions } = publishing('br').publish(poolAt(NOW, 3))

    expect(versionsAfter(versions, undefined, versions.newest, 'br')).toBeNull()
  })

  it('says of a refresh that it has begun, without a new snapshot', () => {
    const { publish } = publishing('none')
    const snapshot = poolAt(NOW, 5)
    const { status, versions } = publish(snapshot)
    const ifStalled = { health: status, inStatus: { before: '', after: '' }, gauges: [] }
    const published: Published = {
      snapshot,
      payloads: { status },
      versions,
      healthVersions: null,
      context,
      ifStalled,
    }
    const after = amended(published, {
      ...context,
      refresh: {
        status: 'running',
        target: { scope: 'default' },
        startedAt: NOW,
        expectedEndAt: null,
        tally: { queued: 5, done: 1, failed: 0 },
      },
    })
    const changes = parsed<Changes>(after.versions?.answers.get(versionOf(status)) as ReadyAnswer)

    expect(afterSteps(parsed(status), changes.steps)).toEqual(
      parsed(after.payloads.status as ReadyAnswer),
    )
    expect(JSON.stringify(changes.steps).length).toBeLessThan(200)
  })
})

describe('a pool of a thousand accounts', () => {
  it.each([
    { what: 'one probe', probed: [7] },
    {
      what: 'eight probes, as many as there are between two evaluations',
      probed: [1, 2, 3, 4, 5, 6, 7, 8],
    },
  ])('asks for at most 30 KB after $what', ({ probed }) => {
    const { publish } = publishing('both')
    publish(poolAt(NOW, 1_000))
    const { status, versions } = publish(poolAt(at(15), 1_000, probed))
    const [answer] = versions.answers.values()

    expect(status.plain.bytes.length).toBeGreaterThan(1_500_000)
    expect(answer?.gzip?.bytes.length).toBeLessThanOrEqual(30_000)
    expect(answer?.br?.bytes.length).toBeLessThanOrEqual(30_000)
  })
})

describe('what has changed of health', () => {
  it('leads from each of the last versions to the newest, and is a small part of it', () => {
    let before: ReturnType<typeof versionsOf> | null = null
    const documents = new Map<string, unknown>()
    let last: ReadyAnswer | null = null
    for (const [round, snapshot] of [0, 15, 31]
      .map((seconds) => poolAt(at(seconds), 40))
      .entries()) {
      const payloads = encodeSnapshot(snapshot, context, { healthChanges: 'none' })
      before = versionsOf(payloads, { snapshot, context }, { healthChanges: 'none' }, before)
      last = payloads.health as ReadyAnswer
      documents.set(versionOf(last), parsed(last))
      expect(payloads.status).toBeUndefined()
      expect(before.healthVersions?.answers.size).toBe(round)
    }
    const newest = parsed(last as ReadyAnswer)

    for (const [since, answer] of before?.healthVersions?.answers ?? []) {
      const { steps } = parsed<Changes>(answer)
      expect(afterSteps(documents.get(since), steps)).toEqual(newest)
      expect(answer.plain.bytes.length).toBeLessThan(JSON.stringify(newest).length / 2)
    }
    expect(before?.versions).toBeNull()
  })
})
