import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { fromNow, NOW, timesAsLong } from '@svc/core/testing'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chineseTimes } from './chinese-times.ts'
import {
  bytesText,
  capacityTexts,
  compactText,
  countedText,
  countText,
  createZone,
  partsText,
  percentText,
  roundedUnits,
  roundInstants,
  unitsText,
  usdText,
  wholeUnitsText,
} from './format.ts'

const HOUR = 3600
const DAY = 86_400

describe('percentText', () => {
  it.each([
    [0, '0%', 'nothing is not little'],
    [0.1, '<1%', 'least one-decimal value'],
    [0.9, '<1%', 'would round to 1'],
    [1, '1%', 'first whole percent'],
    [1.5, '2%', 'rounds half up'],
    [74.4, '74%', 'whole numbers only'],
    [100, '100%', 'full'],
  ])('writes %f as %s (%s)', (percent, expected) => {
    expect(percentText(percent)).toBe(expected)
  })
})

it.each([
  [0, '0.0', '0'],
  [0.04, '<0.1', '<0.1'],
  [0.05, '0.1', '0.1'],
  [16.14, '16.1', '16.1'],
  [41, '41.0', '41'],
  [41.5, '41.5', '41.5'],
  [999.9, '999.9', '999.9'],
  [2211, '2,211.0', '2,211'],
  [1234567.8, '1,234,567.8', '1,234,567.8'],
])('%f Plus units read %s, and %s where they are whole by nature', (units, text, whole) => {
  expect(unitsText(units)).toBe(text)
  expect(wholeUnitsText(units)).toBe(whole)
})

it('Plus units read as the number that the API rounds them to, whatever digits a sum leaves behind', () => {
  const hundredths = fc.integer({ min: 1, max: 60_000 }).map((count) => count / 100)
  fc.assert(
    fc.property(hundredths, fc.constantFrom(-1e-12, 1e-12), (units, rest) => {
      expect(unitsText(units + rest)).toBe(unitsText(roundedUnits(units + rest)))
    }),
  )
})

it.each([
  [0, '0', '0 accounts'],
  [1, '1', '1 account'],
  [999, '999', '999 accounts'],
  [1204, '1,204', '1,204 accounts'],
  [1234567, '1,234,567', '1,234,567 accounts'],
])('%i is written %s and counted %s', (count, text, counted) => {
  expect(countText(count)).toBe(text)
  expect(countedText(count, 'account')).toBe(counted)
})

describe('createZone', () => {
  it.each([
    [60, '20:01', '20:01', '11月20日 20:01'],
    [2 * DAY, '周日 20:00', '周日 20:00', '11月22日 20:00'],
    [300 * DAY, '2027年9月16日 20:00', '2027年9月16日 20:00', '9月16日 20:00'],
  ])('says $0 s from now in Chinese: $1', (seconds, moment, when, date) => {
    const text = createZone('Asia/Shanghai', chineseTimes)
    const at = fromNow(seconds)
    expect(text.momentText(at, NOW)).toBe(moment)
    expect(text.whenText(at, NOW)).toBe(when)
    expect(text.dateText(at)).toBe(date)
    expect(text.durationText(seconds)).toBe(chineseTimes.durationText(seconds))
  })

  it.each([
    ['UTC', 'UTC (UTC+00:00)'],
    ['Asia/Shanghai', 'Asia/Shanghai (UTC+08:00)'],
    ['Asia/Kathmandu', 'Asia/Kathmandu (UTC+05:45)'],
    ['America/St_Johns', 'America/St_Johns (UTC-03:30)'],
  ])('labels %s as %s', (zone, label) => {
    expect(createZone(zone).zoneLabel(NOW)).toBe(label)
  })

  it('refuses a zone nobody knows', () => {
    expect(() => createZone('Mars/Olympus')).toThrow(RangeError)
  })

  it.each([
    [0, '20:00', 'at 20:00', 'now'],
    [12 * HOUR - 1, '07:59', 'at 07:59', 'last second a clock alone does'],
    [12 * HOUR, 'Sat 08:00', 'on Sat 08:00', 'half a day away'],
    [-12 * HOUR, 'Fri 08:00', 'on Fri 08:00', 'half a day ago'],
    [7 * DAY - 1, 'Fri 19:59', 'on Fri 19:59', 'last second a weekday does'],
    [7 * DAY, '27 Nov 20:00', 'on 27 Nov 20:00', 'a week away'],
    [300 * DAY - 1, '16 Sep 19:59', 'on 16 Sep 19:59', 'last second without a year'],
    [300 * DAY, '16 Sep 2027 20:00', 'on 16 Sep 2027 20:00', 'most of a year away'],
  ])('reads an instant $0 s away as $1, in a sentence $2 ($3)', (seconds, moment, when) => {
    const text = createZone('Asia/Shanghai')
    expect(text.momentText(fromNow(seconds), NOW)).toBe(moment)
    expect(text.whenText(fromNow(seconds), NOW)).toBe(when)
  })

  it('agrees with the platform in every zone and at any time of these decades', () => {
    const zones = [
      'UTC',
      'Asia/Kathmandu',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
      'Africa/Casablanca',
    ]
    const cases = zones.map((zone) => ({ text: createZone(zone), platform: platformClock(zone) }))
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.integer({ min: 0, max: 2e12 }),
        ({ text, platform }, at) => {
          expect(text.clockText(epochMs(at))).toBe(platform(epochMs(at)))
        },
      ),
    )
  })

  it('writes a time in less time than the platform does', () => {
    const text = createZone('Europe/Berlin')
    const platform = platformClock('Europe/Berlin')
    const often = (write: (at: EpochMs) => unknown) => () => {
      for (let index = 0; index < 1_000; index++) write(fromNow(index * 150))
    }

    const ratio = timesAsLong({
      subject: often((at) => text.momentText(at, NOW)),
      neighbour: often(platform),
      cpuUsage: process.cpuUsage,
    })
    expect(ratio).toBeLessThan(2)
  })

  it('stays right when it has seen more quarters of an hour than it keeps', () => {
    const text = createZone('Asia/Shanghai')
    for (let index = 0; index < 5000; index++) text.clockText(plusMs(NOW, index * 900_000))
    expect(text.clockText(NOW)).toBe('20:00')
  })

  it('works before 1970', () => {
    const at = epochMs(Date.parse('1969-12-31T12:30:00Z'))
    expect(createZone('UTC').momentText(at, epochMs(Date.parse('1970-01-02T00:00:00Z')))).toBe(
      'Wed 12:30',
    )
  })
})

