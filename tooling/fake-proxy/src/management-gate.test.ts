import { plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createManagementGate, type FakeManagement, managementKeyOf } from './management-gate.ts'

const MINUTE = 60_000

function aGate() {
  let now = NOW
  const gate = createManagementGate(() => now)
  return {
    gate,
    wait(milliseconds: number) {
      now = plusMs(now, milliseconds)
    },
    ask: (key: string | null, address = 'us', management: FakeManagement = 'open') =>
      gate.decide({ address, key, expectedKey: 'right', management }),
    fail(times: number, address = 'us') {
      for (let attempt = 0; attempt < times; attempt += 1)
        gate.decide({ address, key: 'wrong', expectedKey: 'right', management: 'open' })
    },
  }
}

describe('the ban of an address', () => {
  it('comes with the fifth failure, for half an hour, whatever the key', () => {
    const { ask, fail, wait } = aGate()
    fail(4)
    expect(ask('wrong')).toMatchObject({ status: 401, banned: false })
    expect(ask('right')).toMatchObject({
      status: 403,
      banned: true,
      error: 'IP banned due to too many failed attempts. Try again in 30m0s',
    })
    wait(29 * MINUTE + 1_000)
    expect(ask('right')).toMatchObject({ error: expect.stringMatching(/ in 59s$/) })
    wait(59_000 - 1)
    expect(ask('right')).toMatchObject({ banned: true })
    wait(1)
    expect(ask('right')).toEqual({ kind: 'accepted' })
  })

  it('is not that of another address', () => {
    const { ask, fail } = aGate()
    fail(5, 'others')

    expect(ask('right', 'us')).toEqual({ kind: 'accepted' })
  })

  it('starts to be counted again after a success', () => {
    const { ask, fail, gate } = aGate()
    fail(4)
    ask('right')
    expect(gate.failuresOpen()).toBe(0)
    fail(4)

    expect(ask('right')).toEqual({ kind: 'accepted' })
  })

  it.each([
    { idleMs: 120 * MINUTE, failures: 5 },
    { idleMs: 120 * MINUTE + 1, failures: 1 },
  ])('counts failures $idleMs ms apart together: $failures', ({ idleMs, failures }) => {
    const { fail, gate, wait } = aGate()
    fail(4)
    wait(idleMs)
    fail(1)

    expect(gate.failuresOpen()).toBe(failures)
  })

  it('is forgotten by a restart', () => {
    const { ask, fail, gate } = aGate()
    fail(5)
    gate.forgetAll()

    expect(ask('right')).toEqual({ kind: 'accepted' })
  })
})

describe('a management API that refuses every key', () => {
  it.each(['remote_refused', 'key_not_set'] as const)('%s counts no failure', (management) => {
    const { ask, gate } = aGate()
    for (let attempt = 0; attempt < 9; attempt += 1)
      expect(ask('wrong', 'us', management)).toMatchObject({ status: 403, banned: false })

    expect(gate.failuresOpen()).toBe(0)
  })
})

it.each<{ headers: Record<string, string>; key: string | null }>([
  { headers: { authorization: 'Bearer a' }, key: 'a' },
  { headers: { authorization: 'bearer a' }, key: 'a' },
  { headers: { authorization: 'a' }, key: 'a' },
  { headers: { authorization: 'Bearer a', 'x-management-key': 'b' }, key: 'a' },
  { headers: { 'x-management-key': 'b' }, key: 'b' },
  { headers: { authorization: '', 'x-management-key': 'b' }, key: 'b' },
  { headers: {}, key: null },
])('the key of a request is $key', ({ headers, key }) => {
  expect(managementKeyOf(new Headers(headers))).toBe(key)
})
