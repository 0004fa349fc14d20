import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import widthOf from 'fast-string-width'
import { describe, expect, it } from 'vitest'
import { colouring } from '../program/terminal.ts'
import { frameOf, plainTableOf, type TopPool, type TopView, topSorts } from './top-frame.ts'

/** The demo, from its answer of `/api/v1/status`. */
const demo = (): TopPool => ({
  status: JSON.parse(
    readFileSync(
      join(import.meta.dirname, '../../../../tests/program/golden/demo-status.json'),
      'utf8',
    ),
  ),
  now: NOW,
  trouble: null,
})
const aView = (changes: Partial<TopView> = {}): TopView => ({
  sort: 'score',
  filter: '',
  typing: false,
  offset: 0,
  ...changes,
})
const plain = colouring({ stdoutIsTerminal: false, env: {} })
const coloured = colouring({ stdoutIsTerminal: true, env: {} })
const golden = (name: string) => join(import.meta.dirname, '../golden', name)
const namesIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /^ *\d+ {2}(\S+)/.exec(stripVTControlCharacters(line))?.[1] ?? [])
const WIDE = { columns: 200, rows: 50 }

describe('a frame of top', () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
    { columns: 40, rows: 10 },
  ])('golden: the demo on $columns × $rows', async (size) => {
    const { lines } = frameOf(demo(), aView(), size, plain)

    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
      golden(`top-${size.columns}x${size.rows}.txt`),
    )
  })

  it('golden: the plain table of the demo', async () => {
    const text = plainTableOf(demo(), 'reset', Number.POSITIVE_INFINITY, plain)

    await expect(text).toMatchFileSnapshot(golden('top-once.txt'))
  })

  it('fills any screen and is never wider, whatever an account is called', () => {
    const title = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '配额监控账号名称',
        '👨‍👩‍👧‍👦 family',
        'a\u001b[31mred\r\n',
        '\u202eevil',
        'e\u0301'.repeat(40),
      ),
    )
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 250 }),
      rows: fc.integer({ min: 1, max: 60 }),
    })
    const view = fc.record({
      sort: fc.constantFrom(...topSorts),
      filter: fc.oneof(fc.constant(''), title),
      typing: fc.boolean(),
      offset: fc.integer({ min: -100, max: 100 }),
    })
    const trouble = fc.option(title)
    fc.assert(
      fc.property(
        fc.array(title, { maxLength: 6 }),
        size,
        view,
        trouble,
        (titles, screen, looked, why) => {
          const pool = demo()
          const { items } = pool.status.recommendations
          const renamed = items.map((item, index) => ({
            ...item,
            title: titles[index] ?? item.title,
          }))
          const recommendations = { ...pool.status.recommendations, items: renamed }
          const { lines } = frameOf(
            { ...pool, status: { ...pool.status, recommendations }, trouble: why },
            looked,
            screen,
            coloured,
          )

          expect(lines).toHaveLength(screen.rows)
          for (const line of lines) {
            const text = stripVTControlCharacters(line)
            expect(widthOf(text)).toBeLessThanOrEqual(screen.columns)
            expect(text).not.toMatch(/\p{Cc}|\p{Cf}/u)
          }
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 60 : 15 },
    )
  })

  it('ends at the last account however far it is scrolled, and begins at the first', () => {
    const size = { columns: 80, rows: 24 }
    const after = frameOf(demo(), aView({ offset: 1000 }), size, plain)

    expect(after).toMatchObject({ offset: 6, pageRows: 18 })
    expect(after.lines.at(-1)).toContain('7-24 of 24')
    expect(frameOf(demo(), aView({ offset: -5 }), size, plain).offset).toBe(0)
  })

  it.each([
    ['score', 'night-shift@example.com'],
    ['name', 'ada@example.com'],
    ['5h', 'night-shift@example.com'],
    ['week', 'marta.k@example.com'],
    ['reset', 'lab@example.org'],
  ] as const)('by %s begins with %s', (sort, first) => {
    expect(namesIn(frameOf(demo(), aView({ sort }), WIDE, plain).lines)[0]).toBe(first)
  })

  it.each([
    ['ADA@', ['ada@example.com']],
    [
      'prolite',
      [
        'build-farm@example.org',
        'ci-runner-eu-west-1-spot-pool-with-a-label-nobody-should-ever-have-written@example.org',
      ],
    ],
    ['auth inv', ['ops-shared@example.org']],
    ['86a11f19', ['marta.k@example.com', 'marta.k@example.com']],
    ['nobody there', []],
  ])('has what the filter %s finds in name, plan, state or file', (filter, names) => {
    expect(namesIn(frameOf(demo(), aView({ filter }), WIDE, plain).lines)).toEqual(names)
  })

  it('says that the service is gone, and shows what it said last', () => {
    const { lines } = frameOf({ ...demo(), trouble: 'nothing answers' }, aView(), WIDE, plain)

    expect(lines[0]).toBe('nothing answers; trying again')
    expect(namesIn(lines)).toHaveLength(24)
  })

  it('breaks the answer into lines, and cuts none of it', () => {
    const { status, ...pool } = demo()
    const text = 'Yes. 15.6 Plus usable now, ana@example.com first, lasts until Mon 14:00.'
    const answer = { code: 'go', tone: 'good', text, at: null } as const
    const summary = { ...status.summary, answer }
    const size = { columns: 40, rows: 24 }
    const { lines } = frameOf({ ...pool, status: { ...status, summary } }, aView(), size, plain)

    expect(lines.slice(0, 3).join(' ')).toBe(text)
  })

  it('has one line of windows that are one quantity, and names them beside another', () => {
    const { status, ...pool } = demo()
    const [codex, ...others] = status.recommendations.pools ?? []
    const linesOf = (...windows: readonly object[]) => {
      const pools = [{ ...codex, windows }, ...others] as typeof status.recommendations.pools
      const recommendations = { ...status.recommendations, pools }
      const shown = { ...pool, status: { ...status, recommendations } }
      return frameOf(shown, aView(), WIDE, plain).lines.slice(1, 3)
    }
    const aWindow = (id: string, sharedBy?: readonly string[]) => ({
      ...{ id, label: id.toUpperCase(), text: `of ${id}`, tone: 'good', sharedBy },
    })
    const [day, month] = ['day', 'month'].map((id) => aWindow(id, ['day', 'month']))

    expect(linesOf(day ?? {}, month ?? {})[0]).toBe('of day')
    expect(linesOf(aWindow('5h'), day ?? {}, month ?? {})).toEqual([
      '5H         of 5h',
      'DAY/MONTH  of day',
    ])
  })
})
