import { Redacted } from '@svc/core/service'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createManagementGate, isHeld, isKeyText } from './management-access.ts'
import { UpstreamError, upstreamErrorOf } from './upstream-error.ts'

const aKey = (text: string) => ({ kind: 'key', key: new Redacted(text) }) as const
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const REFUSED = () => new UpstreamError('unauthorized', 'refused', { httpStatus: 401 })

function aGate() {
  const clock = virtualClock(turn)
  const gate = createManagementGate(clock)
  gate.useKey(aKey('one'))
  const sent: {
    readonly key: string
    answer(value: string): void
    refuse(error: UpstreamError): void
  }[] = []
  const call = () =>
    gate
      .call(
        (key) =>
          new Promise<string>((answer, refuse) => sent.push({ key: key.reveal(), answer, refuse })),
      )
      .catch((error) => upstreamErrorOf(error))
  return { clock, gate, sent, call }
}

describe('the gate', () => {
  it('sends nothing without a key, and never an empty one', async () => {
    const gate = createManagementGate(virtualClock(turn))
    let sentCount = 0
    const call = () =>
      gate
        .call(async () => {
          sentCount += 1
        })
        .catch((error) => upstreamErrorOf(error))

    for (const key of [null, { kind: 'problem', reason: 'empty' }] as const) {
      gate.useKey(key)
      const error = await call()

      expect(error).toMatchObject({ code: 'no_key' })
      expect(error instanceof UpstreamError && isHeld(error)).toBe(true)
    }
    expect(sentCount).toBe(0)
    expect(gate.heldForMs()).toBe(Number.POSITIVE_INFINITY)
    expect(gate.access()).toEqual({ kind: 'unreadable_key', reason: 'empty' })
  })

  it('lets the first call out alone, then three at a time', async () => {
    const { gate, sent, call } = aGate()
    const calls = Array.from({ length: 6 }, call)
    await turn()

    expect(sent).toHaveLength(1)
    expect(gate.access()).toEqual({ kind: 'unproven' })
    sent[0]?.answer('ok')
    await turn()
    expect(gate.access()).toEqual({ kind: 'accepted' })
    expect(sent).toHaveLength(4)
    sent[2]?.answer('ok')
    await turn()
    expect(sent).toHaveLength(5)
    for (const entry of sent) entry.answer('ok')
    await turn()
    for (const entry of sent) entry.answer('ok')
    await Promise.all(calls)
    expect(sent).toHaveLength(6)
  })

  it('a first call that never arrives passes the turn to one other', async () => {
    const { gate, sent, call } = aGate()
    const calls = [call(), call(), call()]
    await turn()

    sent[0]?.refuse(new UpstreamError('unreachable', 'down'))
    await turn()

    expect(sent).toHaveLength(2)
    expect(gate.access()).toEqual({ kind: 'unproven' })
    sent[1]?.answer('ok')
    await turn()
    sent[2]?.answer('ok')
    await Promise.all(calls)
  })

  it.each(['unauthorized', 'forbidden'] as const)(
    'holds everything for 150 min once %s',
    async (code) => {
      const { clock, gate, sent, call } = aGate()
      const calls = [call(), call(), call()]
      await turn()

      sent[0]?.refuse(
        new UpstreamError(code, 'refused', { httpStatus: code === 'forbidden' ? 403 : 401 }),
      )
      const errors = await Promise.all(calls)

      expect(sent).toHaveLength(1)
      expect(errors.map((error) => error instanceof UpstreamError && isHeld(error))).toEqual([
        false,
        true,
        true,
      ])
      expect(gate.access()).toMatchObject({
        kind: 'refused',
        failure: code,
        at: NOW,
        nextAttemptAt: NOW + 150 * 60_000,
      })
      await clock.advance(150 * 60_000 - 1)
      expect(await call()).toMatchObject({ code })
      expect(sent).toHaveLength(1)
      await clock.advance(1)
      const retry = call()
      await turn()
      expect(sent).toHaveLength(2)
      sent[1]?.answer('ok')
      await retry
      expect(gate.access()).toEqual({ kind: 'accepted' })
    },
  )

  it('tries a refused key again for somebody who asks, twice, and again once the proxy has forgotten', async () => {
    const { clock, gate, sent, call } = aGate()
    const refused = async () => {
      const next = call()
      await turn()
      sent.at(-1)?.refuse(REFUSED())
      await next
    }
    await refused()
    const tries: boolean[] = []
    for (let press = 0; press < 4; press += 1) {
      tries.push(gate.tryRefusedKey())
      if (tries.at(-1) === true) await refused()
      await clock.advance(1_000)
    }

    expect([tries, sent.length]).toEqual([[true, true, false, false], 3])
    expect(gate.access()).toMatchObject({ kind: 'refused', at: NOW + 1_000 })
    await clock.advance(150 * 60_000)
    await refused()
    expect(gate.tryRefusedKey()).toBe(true)
  })

  it('that was tried so and is right now, is accepted', async () => {
    const { gate, sent, call } = aGate()
    const first = call()
    await turn()
    sent[0]?.refuse(REFUSED())
    await first
    expect(gate.tryRefusedKey()).toBe(true)
    const second = call()
    await turn()
    sent[1]?.answer('ok')
    await second

    expect(gate.access()).toEqual({ kind: 'accepted' })
    expect(gate.tryRefusedKey()).toBe(false)
  })

  it('never tries for anybody while the address is banned', async () => {
    const { gate, sent, call } = aGate()
    const first = call()
    await turn()
    sent[0]?.refuse(
      new UpstreamError('banned', 'banned', { httpStatus: 403, retryAfterSeconds: 723 }),
    )
    await first

    expect(gate.tryRefusedKey()).toBe(false)
    expect(gate.heldForMs()).toBe(723_000)
  })

  it('waits out a ban to the millisecond, whatever the wall clock does', async () => {
    const { clock, gate, sent, call } = aGate()
    const first = call()
    await turn()
    sent[0]?.refuse(
      new UpstreamError('banned', 'banned', { httpStatus: 403, retryAfterSeconds: 723 }),
    )
    await first

    expect(gate.access()).toEqual({ kind: 'banned', until: NOW + 723_000 })
    clock.jumpWallClock(3_600_000)
    await clock.advance(722_999)
    expect(gate.heldForMs()).toBe(1)
    await clock.advance(1)
    expect(gate.heldForMs()).toBe(0)
  })

  it('a new key ends the hold, and answers to the old one no longer count', async () => {
    const { gate, sent, call } = aGate()
    const old = call()
    await turn()

    expect(gate.useKey(aKey('two'))).toBe(true)
    const fresh = call()
    await turn()
    expect(sent.map((entry) => entry.key)).toEqual(['one', 'two'])
    sent[0]?.refuse(REFUSED())
    await old
    expect(gate.heldForMs()).toBe(0)
    sent[1]?.answer('ok')
    await fresh
    expect(gate.access()).toEqual({ kind: 'accepted' })
  })

  it('the same key again changes nothing', async () => {
    const { gate, sent, call } = aGate()
    const first = call()
    await turn()
    sent[0]?.refuse(REFUSED())
    await first

    expect(gate.useKey(aKey('one'))).toBe(false)
    expect(gate.heldForMs()).toBeGreaterThan(0)
    gate.endHold()
    expect(gate.heldForMs()).toBe(0)
  })

  it.each([
    ['its file cannot be read for a while', { kind: 'problem', reason: 'empty' } as const],
    ['it is not there for a while', null],
    ['another key takes its place for a while', aKey('two')],
  ])('a refused key stays held when %s', async (_, between) => {
    const { gate, sent, call, clock } = aGate()
    for (let round = 0; round < 10; round += 1) {
      const refused = call()
      await turn()
      for (const { refuse } of sent) refuse(REFUSED())
      await refused
      gate.useKey(round % 2 === 0 ? between : aKey('one'))
    }
    gate.useKey(aKey('one'))

    expect(sent.map(({ key }) => key)).toEqual(between?.kind === 'key' ? ['one', 'two'] : ['one'])
    expect(gate.access().kind).toBe('refused')
    await clock.advance(150 * 60_000)
    expect(gate.heldForMs()).toBe(0)
    gate.useKey(null)
    gate.useKey(aKey('one'))
    expect(gate.access().kind).toBe('unproven')
  })

  it('a success that was under way when another call was refused does not reopen it', async () => {
    const { gate, sent, call } = aGate()
    const first = call()
    await turn()
    sent[0]?.answer('ok')
    await first
    const calls = [call(), call()]
    await turn()

    sent[1]?.refuse(REFUSED())
    await turn()
    sent[2]?.answer('ok')
    await Promise.all(calls)

    expect(gate.access()).toMatchObject({ kind: 'refused' })
  })
})

it.each([
  { text: 'secret', same: true },
  { text: 'Secret', same: false },
  { text: 'secret ', same: false },
  { text: '', same: false },
  { text: 's'.repeat(100_000), same: false },
])('a text is the key only when it is the same: $same', ({ text, same }) => {
  expect(isKeyText(new Redacted('secret'), text)).toBe(same)
})
