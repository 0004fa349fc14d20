import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NotifyTopic } from '../facts/notify.ts'
import { type EpochMs, epochMs, plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import { decideNotifications } from './decide-notifications.ts'
import { delivered, emptyMemory, type Message, type Notice, parseMemory } from './memory.ts'

type Rule = Parameters<typeof decideNotifications>[2]

const everything: readonly NotifyTopic[] = [
  'action',
  'recovered',
  'vendor_reset',
  'runway',
  'subscription',
]
const rule: Rule = { on: everything, minTone: 'warn', quiet: null, quietBad: false }

function aNotice(id: string, changes: Partial<Notice> = {}): Notice {
  const texts = { title: `title of ${id}`, summary: `summary of ${id}` }
  return {
    id,
    topic: 'action',
    code: id,
    tone: 'bad',
    count: 1,
    startsAt: NOW,
    ...texts,
    ...changes,
  }
}

/** NOW is noon. */
const minuteOfDay = (at: EpochMs) => ((((at - NOW) / 60_000 + 720) % 1440) + 1440) % 1440

/** A target whose receiver takes every message at once, after a restart at every step. */
function aTarget(changes: Partial<Rule> = {}) {
  let memory = emptyMemory
  let clock = NOW
  const messages: Message[] = []
  const step = (open: readonly Notice[], happened: readonly Notice[]) => {
    const time = { now: clock, minuteOfDay: Math.floor(minuteOfDay(clock)) }
    const told = decideNotifications(
      parseMemory(JSON.stringify(memory)),
      { open, happened },
      { ...rule, ...changes },
      time,
    )
    memory = told.memory
    if (memory.outgoing === null) return told.nextAt
    messages.push(memory.outgoing.message)
    memory = delivered(memory, clock)
    return clock
  }
  return {
    messages,
    /** What was told about one thing, and when. */
    about: (id: string) =>
      messages.flatMap(({ at, notices }) =>
        notices.filter((notice) => notice.id === id).map((notice) => ({ ...notice, at })),
      ),
    jump(seconds: number) {
      clock = plusMs(clock, seconds * 1000)
    },
    /** Evaluates every 15 s or as told, and whenever something falls due between. */
    pass(seconds: number, open: readonly Notice[], happened: readonly Notice[] = [], every = 15) {
      const until = plusMs(clock, seconds * 1000)
      let wakesAt = step(open, happened)
      for (let evaluatedAt = clock; clock < until; wakesAt = step(open, happened)) {
        if (clock >= plusMs(evaluatedAt, every * 1000)) evaluatedAt = clock
        const next = Math.min(
          plusMs(evaluatedAt, every * 1000),
          until,
          Math.max(clock + 1, wakesAt ?? until),
        )
        clock = epochMs(next)
      }
    },
    /** As in `90 +gateway_down`: seconds after NOW, `+` open, `-` over, `×` how often if it was more than once. */
    told: () => messages.map(worded),
  }
}

function worded({ at, notices, omittedCount }: Message): string {
  const words = notices.map(
    ({ id, endsAt, times }) => `${endsAt === null ? '+' : '-'}${id}${times < 2 ? '' : `×${times}`}`,
  )
  const omitted = omittedCount === 0 ? [] : [`(${omittedCount} more)`]
  return [Math.round((at - NOW) / 1000), ...words, ...omitted].join(' ')
}

const a = aNotice('a')
const b = aNotice('b')

describe('an action', () => {
  it('is told once, 90 s after it has opened, and once when it is over', () => {
    const target = aTarget()
    target.pass(3600, [a])
    target.pass(3600, [])

    expect(target.told()).toEqual(['90 +a', '3690 -a'])
    expect(target.messages[1]?.notices[0]?.endsAt).toBe(plusMs(NOW, 3_600_000))
  })

  it.each([
    [45, 3600, [], 'it did not hold for a minute'],
    [61, 3600, ['121 -a'], 'it held, and was over before it could be told'],
    [3600, 45, ['90 +a'], 'it was back within a minute'],
  ])('that is open for $0 s, gone for $1 s and back is told as $2: $3', (open, gone, told) => {
    const target = aTarget()
    target.pass(open, [a])
    target.pass(gone, [])
    target.pass(30, gone === 3600 ? [] : [a])
    target.pass(30, gone === 3600 ? [] : [a])

    expect(target.told()).toEqual(told)
  })

  it('is told with others that come up within 30 s', () => {
    const target = aTarget()
    target.pass(20, [a])
    target.pass(3600, [a, b])

    expect(target.told()).toEqual(['90 +a +b'])
  })

  it('opens and closes unheard for a target that wants no recoveries', () => {
    const target = aTarget({ on: ['action'] })
    target.pass(300, [a])
    target.pass(7200, [])
    target.pass(300, [a])

    expect(target.told()).toEqual(['90 +a', '7590 +a'])
  })

  it.each<[Partial<Rule>, Partial<Notice>, boolean]>([
    [{ minTone: 'warn' }, { tone: 'warn' }, true],
    [{ minTone: 'bad' }, { tone: 'warn' }, false],
    [{ minTone: 'bad' }, { tone: 'bad' }, true],
    [{ minTone: 'bad' }, { tone: 'warn', topic: 'runway' }, true],
    [{ on: ['action'] }, { topic: 'runway' }, false],
    [{ on: ['runway'] }, { topic: 'action' }, false],
  ])('%j is told of %j: %s', (changes, notice, isTold) => {
    const target = aTarget(changes)
    target.pass(300, [aNotice('a', notice)])

    expect(target.told()).toHaveLength(isTold ? 1 : 0)
  })

  it('that gets milder is not over', () => {
    const target = aTarget({ minTone: 'bad' })
    target.pass(300, [a])
    target.pass(300, [aNotice('a', { tone: 'warn' })])
    expect(target.told()).toEqual(['90 +a'])

    target.pass(300, [])
    target.pass(3000, [aNotice('a', { tone: 'warn' })])
    expect(target.told()).toEqual(['90 +a', '690 -a'])
  })
})

describe('an action that flaps', () => {
  it('is told every 30 min at most, with its count', () => {
    const target = aTarget()
    for (let round = 0; round < 24; round += 1) {
      target.pass(150, [a])
      target.pass(150, [])
    }

    // Told at 90 and 240 s, then once in 30 min.
    expect(target.told()).toEqual(['90 +a', '240 -a', '2070 -a×6', '3900 -a×6', '5760 +a×7'])
  })

  it('is told at once again after 30 quiet minutes', () => {
    const target = aTarget()
    target.pass(300, [a])
    target.pass(2400, [])
    target.pass(300, [a])

    expect(target.told()).toEqual(['90 +a', '390 -a', '2790 +a'])
  })
})

describe('more than 20 messages an hour', () => {
  it('are summed up in the next one allowed', () => {
    const target = aTarget()
    const open: Notice[] = []
    for (let minute = 0; minute < 50; minute += 1) {
      open.push(aNotice(`n${minute}`))
      target.pass(60, open, [], 60)
    }
    target.pass(3600, open, [], 600)

    expect(target.messages).toHaveLength(21)
    expect(target.messages[20]?.at).toBe(plusMs(target.messages[0]?.at ?? NOW, 3_600_000))
    expect(target.messages[20]?.notices).toHaveLength(20)
    expect(target.messages[20]?.omittedCount).toBe(10)
  })
})

describe('in quiet hours', () => {
  const quiet = { from: 12 * 60, to: 14 * 60 }

  it('all is held back until their end, and what is over by then is not told as open', () => {
    const target = aTarget({ quiet })
    target.pass(600, [a])
    target.pass(600, [b])
    target.pass(9000, [b])

    expect(target.told()).toEqual(['7200 -a +b'])
  })

  it('what is bad passes if asked for', () => {
    const target = aTarget({ quiet, quietBad: true })
    target.pass(9000, [a, aNotice('mild', { tone: 'warn' })])

    expect(target.told()).toEqual(['90 +a', '7200 +mild'])
  })

  it.each([
    { from: 11 * 60, to: 12 * 60, first: 90 },
    { from: 23 * 60, to: 12 * 60 + 10, first: 600 },
    { from: 12 * 60 + 1, to: 12 * 60, first: 86_400 },
    { from: 12 * 60, to: 12 * 60, first: 90 },
  ])('from minute $from to $to a message goes at $first s', ({ from, to, first }) => {
    const target = aTarget({ quiet: { from, to } })
    target.pass(90_000, [a], [], 600)

    expect(target.told()).toEqual([`${first} +a`])
  })
})

describe('what has happened', () => {
  const reset = (seconds: number) =>
    aNotice('vendor_reset:week', {
      topic: 'vendor_reset',
      tone: 'good',
      startsAt: plusMs(NOW, seconds * 1000),
    })

  it('is told once, however often it is said, and when another monitor finds it later', () => {
    const target = aTarget({ minTone: 'bad' })
    target.pass(3600, [], [reset(0)])
    target.pass(3600, [], [reset(0), reset(600)])

    expect(target.told()).toEqual(['30 +vendor_reset:week'])
  })

  it('is told again when it happens again', () => {
    const target = aTarget()
    target.pass(3600, [], [reset(0)])
    target.pass(3600, [], [reset(3600)])

    expect(target.told()).toEqual(['30 +vendor_reset:week', '3630 +vendor_reset:week'])
  })
})

describe('a clock that is set back', () => {
  it('by two hours prolongs no half hour of something that flaps', () => {
    const target = aTarget()
    target.pass(300, [a])
    target.pass(300, [])
    target.jump(-7200)
    target.pass(2000, [])
    target.pass(300, [a])

    // Back at -6600 s, and open again 2000 s later.
    expect(target.told()).toEqual(['90 +a', '390 -a', '-4510 +a'])
  })

  it('allows the next message within an hour', () => {
    const target = aTarget()
    const open = Array.from({ length: 30 }, (_, index) => aNotice(`n${index}`))
    for (let count = 1; count <= 20; count += 1) target.pass(60, open.slice(0, count), [], 60)
    target.jump(-7200)
    target.pass(3700, open, [], 60)

    expect(target.messages).toHaveLength(21)
  })
})

/** What a random pool has open, in steps of 20 s, and jumps of the clock. */
const aCourse = fc.array(
  fc.record({
    jump: fc.constantFrom(0, 0, 0, 0, -7200, -100, 5000),
    steps: fc.integer({ min: 1, max: 12 }),
    open: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
  }),
  { minLength: 1, maxLength: 120 },
)
type Course = readonly { readonly steps: number; readonly open: readonly string[] }[]

const rules = fc.record<Partial<Rule>>({
  on: fc.constantFrom<readonly NotifyTopic[]>(everything, ['action']),
  quiet: fc.constantFrom(null, { from: 900, to: 1000 }),
  quietBad: fc.boolean(),
})

/** Openings that held for a minute, after a minute without. */
function crossingsOf(course: Course, id: string): number {
  const states = course.flatMap(({ steps, open }) => Array<boolean>(steps).fill(open.includes(id)))
  let [count, isOpen, held] = [0, false, 0]
  for (const [index, is] of states.entries()) {
    held = is === states[index - 1] ? held + 20 : 20
    if (is !== isOpen && held >= 60) {
      isOpen = is
      count += is ? 1 : 0
    }
  }
  return count
}

describe('whatever comes and goes', () => {
  it('every crossing is told once, within the limits, over a restart at every step', () => {
    fc.assert(
      fc.property(aCourse, rules, (course, changes) => {
        const target = aTarget(changes)
        for (const { steps, open } of course)
          target.pass(
            steps * 20,
            open.map((id) => aNotice(id)),
          )
        target.pass(90_000, [], [], 600)

        for (const id of ['a', 'b', 'c', 'd', 'e']) {
          const told = target.about(id)
          expect(told.reduce((sum, { times }) => sum + times, 0)).toBe(crossingsOf(course, id))
          if (changes.on?.includes('recovered')) expect(told.at(-1)?.endsAt).not.toBe(null)
          for (const [index, { at }] of told.entries())
            expect(at - (told[index - 2]?.at ?? 0)).toBeGreaterThanOrEqual(30 * 60_000)
        }
        for (const [index, { at }] of target.messages.entries())
          expect(at - (target.messages[index - 20]?.at ?? 0)).toBeGreaterThanOrEqual(3_600_000)
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 40 : 10 },
    )
  })
})
