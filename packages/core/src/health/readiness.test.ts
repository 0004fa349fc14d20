import { describe, expect, it } from 'vitest'
import type { Observation } from '../facts/observation.ts'
import { anAccount, aSnapshot, fromNow, NOW } from '../testing/builders.ts'
import { isReady, readinessOf } from './readiness.ts'

const failed = (
  code: 'unreachable' | 'no_key' | 'unauthorized' | 'bad_payload',
): Partial<Observation> => ({
  accountList: { outcome: { kind: 'failed', code, at: NOW }, failuresInARow: 1, lastGood: null },
})
const pending: Partial<Observation> = {
  accountList: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null },
}
const refused = {
  kind: 'refused',
  at: NOW,
  nextAttemptAt: fromNow(9_000),
  failure: 'unauthorized',
} as const

describe('the service', () => {
  it.each<{
    readonly name: string
    readonly observed: Partial<Observation>
    readonly watchedSeconds: number
    readonly ready: boolean
  }>([
    { name: 'the account list was read', observed: {}, watchedSeconds: 0, ready: true },
    { name: 'nothing has answered yet', observed: pending, watchedSeconds: 0, ready: false },
    {
      name: 'a first answer that takes its time',
      observed: pending,
      watchedSeconds: 300,
      ready: false,
    },
    {
      name: 'one failure may pass',
      observed: failed('unreachable'),
      watchedSeconds: 29.9,
      ready: false,
    },
    {
      name: 'the proxy does not answer for 30 s',
      observed: failed('unreachable'),
      watchedSeconds: 30,
      ready: true,
    },
    {
      name: 'it answers what is no list for 30 s',
      observed: failed('bad_payload'),
      watchedSeconds: 30,
      ready: true,
    },
    {
      name: 'there is no key',
      observed: { ...failed('no_key'), management: { kind: 'no_key' } },
      watchedSeconds: 0,
      ready: true,
    },
    {
      name: 'the key file cannot be used',
      observed: { ...failed('no_key'), management: { kind: 'unreadable_key', reason: 'missing' } },
      watchedSeconds: 0,
      ready: true,
    },
    {
      name: 'the key is refused',
      observed: { ...failed('unauthorized'), management: refused },
      watchedSeconds: 0,
      ready: true,
    },
    {
      name: 'this address is banned',
      observed: { ...failed('unauthorized'), management: { kind: 'banned', until: fromNow(60) } },
      watchedSeconds: 0,
      ready: true,
    },
  ])('is ready or not when $name', ({ observed, watchedSeconds, ready }) => {
    expect(
      isReady(readinessOf(aSnapshot([[anAccount('a'), null]], observed)), watchedSeconds),
    ).toBe(ready)
  })
})
