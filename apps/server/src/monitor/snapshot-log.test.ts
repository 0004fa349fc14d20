import { defaultPolicy, evaluateSnapshot, type Observation } from '@svc/core'
import { aLiveObservation, anAccount, fixedClock, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createLog } from '../log/log.ts'
import { logTransition } from './snapshot-log.ts'

const snapshotOf = (observation: Observation) =>
  evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })
const blocked = (name: string) => anAccount(name, { operatorDisabled: true })
const loggedOut = (name: string) =>
  anAccount(name, {
    message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
    messageAt: NOW,
  })
const good = aLiveObservation([[anAccount('one'), null]])
const broken = aLiveObservation([[anAccount('one'), null]], {
  sources: {
    gateway: {
      outcome: { kind: 'failed', code: 'timeout', at: NOW },
      failuresInARow: 1,
      lastGood: null,
    },
  },
})
const withOneBad = aLiveObservation([
  [anAccount('one'), null],
  [loggedOut('two'), null],
])
const withNoneLeft = aLiveObservation([
  [blocked('one'), null],
  [loggedOut('two'), null],
])
const unread = aLiveObservation([], {
  sources: { accounts: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } },
})

function linesOf(
  previous: Observation | null,
  next: Observation,
  format: 'text' | 'json' = 'text',
): readonly string[] {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format,
    write: (line) => lines.push(line.trimEnd()),
    clock: fixedClock(),
  })
  logTransition(log, previous === null ? null : snapshotOf(previous), snapshotOf(next))
  return format === 'json' ? lines : lines.map((line) => line.replace(/^\S+ /, ''))
}

describe('the log of snapshots', () => {
  it('has a line for the first one', () => {
    expect(linesOf(null, good)).toEqual([
      'info  snapshot source=live health=good accounts=1 routable=1 failing="" actions=""',
    ])
  })

  it('explains a change: which source fails, and what must be acted on', () => {
    expect(linesOf(good, broken)).toEqual([
      'info  snapshot source=partial health=warn accounts=1 routable=1 failing="gateway: timeout" actions=snapshot_partial',
      'warn  action opened code=snapshot_partial tone=warn count=1',
    ])
  })

  it('ends with an action that is open, however often it was opened and resolved', () => {
    const lines: string[] = []
    const log = createLog({
      level: 'info',
      format: 'text',
      write: (line) => lines.push(line.trimEnd()),
      clock: fixedClock(),
    })
    const [well, ill] = [snapshotOf(good), snapshotOf(broken)]
    for (let round = 0; round < 3; round += 1) {
      logTransition(log, well, ill)
      logTransition(log, ill, well)
    }
    logTransition(log, well, ill)

    expect(lines.filter((line) => line.includes('code=snapshot_partial')).at(-1)).toContain(
      'action opened',
    )
  })

  it('is silent while nothing changes', () => {
    expect(linesOf(broken, broken)).toEqual([])
  })

  it('has a line for an action that opens while health was bad before, and for the last routable account', () => {
    expect(linesOf(withOneBad, withNoneLeft)).toEqual([
      'warn  action opened code=nothing_routable tone=bad count=1',
      'warn  no account can take work routable=0 blocked=2',
    ])
  })

  it('has a line when that is over', () => {
    expect(linesOf(withNoneLeft, withOneBad)).toEqual([
      'info  action resolved code=nothing_routable tone=bad count=1',
      'info  accounts can take work again routable=1 blocked=1',
    ])
  })

  it('logs a pool that can take no work from the start, but not one that was never read', () => {
    expect(linesOf(null, withNoneLeft)).toContain(
      'warn  no account can take work routable=0 blocked=2',
    )
    expect(linesOf(unread, withNoneLeft)).toContain(
      'warn  no account can take work routable=0 blocked=2',
    )
    expect(linesOf(unread, good).join()).not.toContain('take work')
    expect(linesOf(null, unread).join()).not.toContain('take work')
  })

  it('says the same in JSON, with lists as lists', () => {
    const lines = linesOf(good, broken, 'json').map((line) => JSON.parse(line) as unknown)

    expect(lines).toMatchObject([
      { event: 'snapshot', failing: ['gateway: timeout'], actions: ['snapshot_partial'] },
      { event: 'action opened', code: 'snapshot_partial', tone: 'warn', count: 1 },
    ])
  })
})
