import { describe, expect, it } from 'vitest'
import { fromNow } from '../testing/builders.ts'
import {
  type CallerRequest,
  type Callers,
  noCallers,
  pickForCaller,
  releaseCaller,
} from './callers.ts'

const MINUTE = 60_000

/** An account that was read this many minutes after the start; null: never. */
const account = (authName: string, score: number, readAtMinute: number | null = 0) => ({
  selector: { authName, authIndex: '', accountKey: `key-${authName}` },
  routable: true,
  score,
  reclaim: null,
  capacityWeight: 1,
  lastSample:
    readAtMinute === null ? null : { at: fromNow(readAtMinute * 60), origin: 'direct' as const },
  sampleEverySeconds: readAtMinute === null ? null : 300,
})
type Pool = readonly ReturnType<typeof account>[]

/** Asks for one caller after another, and remembers. */
function aMemory() {
  let callers: Callers = noCallers
  return {
    ask(pool: Pool, request: CallerRequest, minute = 0) {
      const { pick, queryDue, ...after } = pickForCaller(pool, request, callers, minute * MINUTE)
      callers = after.callers
      return {
        name: 'item' in pick ? pick.item.selector.authName : null,
        reason: pick.reason,
        queryDue: queryDue?.selector.authName ?? null,
      }
    },
    release(as: string) {
      callers = releaseCaller(callers, as)
    },
    names: () => [...callers.keys()],
  }
}

describe('a caller', () => {
  it('keeps what it was given last, until 15 minutes after its last pick', () => {
    const { ask } = aMemory()
    expect(ask([account('a', 50), account('b', 49)], { as: 'one' }).name).toBe('a')
    const turned = [account('a', 50), account('b', 60)]
    expect(ask(turned, { as: 'one' }, 14.9)).toMatchObject({ name: 'a', reason: 'kept' })
    expect(ask(turned, { as: 'one' }, 29.8)).toMatchObject({ name: 'a', reason: 'kept' })
    expect(ask(turned, { as: 'one', keep: 'b' }, 30).name).toBe('b')
    expect(ask(turned, { as: 'one' }, 30).name).toBe('b')
    expect(ask([account('a', 60), account('b', 50)], { as: 'one' }, 45)).toMatchObject({
      name: 'a',
      reason: 'best',
    })
  })

  it('is forgotten when a thousand others have asked since', () => {
    const { ask, names } = aMemory()
    for (let index = 0; index < 1_001; index++) ask([account('a', 50)], { as: `caller-${index}` })
    ask([account('a', 50)], { as: 'caller-1' })
    ask([account('a', 50)], { as: 'another' })

    expect(names()).toHaveLength(1_000)
    expect(names().slice(0, 1)).toEqual(['caller-3'])
    expect(names().slice(-2)).toEqual(['caller-1', 'another'])
  })

  it('is not given an account that failed until its next reading, and for a minute at least', () => {
    const { ask, release } = aMemory()
    const pool = (readAtMinute: number) => [account('a', 50, readAtMinute), account('b', 20)]
    expect(ask(pool(0), { as: 'one', failed: 'a' }).name).toBe('b')
    expect(ask(pool(0.1), { as: 'one' }, 0.9).name).toBe('b')
    expect(ask(pool(0), { as: 'one' }, 9).name).toBe('b')
    expect(ask(pool(0), { as: 'other' }, 9).name).toBe('a')
    release('other')
    expect(ask(pool(9.5), { as: 'one' }, 10).name).toBe('a')
  })

  it('is given an account that nobody reads again after a quarter of an hour', () => {
    const { ask } = aMemory()
    const pool = [account('a', 50, null), account('b', 20)]
    expect(ask(pool, { as: 'one', failed: 'a' }).name).toBe('b')
    expect(ask(pool, { as: 'one' }, 14).name).toBe('b')
    expect(ask(pool, { as: 'one' }, 15).name).toBe('a')
  })

  it('is told that all are avoided, and takes no account that is not listed for one that failed', () => {
    const { ask } = aMemory()
    const pool = [account('a', 50)]
    expect(ask(pool, { as: 'one', failed: 'b' })).toMatchObject({ name: 'a', queryDue: null })
    expect(ask(pool, { as: 'one', failed: 'a' })).toMatchObject({ reason: 'all_avoided' })
  })
})

