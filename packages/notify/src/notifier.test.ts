import { inspect } from 'node:util'
import { type NotifyKind, notifyKinds, parseMemory } from '@svc/core/notify'
import type { LogFields } from '@svc/core/service'
import { NOW, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createNotifier, type Notifier, type NotifierDeps } from './notifier.ts'
import { aNotice, aReceiver, aTarget, closeReceivers, words } from './testing/receivers.ts'

afterEach(closeReceivers)

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Monitors with one store, of which one tells, and a receiver of a webhook that answers as it is told. */
function aWorld(changes: Partial<NotifierDeps> = {}) {
  const store = new Map<string, string>()
  const logged: string[] = []
  const bodies: { readonly url: string; readonly body: string }[] = []
  const underWay = new Set<string>()
  let answer = (): Response | Promise<Response> => new Response('{}')
  const isBusy = () =>
    [...store].some(([name, text]) => {
      const { outgoing } = parseMemory(text)
      return !underWay.has(name) && outgoing !== null && outgoing.nextAt <= clock.now()
    })
  const monitors = new Set<object>()
  // An address is read from the disk, which takes as many turns as it takes.
  const clock = virtualClock(async () => {
    await turn()
    while (monitors.size > 0 && isBusy()) await turn()
  })
  const record = (event: string, fields: LogFields = {}) =>
    void logged.push(`${event} ${JSON.stringify(fields)}`)
  const deps: NotifierDeps = {
    targets: [aTarget('webhook', 'http://receiver.example/hook')],
    clock,
    random: () => 0.5,
    fetch: async (url, init) => {
      bodies.push({ url: String(url), body: String(init?.body) })
      return await answer()
    },
    log: { debug: record, info: record, warn: record, error: record },
    minuteOfDay: () => 720,
    words,
    keep: async (name, memory) => {
      await turn()
      store.set(name, memory)
    },
    mayTell: () => true,
    onEnd: () => undefined,
    onChange: () => undefined,
    ...changes,
  }
  return {
    clock,
    store,
    logged,
    bodies,
    deps,
    /** A monitor that goes on with what is stored, and whether it may tell. */
    start(mayTell: () => boolean = deps.mayTell): Notifier {
      const notifier = createNotifier({ ...deps, mayTell })
      if (mayTell()) monitors.add(notifier)
      notifier.restore(store)
      return notifier
    },
    answersWith(next: typeof answer) {
      answer = next
    },
    /** A target whose message hangs, so that time may pass. */
    hangs: (name: string) => underWay.add(name),
    alerts: () =>
      bodies.flatMap(({ body }) => {
        const { alerts } = JSON.parse(body) as { readonly alerts: readonly Alert[] }
        return alerts
      }),
  }
}

interface Alert {
  readonly status: string
  readonly labels: { readonly id: string }
  readonly annotations: { readonly times?: string }
  readonly startsAt: string
}

const both = <Value>(value: Value) => ({ named: value, unnamed: value })
const notices = (ids: readonly string[], at = NOW) => ({
  at,
  open: both(ids.map((id) => aNotice(id))),
  happened: both([]),
})

async function pass(
  world: ReturnType<typeof aWorld>,
  notifier: Notifier,
  seconds: number,
  ids: readonly string[],
) {
  for (let passed = 0; passed < seconds; passed += 15) {
    notifier.onNotices(notices(ids, world.clock.now()))
    await world.clock.advance(15_000)
  }
}

describe('a day of a flapping pool', () => {
  it('with 20 restarts and 20 changes of the leader tells every crossing once, in the promised number of messages', async () => {
    const world = aWorld()
    let leader = 0
    const monitors = [0, 1].map((index) => world.start(() => leader === index))
    let [crossings, restarts, changes] = [0, 0, 0]
    const resets: string[] = []
    // 240 rounds of 6 minutes: one thing flaps in each, another stays for hours.
    for (let round = 0; round < 240; round += 1) {
      const fast = round % 2 === 0 ? ['gateway_down'] : []
      const slow = round % 80 < 40 ? ['nothing_routable'] : []
      crossings += fast.length + (round % 80 === 0 ? 1 : 0)
      if (round % 60 === 30) resets.push(`vendor_reset:${round}`)
      for (let step = 0; step < 24; step += 1) {
        const happened =
          round % 60 === 30 && step === 3
            ? [aNotice(`vendor_reset:${round}`, { topic: 'vendor_reset', tone: 'good' })]
            : []
        const now = { ...notices([...fast, ...slow], world.clock.now()), happened: both(happened) }
        for (const monitor of monitors) monitor.onNotices(now)
        await world.clock.advance(15_000)
        if (round % 12 === 5 && step === 3) {
          const index = leader
          await monitors[index]?.stop()
          monitors[index] = world.start(() => leader === index)
          restarts += 1
        }
        if (round % 12 === 9 && step === round % 24) {
          leader = 1 - leader
          monitors[leader]?.restore(world.store)
          changes += 1
        }
      }
    }
    expect([restarts, changes]).toEqual([20, 20])
    await world.clock.advance(3_600_000)
    for (const monitor of monitors) monitor.onNotices(notices([], world.clock.now()))
    await world.clock.advance(3_600_000)
    for (const monitor of monitors) monitor.onNotices(notices([], world.clock.now()))
    await world.clock.advance(3_600_000)

    const { subjects } = parseMemory(world.store.get('phone') ?? '')
    expect(subjects.filter(({ newsAt, isToldOpen }) => newsAt !== null || isToldOpen)).toEqual([])
    const told = world.alerts()
    expect(
      told
        .filter(({ labels }) => labels.id.startsWith('vendor_reset'))
        .map(({ labels }) => labels.id),
    ).toEqual(resets)
    expect(openingsIn(told.filter(({ labels }) => !labels.id.startsWith('vendor_reset')))).toBe(
      crossings,
    )
    // Every half an hour what flaps, and the few others.
    expect(world.bodies.length).toBeLessThanOrEqual(48 + 2 + 6 + resets.length)
    expect(world.logged).toEqual([])
  })
})

