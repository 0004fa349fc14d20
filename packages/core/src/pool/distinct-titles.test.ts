import fc from 'fast-check'
import { expect, it } from 'vitest'
import { distinctTitles } from './distinct-titles.ts'

const titled = (
  authName: string,
  title: string,
  plan = 'plus',
  authIndex = `${authName}-index`,
) => ({
  selector: { authName, authIndex, accountKey: 'key' },
  title,
  plan,
})

it.each([
  ['titles that differ stay as they are', [titled('1', 'ann'), titled('2', 'bob')], ['ann', 'bob']],
  [
    'equal titles get the plan',
    [titled('1', 'ann', 'plus'), titled('2', 'ann', 'prolite')],
    ['ann · Plus', 'ann · Prolite'],
  ],
  [
    'equal title and plan get the start of the index',
    [
      titled('1', 'ann', 'plus', '9cdfdac34a12ffa0'),
      titled('2', 'ann', 'plus', '304eae936bcd2c5e'),
    ],
    ['ann · Plus · 9cdf', 'ann · Plus · 304e'],
  ],
  [
    'only those that still share a title get more',
    [
      titled('1', 'ann', 'plus', 'aaaa1'),
      titled('2', 'ann', 'plus', 'bbbb1'),
      titled('3', 'ann', 'team', 'cccc1'),
    ],
    ['ann · Plus · aaaa', 'ann · Plus · bbbb', 'ann · Team'],
  ],
  [
    'where the index tells nothing the file name does',
    [titled('1', 'ann', 'plus', ''), titled('2', 'ann', 'plus', '')],
    ['ann · Plus · 1', 'ann · Plus · 2'],
  ],
  [
    'a label that looks like a completed title does not clash with one',
    [
      titled('1', 'ann', 'plus', 'aaaa'),
      titled('2', 'ann', 'team', 'bbbb'),
      titled('3', 'ann · Plus', 'pro', 'cccc'),
    ],
    ['ann · Plus · aaaa', 'ann · Team', 'ann · Plus · Pro · cccc'],
  ],
] as const)('%s', (_, accounts, expected) => {
  const titles = distinctTitles(accounts)

  expect(accounts.map(({ selector, title }) => titles.get(selector.authName) ?? title)).toEqual(
    expected,
  )
})

it('every account gets a title of its own, whatever the order', () => {
  const anyTitled = fc.record({
    title: fc.constantFrom('ann', 'bob', 'ann · Plus', 'ann · Team · aaaa', ''),
    plan: fc.constantFrom('plus', 'team', 'unknown'),
    authIndex: fc.constantFrom('', 'aaaa', 'aaaabbbb', 'cccc'),
  })
  fc.assert(
    fc.property(fc.array(anyTitled, { maxLength: 12 }), (rows) => {
      const accounts = rows.map((row, index) =>
        titled(`file-${index}.json`, row.title, row.plan, row.authIndex),
      )
      const titles = distinctTitles(accounts)

      expect(
        new Set(accounts.map(({ selector, title }) => titles.get(selector.authName) ?? title)).size,
      ).toBe(accounts.length)
      expect(distinctTitles([...accounts].reverse())).toEqual(titles)
    }),
  )
})