function platformClock(timeZone: string): (at: EpochMs) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => format.format(at)
}

it.each([
  [0, 'at 20:00:00', 'now'],
  [-7, 'at 19:59:53', 'a moment ago'],
  [-0.5, 'at 19:59:59', 'the second that has begun'],
  [-12 * HOUR + 1, 'at 08:00:01', 'nearly half a day ago'],
  [-12 * HOUR, 'on Fri 08:00', 'half a day ago'],
])('what was %f s from now was %s (%s)', (seconds, expected) => {
  expect(createZone('Asia/Shanghai').justNowText(fromNow(seconds), NOW)).toBe(expected)
})

it('the second stays right in zones off by a quarter of an hour and before 1970', () => {
  const text = createZone('Asia/Kathmandu')
  expect(text.justNowText(fromNow(-7), NOW)).toBe('at 17:44:53')
  const early = epochMs(-1)
  expect(text.justNowText(early, early)).toMatch(/:59$/)
})

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [1_049, '1.0k'],
  [1_050, '1.1k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
  [12_450_000, '12.5M'],
  [25_998_046, '26.0M'],
  [2_000_000_000, '2.0B'],
  [9e15, '9000.0T'],
])('%i is %s', (count, short) => {
  expect(compactText(count)).toBe(short)
})

it.each([
  [0, '$0.00'],
  [0.000_049_9, '<$0.0001'],
  [0.000_05, '$0.0001'],
  [0.0042, '$0.0042'],
  [0.42, '$0.42'],
  [0.999_96, '$1.00'],
  [12.345, '$12.35'],
  [1_234_567.8, '$1,234,567.80'],
])('%d dollars are %s', (usd, short) => {
  expect(usdText(usd)).toBe(short)
})

