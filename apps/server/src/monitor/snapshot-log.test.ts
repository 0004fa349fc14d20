import { defaultPolicy, evaluateSnapshot, type LogFields, type Observation } from '@svc/core'
import { aLiveObservation, anAccount, NOW, silentLog } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { logTransition } from './snapshot-log.ts'

const snapshotOf = (observation: Observation) => evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })
const good = aLiveObservation([[anAccount('one'), null]])
const broken: Observation = {
  ...good,
  gateway: { outcome: { kind: 'failed', code: 'timeout', at: NOW }, failuresInARow: 1, lastGood: null },
}

function linesOf(previous: Observation | null, next: Observation): readonly LogFields[] {
  const lines: LogFields[] = []
  const log = { ...silentLog, info: (_event: string, fields: LogFields = {}) => void lines.push(fields) }
  logTransition(log, previous === null ? null : snapshotOf(previous), snapshotOf(next))
  return lines
}

describe('the log of snapshots', () => {
  it('tells the first one', () => {
    expect(linesOf(null, good)).toMatchObject([{ source: 'live', accounts: 1, failing: '' }])
  })

  it('explains a change: which source fails, and what must be acted on', () => {
    expect(linesOf(good, broken)).toMatchObject([{ source: 'partial', failing: 'gateway: timeout', actions: 'snapshot_partial' }])
  })

  it('is silent while nothing changes', () => {
    expect(linesOf(broken, broken)).toEqual([])
  })
})