/** Openings told: one of an alert that fires, as many as it says, none of an end of what was told. */
function openingsIn(alerts: readonly Alert[]): number {
  const isOpen = new Map<string, boolean>()
  return alerts.reduce((sum, { status, labels, annotations }) => {
    const wasOpen = isOpen.get(labels.id) === true
    isOpen.set(labels.id, status === 'firing')
    if (annotations.times !== undefined) return sum + Number(annotations.times)
    return sum + (status === 'resolved' && wasOpen ? 0 : 1)
  }, 0)
}

describe('a message', () => {
  it('is stored before it is sent, and its success after', async () => {
    const steps: string[] = []
    const world = aWorld({
      keep: async (name, text) => {
        const { outgoing, record } = parseMemory(text)
        steps.push(
          `stored: ${outgoing === null ? 'none' : 'one'} under way, ${record.sentCount} sent`,
        )
        world.store.set(name, text)
      },
    })
    world.answersWith(() => {
      steps.push('sent')
      return new Response('')
    })
    await pass(world, world.start(), 120, ['gateway_down'])

    // Nothing is stored while nothing changes.
    expect(steps).toEqual([
      'stored: none under way, 0 sent',
      'stored: none under way, 0 sent',
      'stored: one under way, 0 sent',
      'sent',
      'stored: none under way, 1 sent',
    ])
  })

  it('is sent although it cannot be stored, or the store does not answer', async () => {
    for (const keep of [
      () => Promise.reject(new Error('full')),
      () => new Promise<void>(() => undefined),
    ]) {
      const world = aWorld({ keep })
      const notifier = world.start()
      await pass(world, notifier, 180, ['gateway_down'])
      await until(() => notifier.standings()[0]?.sentCount === 1)
      await pass(world, notifier, 600, ['gateway_down'])

      expect(world.bodies).toHaveLength(1)
      expect(world.logged[0]).toBe('what was told is not stored {"target":"phone"}')
    }
  })

  it('to one target does not wait for another', async () => {
    const [slow, quick] = [
      aTarget('webhook', 'http://slow.example/', { name: 'slow' }),
      aTarget('webhook', 'http://quick.example/', { name: 'quick' }),
    ]
    const world = aWorld({
      targets: [slow, quick],
      fetch: (url) => {
        if (!String(url).includes('slow')) return Promise.resolve(new Response(''))
        world.hangs('slow')
        return new Promise(() => undefined)
      },
    })
    const notifier = world.start()
    await pass(world, notifier, 90, ['gateway_down'])
    notifier.onNotices(notices(['gateway_down']))
    await until(() => notifier.standings()[1]?.sentCount === 1)

    expect(notifier.standings()).toMatchObject([
      { name: 'slow', sentCount: 0, waitingCount: 1, failure: null },
      { name: 'quick', kind: 'webhook', sentCount: 1, waitingCount: 0 },
    ])
  })

  it('that fails is tried again for an hour, then given up with one line, and told anew while it is open', async () => {
    const world = aWorld()
    world.answersWith(() => new Response('', { status: 500 }))
    const notifier = world.start()
    await pass(world, notifier, 3600, ['gateway_down'])
    expect(notifier.standings()).toMatchObject([
      {
        sentCount: 0,
        lostCount: 0,
        waitingCount: 1,
        failure: { code: 'unavailable' },
        isFailing: false,
      },
    ])
    await pass(world, notifier, 150, ['gateway_down'])

    expect(notifier.standings()).toMatchObject([{ lostCount: 1, isFailing: true }])
    expect(world.logged).toEqual([
      'message given up {"target":"phone","kind":"webhook","code":"unavailable"}',
    ])
    world.answersWith(() => new Response(''))
    await pass(world, notifier, 900, ['gateway_down'])
    expect(notifier.standings()).toMatchObject([
      { sentCount: 1, lostCount: 1, waitingCount: 0, failure: null, isFailing: false },
    ])
  })

  it('is neither decided nor sent by a monitor that may not tell', async () => {
    const world = aWorld()
    const notifier = world.start(() => false)
    await pass(world, notifier, 600, ['gateway_down'])

    expect([world.bodies.length, world.store.size]).toEqual([0, 0])
  })

  it('under way when the service stops may end; after 2 s it is left for the next start', async () => {
    const world = aWorld()
    let release: (response: Response) => void = () => undefined
    world.answersWith(() => {
      world.hangs('phone')
      return new Promise((resolve) => {
        release = resolve
      })
    })
    const first = world.start()
    await pass(world, first, 90, ['gateway_down'])
    await until(() => world.bodies.length === 1)
    const stopping = first.stop()
    release(new Response(''))
    await stopping
    expect(parseMemory(world.store.get('phone') ?? '').record.sentCount).toBe(1)

    const second = world.start()
    await pass(world, second, 90, [])
    await until(() => world.bodies.length === 2)
    const ending = second.stop()
    await world.clock.advance(2_000)
    await ending
    expect(parseMemory(world.store.get('phone') ?? '')).toMatchObject({
      record: { sentCount: 1, failure: null },
      outgoing: { attemptCount: 0 },
    })
  })

  it('under way while another monitor takes over is that one’s to tell', async () => {
    const world = aWorld()
    let release: (response: Response) => void = () => undefined
    let mayTell = true
    world.answersWith(() => {
      world.hangs('phone')
      return new Promise((resolve) => {
        release = resolve
      })
    })
    const notifier = world.start(() => mayTell)
    await pass(world, notifier, 90, ['gateway_down'])
    const before = world.store.get('phone') ?? ''
    mayTell = false
    release(new Response(''))
    await pass(world, notifier, 60, ['gateway_down'])
    expect([world.store.get('phone'), world.bodies.length]).toEqual([before, 1])

    // It tells again, with what the other one has sent meanwhile.
    const { outgoing: _, ...memory } = parseMemory(before)
    const record = { ...memory.record, sentCount: 7 }
    world.store.set('phone', JSON.stringify({ ...memory, outgoing: null, record }))
    notifier.restore(world.store)
    mayTell = true
    await pass(world, notifier, 600, ['gateway_down'])
    expect([notifier.standings()[0]?.sentCount, world.bodies.length]).toEqual([7, 1])
  })

  it('names accounts only for a target that wants names', async () => {
    const targets = [true, false].map((names) =>
      aTarget('webhook', `http://${names}.example/`, { name: String(names), names }),
    )
    const world = aWorld({ targets })
    const notifier = world.start()
    const open = {
      named: [aNotice('auth_invalid', { title: 'a@example.com' })],
      unnamed: [aNotice('auth_invalid', { title: 'One account' })],
    }
    for (let step = 0; step < 8; step += 1) {
      notifier.onNotices({ at: NOW, open, happened: both([]) })
      await world.clock.advance(15_000)
    }
    await until(() => world.bodies.length === 2)

    for (const { url, body } of world.bodies)
      expect(body.includes('a@example.com')).toBe(url.includes('true'))
  })
})