describe('a query is due', () => {
  const pool = [account('a', 50), account('b', 49)]

  it('once three callers have failed on an account since its last reading', () => {
    const { ask } = aMemory()
    const failing = (as: string, minute: number, now: Pool = pool) =>
      ask(now, { as, failed: 'a' }, minute).queryDue
    expect(failing('one', 0)).toBeNull()
    expect(failing('one', 1)).toBeNull()
    expect(failing('two', 2)).toBeNull()
    expect(ask(pool, { as: 'three', failed: 'b' }, 2).queryDue).toBeNull()
    expect(failing('three', 3)).toBe('a')
    expect(failing('three', 3)).toBeNull()
    expect(['four', 'five', 'six'].map((as) => failing(as, 4))).toEqual([null, null, 'a'])
    const readAgain = [account('a', 50, 5), account('b', 49)]
    expect(['one', 'two', 'seven'].map((as) => failing(as, 6, readAgain))).toEqual([
      null,
      null,
      'a',
    ])
  })

  it('not for failures more than five minutes apart', () => {
    const { ask } = aMemory()
    const due = [0, 1, 5, 6].map(
      (minute) => ask(pool, { as: `at-${minute}`, failed: 'a' }, minute).queryDue,
    )
    expect(due).toEqual([null, null, null, null])
  })
})

describe('callers that ask at once', () => {
  /** How many callers each account has. */
  const heldIn = ({ ask }: ReturnType<typeof aMemory>, pool: Pool, count: number, minute = 0) => {
    const held = new Map(pool.map(({ selector }) => [selector.authName, 0]))
    for (let index = 0; index < count; index++) {
      const name = ask(pool, { as: `caller-${index}` }, minute).name ?? ''
      held.set(name, (held.get(name) ?? 0) + 1)
    }
    return [...held.values()]
  }
  /** Fourteen accounts, of which two are nearly the best. */
  const fourteen = Array.from({ length: 14 }, (_, index) =>
    account(`file-${index}`, index < 2 ? 80 - index : 65 - 4 * index),
  )

  it('are two or three to an account where 40 share 14, and stay there for 15 minutes', () => {
    const memory = aMemory()
    const expected = [...Array<number>(12).fill(3), 2, 2]
    expect(heldIn(memory, fourteen, 40)).toEqual(expected)
    for (const minute of [1, 5, 14.9])
      expect(heldIn(memory, fourteen, 40, minute)).toEqual(expected)
    const [best = 0] = heldIn(memory, fourteen, 40, 16)
    expect(best).toBeGreaterThan(3)
  })

  it('go where the fewest are when their account is blocked or refused them, or others have let go', () => {
    const memory = aMemory()
    heldIn(memory, fourteen, 28)
    const blocked = fourteen.map((one, index) => ({ ...one, routable: index !== 0 }))
    expect(heldIn(memory, blocked, 28, 1)).toEqual([
      0,
      ...Array<number>(2).fill(3),
      ...Array<number>(11).fill(2),
    ])
    const failing = memory.ask(blocked, { as: 'caller-5', failed: 'file-5' }, 1)
    expect(failing).toMatchObject({ name: 'file-3', reason: 'spread' })
    for (const as of ['caller-9', 'caller-23']) memory.release(as)
    expect(memory.ask(blocked, { as: 'another' }, 1)).toMatchObject({ name: 'file-9' })
    expect(memory.ask(blocked, { as: 'caller-9' }, 1)).toMatchObject({ name: 'file-5' })
    expect(memory.ask(blocked, { as: 'caller-23' }, 1)).toMatchObject({ name: 'file-9' })
  })
})
