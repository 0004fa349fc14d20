import type { HistoryState, LogFields } from '@svc/core/service'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createStoreState, type StoreState } from './store-state.ts'

const OK: HistoryState = {
  kind: 'ok',
  at: NOW,
  missedSeconds: 0,
  backlogSeconds: null,
  lagSeconds: 0,
  isStandby: false,
  readFailure: null,
  engine: { name: 'sqlite', walBytes: 0 },
}
const failing = (code: 'disk_full' | 'locked'): HistoryState => ({
  kind: 'failing',
  code,
  since: NOW,
  engine: 'sqlite',
})

let clock: VirtualClock
let state: StoreState
let told: string[]
beforeEach(() => {
  clock = virtualClock(async () => {
    await new Promise((resolve) => setImmediate(resolve))
  })
  told = []
  state = createStoreState({
    engine: 'sqlite',
    clock,
    log: {
      ...silentLog,
      info: (event: string) => void told.push(event),
      error: (event: string, fields?: LogFields) =>
        void told.push([event, fields?.reason, fields?.detail].filter(Boolean).join(' ')),
    },
    onState: () => void told.push('changed'),
    onAnswering: () => void told.push('answers'),
  })
})

describe('the state of the store', () => {
  it.each<{
    readonly what: string
    readonly states: readonly HistoryState[]
    readonly expected: readonly string[]
  }>([
    { what: 'opened', states: [OK], expected: ['history store open', 'changed'] },
    {
      what: 'failing with the same reason again',
      states: [failing('disk_full'), failing('disk_full')],
      expected: ['history store not usable disk_full', 'changed'],
    },
    {
      what: 'failing with another reason',
      states: [failing('disk_full'), failing('locked')],
      expected: [
        'history store not usable disk_full',
        'changed',
        'history store not usable locked',
        'changed',
      ],
    },
    {
      what: 'ok with other figures',
      states: [OK, { ...OK, engine: { name: 'sqlite', walBytes: 5 } }],
      expected: ['history store open', 'changed'],
    },
  ])('is said once for each change: $what', ({ states, expected }) => {
    for (const each of states) state.become(each)

    expect(told).toEqual(expected)
    expect(state.now()).toEqual(states.at(-1))
  })

  it('takes the detail of a failure into the log and nowhere else', () => {
    state.become(failing('locked'), 'pid 7 holds it')

    expect(told[0]).toBe('history store not usable locked pid 7 holds it')
    expect(state.now()).toEqual(failing('locked'))
  })
})

describe('a call to the store', () => {
  const hanging = () => {
    let finish = (_: string) => {}
    const call = new Promise<string>((resolve) => {
      finish = resolve
    })
    return { call, finish: (value: string) => finish(value) }
  }

  it('that returns in 30 s changes nothing', async () => {
    state.become(OK)
    const { call, finish } = hanging()
    const watched = state.watch(call)
    await clock.advance(29_999)
    expect(state.now()).toEqual(OK)
    finish('done')

    expect(await watched).toBe('done')
    await clock.advance(60_000)
    expect(state.now()).toEqual(OK)
  })

  it('that hangs fails the store since it was asked, and the store is as before once it returns', async () => {
    state.become(OK)
    const { call, finish } = hanging()
    const watched = state.watch(call)
    await clock.advance(30_000)
    expect(state.now()).toEqual({
      kind: 'failing',
      code: 'not_answering',
      since: NOW,
      engine: 'sqlite',
    })
    expect(state.isSilent()).toBe(true)
    finish('late')

    expect(await watched).toBe('late')
    expect(state.now()).toEqual(OK)
    expect(told.at(-1)).toBe('answers')
  })

  it('that hangs beside another leaves it to the one that was asked first', async () => {
    state.become(OK)
    const [first, second] = [hanging(), hanging()]
    const watched = [state.watch(first.call), state.watch(second.call)]
    await clock.advance(30_000)
    second.finish('b')
    await watched[1]
    expect(state.isSilent()).toBe(true)
    first.finish('a')
    await watched[0]

    expect(state.now()).toEqual(OK)
  })

  it('that fails after it hung passes its failure on', async () => {
    state.become(OK)
    let fail = (_: Error) => {}
    const watched = state.watch(
      new Promise((_, reject) => {
        fail = reject
      }),
    )
    await clock.advance(30_000)
    fail(new Error('disk'))

    await expect(watched).rejects.toThrow('disk')
    expect(state.now()).toEqual(OK)
  })

  it('that hangs while the store is opened is not followed by usage', async () => {
    const { call, finish } = hanging()
    const watched = state.watch(call)
    await clock.advance(30_000)
    finish('opened')
    await watched

    expect(state.now()).toEqual({ kind: 'opening' })
    expect(told).not.toContain('answers')
  })
})