describe('an address, a token, a path', () => {
  it('stands in no message, no line of the log, no standing and no memory, whatever the receiver says', async () => {
    const CANARY = 'c4n4ry'
    const paths: Partial<Record<NotifyKind, string>> = {
      telegram: `/bot1:${CANARY}/sendMessage?chat_id=5`,
      ntfy: `/t0pic?auth=${CANARY}`,
    }
    for (const status of [200, 400, 429, 503]) {
      for (const kind of notifyKinds) {
        const { url, seen } = await aReceiver((request, response) => {
          response.writeHead(status, { 'x-echo': CANARY, 'retry-after': '1' })
          response.end(
            JSON.stringify({ ok: status === 200, code: status, error: `${CANARY} ${request.url}` }),
          )
        })
        const shown: string[] = []
        const address = `${url.replace('//', `//me:${CANARY}@`)}${paths[kind] ?? `/${CANARY}?token=${CANARY}`}`
        const target = aTarget(kind, address)
        const world = aWorld({
          targets: [target],
          fetch,
          onChange: () => shown.push(JSON.stringify(notifier.standings())),
        })
        const notifier: Notifier = world.start()
        await pass(world, notifier, 90, ['gateway_down'])
        notifier.onNotices(notices(['gateway_down']))
        await until(() => {
          const [standing] = notifier.standings()
          return standing !== undefined && (standing.sentCount === 1 || standing.failure !== null)
        })
        await notifier.stop()

        expect(seen).toHaveLength(1)
        const said = inspect([seen[0]?.body, world.logged, shown, [...world.store]], { depth: 9 })
        expect(said).toContain('gateway_down')
        expect(said, kind).not.toContain(CANARY)
        expect(said, kind).not.toContain(url)
        expect(said, kind).not.toContain(target.urlFile)
      }
    }
  })
})

/** Waits for what a real socket or a disk does. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn()
}
