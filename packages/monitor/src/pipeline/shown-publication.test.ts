import { stalledSnapshot } from '@svc/core/health'
import { noTrends } from '@svc/core/pool'
import { anAccount, aSnapshot, silentLog } from '@svc/core/testing'
import { createWording, type Health, type StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../answers/encode-json.ts'
import { type ReadyAnswer, versionOf } from '../answers/ready-answer.ts'
import { encodedPayloads } from '../testing/encoded-payloads.ts'
import { handoverOf, ifStalledOf } from './publish.ts'
import { createShownPublication } from './shown-publication.ts'

const context = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

const parsed = <Body>({ plain }: ReadyAnswer) =>
  JSON.parse(new TextDecoder().decode(plain.bytes)) as Body

describe('a version of the status', () => {
  const publicationOf = (name: string, changes?: ReadonlyMap<string, ReadyAnswer>) => {
    const snapshot = aSnapshot([[anAccount(name), null]])
    const payloads = encodedPayloads(snapshot, context)
    const ifStalled = ifStalledOf(snapshot, context)
    const made = { snapshot, payloads, versions: null, healthVersions: null, context, ifStalled }
    const { publication } = handoverOf(made, null)
    return { ...publication, ...(changes === undefined ? {} : { changes }) }
  }
  const started = () => createShownPublication({ onGauges() {} }, silentLog)
  const answer = encodeJson('changes')

  it('is answered with the status where it is that one, with what has changed where that is known', () => {
    const shown = started()
    shown.publish(publicationOf('ana', new Map([['old', answer]])))
    const status = shown.payload('status')

    expect(shown.changesSince('status', versionOf(status))).toBe(status)
    expect(shown.changesSince('status', 'old')).toBe(answer)
    expect(shown.changesSince('status', 'older')).toBeNull()
  })

  it('is known of health apart', () => {
    const shown = started()
    const published = publicationOf('ana', new Map([['old', answer]]))
    const ofHealth = encodeJson('changes of health')
    shown.publish({ ...published, healthChanges: new Map([['old', ofHealth]]) })
    expect(shown.changesSince('health', 'old')).toBe(ofHealth)
    expect(shown.changesSince('status', 'old')).toBe(answer)

    shown.stall()
    expect(shown.changesSince('health', 'old')).toBeNull()
  })

  it('is not known any more once the pipeline is lost, nor to the next one', () => {
    const shown = started()
    const published = publicationOf('ana', new Map([['old', answer]]))
    shown.publish(published)
    const last = versionOf(shown.payload('status'))
    shown.stall()
    expect([shown.changesSince('status', 'old'), shown.changesSince('status', last)]).toEqual([
      null,
      null,
    ])

    shown.publish(publicationOf('bob', new Map()))
    expect([shown.changesSince('status', 'old'), shown.changesSince('status', last)]).toEqual([
      null,
      null,
    ])
  })
})

it('a status that is older than the rest says the same of a stalled pipeline as health', () => {
  const shown = createShownPublication({ onGauges() {} }, silentLog)
  const good = aSnapshot([[anAccount('ana'), null]])
  // Other actions than those of the status that is shown.
  const worse = stalledSnapshot(good)
  for (const snapshot of [good, worse]) {
    const { status, ...others } = encodedPayloads(snapshot, context)
    const payloads = snapshot === good ? { status, ...others } : others
    const ifStalled = ifStalledOf(snapshot, context)
    const made = { snapshot, payloads, versions: null, healthVersions: null, context, ifStalled }
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
