import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HealthAction, Snapshot } from '@svc/core'
import type { NotifyTarget } from '@svc/core/notify'
import { aSnapshot, NOW, silentLog, virtualClock } from '@svc/core/testing'
import { createWording } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Count } from '../metrics/event-counters.ts'
import { createPoolMessages, type PoolMessagesDeps } from './pool-messages.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-messages-'))
  writeFileSync(join(folder, 'address'), 'http://127.0.0.1:9/hook\n', { mode: 0o600 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const target = (): NotifyTarget => ({
  name: 'phone',
  kind: 'webhook',
  urlFile: join(folder, 'address'),
  on: ['action', 'recovered'],
  minTone: 'warn',
  names: false,
  quiet: null,
  quietBad: false,
})
const rival: HealthAction = { code: 'usage_rival' }
/** Files are read between two tasks. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 2))

type StoreKind = ReturnType<NonNullable<PoolMessagesDeps['history']>['state']>['kind']

/** Monitors with one store, one clock and one receiver. */
function aDeployment() {
  const clock = virtualClock(settle)
  const kept = new Map<string, string>()
  const sent: string[] = []
  const counts: Count[] = []
  let leader = 'only'

  /** A monitor; `isShared`: whether others have its store too. */
  const monitor = (name: string, { isShared = false, store = 'ok' as StoreKind } = {}) => {
    const state = { kind: store }
    const messages = createPoolMessages(
      { targets: [target()] },
      {
        history: {
          state: () => state as never,
          shared: isShared ? ({ writesCourse: () => leader === name } as never) : null,
          async rememberTold(of, memory) {
            kept.set(of, memory)
          },
        },
        text: createWording('UTC'),
        clock,
        random: () => 0.5,
        async fetch(_, init) {
          const { status } = JSON.parse(String(init?.body))
          sent.push(`${name}: ${status}`)
          return new Response(null, { status: 200 })
        },
        report: { count: (count) => void counts.push(count) },
        log: silentLog,
      },
    )
    if (messages === null) throw new Error('a target is given')
    return { messages, state }
  }
  return {
    kept,
    sent,
    counts,
    monitor,
    /** Who writes the course. */
    lead(name: string) {
      leader = name
    },
    /** For so many minutes each monitor sees these actions. */
    async show(
      monitors: readonly ReturnType<typeof monitor>[],
      actions: readonly HealthAction[],
      minutes: number,
      changes: Partial<Snapshot> = {},
    ) {
      for (let round = 0; round < 4 * minutes; round += 1) {
        const snapshot = { ...aSnapshot([]), evaluatedAt: clock.now(), ...changes }
        const open = actions.map((action) => ({
          id: action.code,
          tone: 'bad' as const,
          action,
          since: NOW,
        }))
        const health = { ...snapshot.health, state: 'bad' as const, actions: open }
        for (const { messages } of monitors)
          messages.onSnapshot({ ...snapshot, health, ...changes }, null)
        await clock.advance(15_000)
      }
    },
    told: (...expected: readonly string[]) => vi.waitFor(() => expect(sent).toEqual(expected)),
  }
}

it('without targets there is nobody to tell', () => {
  expect(createPoolMessages({ targets: [] }, {} as PoolMessagesDeps)).toBeNull()
})

describe('a monitor with a store', () => {
  it.each<{ readonly store: StoreKind; readonly told: readonly string[] }>([
    { store: 'opening', told: [] },
    { store: 'failing', told: ['a: firing'] },
  ])('whose store is $store tells $told, and after it was read what is new', async (row) => {
    const { monitor, show, told } = aDeployment()
    const one = monitor('a', { store: row.store })
    await show([one], [rival], 5)
    await told(...row.told)
    one.messages.seed(new Map())
    await show([one], [rival], 5)
    await told('a: firing')
  })

  it('that is started again tells nothing twice, and what is over once', async () => {
    const { monitor, show, told, kept } = aDeployment()
    let one = monitor('a')
    one.messages.seed(new Map())
    await show([one], [rival], 3)
    for (let start = 0; start < 5; start += 1) {
      await one.messages.stop()
      one = monitor('a')
      one.messages.seed(new Map(kept))
      // Before the first round has ended no action is open.
      await show([one], [], 2, { health: { ...aSnapshot([]).health, state: 'unknown' } })
      await show([one], [rival], 3)
    }
    await told('a: firing')
    await show([one], [], 9)
    await told('a: firing', 'a: resolved')
  })

  it('does not count as over what takes minutes to open again after a start', async () => {
    const { monitor, show, told, kept } = aDeployment()
    const first = monitor('a')
    first.messages.seed(new Map())
    await show([first], [rival], 3)
    await told('a: firing')
    await first.messages.stop()
    const second = monitor('a')
    second.messages.seed(new Map(kept))
    await show([second], [], 5)
    await show([second], [rival], 5)
    await told('a: firing')
  })

  it('tells nothing by a clock that is doubted', async () => {
    const { monitor, show, sent } = aDeployment()
    const one = monitor('a')
    one.messages.seed(new Map())
    const clockDoubt = { reason: 'proxy', aheadSeconds: 100_000 } as const
    await show([one], [rival], 5, { clockDoubt })

    expect(sent).toEqual([])
  })

  it('counts what it sends from 0 on, and not again what was sent before', async () => {
    const { monitor, show, told, kept, counts } = aDeployment()
    const sum = (result: string) =>
      counts.reduce((all, count) => {
        const isIt = count.counter === 'notifications_total' && count.result === result
        return isIt ? all + (count.by ?? 1) : all
      }, 0)
    const first = monitor('a')
    expect(counts).toContainEqual({
      counter: 'notifications_total',
      target: 'phone',
      result: 'lost',
      by: 0,
    })
    first.messages.seed(new Map())
    await show([first], [rival], 3)
    await told('a: firing')
    await first.messages.stop()
    expect([sum('sent'), sum('lost')]).toEqual([1, 0])
    const second = monitor('a')
    second.messages.seed(new Map(kept))
    await show([second], [rival], 3)

    expect([sum('sent'), sum('lost')]).toEqual([1, 0])
    expect(second.messages.standings()).toMatchObject([{ name: 'phone', sentCount: 1 }])
  })
})

it('of two monitors the one that writes the course tells, and the other goes on from there', async () => {
  const { monitor, show, told, kept, lead } = aDeployment()
  const both = ['a', 'b'].map((name) => monitor(name, { isShared: true }))
  const look = () => {
    for (const { messages } of both) messages.follow(new Map(kept))
  }
  for (const { messages } of both) messages.seed(new Map())
  lead('a')
  await show(both, [rival], 3)
  await told('a: firing')
  for (const name of ['nobody', 'b', 'nobody', 'a', 'nobody', 'b']) {
    lead('nobody')
    look()
    lead(name)
    await show(both, [rival], 2)
  }
  await told('a: firing')
  await show(both, [], 9)
  await told('a: firing', 'b: resolved')
})
