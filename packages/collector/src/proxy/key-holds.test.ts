import { Redacted } from '@svc/core/service'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createKeyHolds, isKeyText, type KeyHold } from './key-holds.ts'

const aHold = (endsAtMs: number): KeyHold => ({ shown: { kind: 'banned', until: NOW }, endsAtMs })

describe('the hold of a key', () => {
  it('belongs to that key alone, however it is handed in', () => {
    const holds = createKeyHolds(virtualClock(() => Promise.resolve()))
    const hold = aHold(1000)
    holds.keep(new Redacted('one'), hold)

    expect(holds.of(new Redacted('one'))).toBe(hold)
    expect(holds.of(new Redacted('other'))).toBeNull()
  })

  it('is over at its end, to the millisecond', async () => {
    const clock = virtualClock(() => Promise.resolve())
    const holds = createKeyHolds(clock)
    const key = new Redacted('one')
    holds.keep(key, aHold(1000))
    await clock.advance(999)
    expect(holds.of(key)).not.toBeNull()
    await clock.advance(1)

    expect(holds.of(key)).toBeNull()
  })

  it('does not end because the wall clock was set', () => {
    const clock = virtualClock(() => Promise.resolve())
    const holds = createKeyHolds(clock)
    const key = new Redacted('one')
    holds.keep(key, aHold(1000))
    clock.jumpWallClock(365 * 86_400_000)

    expect(holds.of(key)).not.toBeNull()
  })

  it('is forgotten with all others', () => {
    const holds = createKeyHolds(virtualClock(() => Promise.resolve()))
    const keys = [new Redacted('one'), new Redacted('two')]
    for (const key of keys) holds.keep(key, aHold(1000))
    holds.forgetAll()

    expect(keys.map((key) => holds.of(key))).toEqual([null, null])
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
