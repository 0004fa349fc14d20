import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EpochMs, HealthAction, Snapshot } from '@svc/core'
import type { NotifyTarget } from '@svc/core/notify'
import type { HistoryFailureCode } from '@svc/core/service'
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
/** Files are read between two tasks: as many questions to the disk as reading one takes, however busy the machine is. */
async function settle() {
  for (let questions = 0; questions < 8; questions += 1) await stat(folder)
  await new Promise<void>((resolve) => setImmediate(resolve))
}

interface Alert {
  readonly status: 'firing' | 'resolved'
  readonly labels: { readonly id: string }
  readonly startsAt: string
  readonly endsAt: string
}

type StoreKind = ReturnType<NonNullable<PoolMessagesDeps['history']>['state']>['kind']

/** Monitors with one store, one clock and one receiver. */
function aDeployment() {
  const clock = virtualClock(settle)
  const kept = new Map<string, string>()
  const sent: string[] = []
  const alerts: Alert[] = []
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
          const { status, alerts: told } = JSON.parse(String(init?.body))
          alerts.push(...told)
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
    clock,
    kept,
    sent,
    alerts,
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

it('without targets there is nobody to decideNotifications', () => {
  expect(createPoolMessages({ targets: [] }, {} as PoolMessagesDeps)).toBeNull()
})

describe('a monitor with a store', () => {
  it.each<{
    readonly store: StoreKind
    readonly code?: HistoryFailureCode
    readonly told: readonly string[]
  }>([
    { store: 'opening', told: [] },
    { store: 'failing', code: 'read_only', told: ['a: firing'] },
    // Whoever holds the file tells.
    { store: 'failing', code: 'locked', told: [] },
  ])('whose store is $store $code tells $told, and after it was read what is new', async (row) => {
    const { monitor, show, told } = aDeployment()
    const one = monitor('a', { store: row.store })
    Object.assign(one.state, { code: row.code })
    await show([one], [rival], 5)
    await told(...row.told)
    one.messages.seed(new Map())
    Object.assign(one.state, { kind: 'ok' })
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

/** Seconds after the start at which an alert began and ended, as in `0-108`, or `0-` while it fires; of others than the gateway with their name. */
function worded({ status, labels, startsAt, endsAt }: Alert): string {
  const seconds = (at: string) => Math.round((Date.parse(at) - NOW) / 1000)
  const name = labels.id === 'gateway_down' ? '' : `${labels.id} `
  return `${name}${seconds(startsAt)}-${status === 'firing' ? '' : seconds(endsAt)}`
}

describe('what is told', () => {
  // Each stretch: for how many seconds, the open actions, and `restart`, `doubt` or a jump of the wall clock in seconds.
  it.each<readonly [what: string, course: string, alerts: readonly string[]]>([
    ['nothing of 8 s just after a start', '8 gateway_down, 200', []],
    ['nothing of what flaps in the first minutes', Array(10).fill('8 gateway_down, 40').join(), []],
    ['nothing of 8 s after a restart', '400, 8 gateway_down restart, 200', []],
    [
      'nothing of seconds before and after a restart',
      '400, 20 gateway_down, 8 gateway_down restart, 200',
      [],
    ],
    [
      'nothing of 8 s in which the clock jumps ahead',
      '400, 4 gateway_down, 4 gateway_down 3600, 200',
      [],
    ],
    [
      'nothing of 8 s that end while the clock is doubted',
      '400, 4 gateway_down, 300 doubt, 200',
      [],
    ],
    ['what lasts, and its end soon after it', '300 gateway_down, 120', ['0-', '0-300']],
    [
      'the end of what was seen after a restart, soon after it',
      '300 gateway_down, 60 gateway_down restart, 120',
      ['0-', '0-360'],
    ],
    [
      'the end of what was not seen after a restart, late and with its time',
      '300 gateway_down, 480 restart',
      ['0-', '0-300'],
    ],
    [
      'no end of it before it may have opened again',
      '300 gateway_down, 340 restart, 60 gateway_down',
      ['0-'],
    ],
    [
      'an end shortly before a restart, with its time',
      '300 gateway_down, 20, 480 restart',
      ['0-', '0-300'],
    ],
    [
      'an end once, over restarts',
      '300 gateway_down, 100 restart, 100 restart, 480 restart, 100 restart',
      ['0-', '0-300'],
    ],
    [
      'of two things that were open each its own end',
      '300 gateway_down usage_rival, 40 usage_rival restart, 480',
      ['0-', 'usage_rival 0-', 'usage_rival 0-340', '0-300'],
    ],
  ])('is %s', async (_, course, expected) => {
    const { clock, monitor, kept, alerts } = aDeployment()
    let one = monitor('a')
    one.messages.seed(new Map())
    const since = new Map<string, EpochMs>()
    for (const stretch of course.split(',')) {
      const [seconds = '', ...words] = stretch.trim().split(' ')
      const has = (word: string) => words.includes(word)
      if (has('restart')) {
        await one.messages.stop()
        one = monitor('a')
        one.messages.seed(new Map(kept))
      }
      for (const word of words) if (Number(word) > 0) clock.jumpWallClock(Number(word) * 1000)
      const codes = words.filter((word) => word.includes('_'))
      for (const code of since.keys()) if (!codes.includes(code)) since.delete(code)
      for (let passed = 0; passed < Number(seconds); passed += 4) {
        const actions = codes.map((code) => {
          const at = since.get(code) ?? clock.now()
          since.set(code, at)
          const action = { code, since: at } as HealthAction
          return { id: code, tone: 'bad' as const, action, since: at }
        })
        const snapshot = aSnapshot([])
        one.messages.onSnapshot(
          {
            ...snapshot,
            evaluatedAt: clock.now(),
            clockDoubt: has('doubt') ? { reason: 'proxy', aheadSeconds: 100_000 } : null,
            health: { ...snapshot.health, state: 'bad', actions },
          },
          null,
        )
        await clock.advance(4_000)
      }
    }

    expect(alerts.map(worded)).toEqual(expected)
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