it.each([
  [999, '999B'],
  [1_500_000, '1.5MB'],
  [3_000_000_000, '3.0GB'],
  [2e12, '2.0TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]
/** Instants around the clock changes of most of these zones. */
const INSTANTS = [
  '2026-03-29T00:59:59Z',
  '2026-03-29T01:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-11-01T04:31:00Z',
  '2026-12-31T23:59:59Z',
]

describe('times of a zone', () => {
  it.each(ZONES)('in %s are those of the zone data', (timeZone) => {
    const zone = createZone(timeZone)
    const said = (options: Intl.DateTimeFormatOptions, ms: number) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options }).format(ms)
    for (const ms of INSTANTS.map((instant) => Date.parse(instant))) {
      const clock = said({ hour: '2-digit', minute: '2-digit' }, ms)
      const day = said({ weekday: 'short' }, ms)

      expect(zone.clockText(ms)).toBe(clock)
      expect(new Date(ms + zone.offsetMs(ms)).toISOString().slice(11, 16)).toBe(clock)
      expect(zone.momentText(ms, ms - 20 * 3_600_000)).toBe(`${day} ${clock}`)
      expect(zone.momentText(ms, ms + 200 * 3_600_000)).toBe(
        `${said({ day: 'numeric', month: 'short' }, ms).replace('Sept', 'Sep')} ${clock}`,
      )
      expect(zone.dayAndDateText(ms)).toBe(`${day} ${said({ day: 'numeric' }, ms)}`)
    }
  })
})

it('round instants are round on the clock of the zone', () => {
  const zone = createZone('Asia/Kathmandu')
  const found = roundInstants(zone, 6 * 3_600_000, NOW, NOW + 86_400_000)

  expect(found.map((at) => zone.clockText(at))).toEqual(['18:00', '00:00', '06:00', '12:00'])
})

it('imports nothing but its own modules, because the page loads it', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'))
  const imported = sources.flatMap((name) =>
    [
      ...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(
        /^(?:import|export) .*from '(.*)'$/gm,
      ),
    ].map(([, from = '']) => from),
  )
  expect(imported.filter((from) => !/^\.\/[a-z-]+\.ts$/.test(from))).toEqual([])
  expect(imported).toContain('./english-times.ts')
})

it.each([
  { parts: [16.14, 0.95], whole: 17.09, texts: ['16.1', '1.0'] },
  { parts: [16.05, 1.05], whole: 17.1, texts: ['16.1', '1.0'] },
  { parts: [0.1, 0.2], whole: 0.3, texts: ['0.1', '0.2'] },
  { parts: [3, 0], whole: 3, texts: ['3.0', '0.0'] },
  { parts: [3, 0.001], whole: 3.001, texts: ['3.0', '<0.1'] },
  { parts: [], whole: 0, texts: [] },
])('parts $parts of $whole are $texts', ({ parts, whole, texts }) => {
  expect(partsText(parts, whole)).toEqual(texts)
})

it('parts add up to the text of the whole', () => {
  const units = fc.array(fc.double({ min: 0.1, max: 600, noNaN: true }), { maxLength: 4 })
  fc.assert(
    fc.property(units, (parts) => {
      const whole = parts.reduce((all, part) => all + part, 0)
      const sum = partsText(parts, whole).reduce((all, text) => all + Number(text), 0)

      expect(unitsText(sum)).toBe(unitsText(whole))
    }),
  )
})

it.each([
  { units: { usable: 13.4, stale: 1.5, held: 2.6 }, texts: ['11.9', '1.5', '2.6'] },
  // Each alone is rounded up, together they are 2.1 and 4.1.
  { units: { usable: 2.1, stale: 1.05, held: 2.05 }, texts: ['1.1', '1.0', '2.1'] },
  { units: { usable: 2.06, stale: 0, held: 2.06 }, texts: ['2.1', '0.0', '2.0'] },
  { units: { usable: 3, stale: 0, held: 0.01 }, texts: ['3.0', '0.0', '<0.1'] },
  { units: { usable: 0, stale: 0, held: 0 }, texts: ['0.0', '0.0', '0.0'] },
])('the quota left $units is shown as $texts', ({ units, texts }) => {
  const { measured, stale, held } = capacityTexts(units)

  expect([measured, stale, held]).toEqual(texts)
})

it('what a window has left adds up as it is shown, and with the unknown to no more than is tracked', () => {
  const shownOf = (text: string) => (text === '<0.1' ? 0 : Number(text))
  const thousandths = fc.integer({ min: 0, max: 60_000 })
  fc.assert(
    fc.property(thousandths, thousandths, thousandths, (one, other, third) => {
      const [usable, stale, held] = [one / 1000, Math.min(one, other) / 1000, third / 1000]
      const known = (one + third) / 1000
      const texts = capacityTexts({ usable, stale, held })
      const left = shownOf(texts.measured) + shownOf(texts.stale)

      expect(left).toBeCloseTo(shownOf(unitsText(usable)))
      expect(left + shownOf(texts.held)).toBeCloseTo(shownOf(unitsText(known)))
      // Tracked and unknown units are whole.
      expect(left + shownOf(texts.held)).toBeLessThanOrEqual(Math.ceil(known))
    }),
  )
})
