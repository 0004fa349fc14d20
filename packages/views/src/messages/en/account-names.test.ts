import type { NamedAccount } from '@svc/core/health'
import { describe, expect, it } from 'vitest'
import { namesIn, whoIn } from './account-names.ts'

const group = (count: number) => ({
  accounts: Array.from(
    { length: count },
    (_, index) => ({ title: `acc-${index + 1}` }) as NamedAccount,
  ),
})

describe('the accounts an action is about', () => {
  it.each([
    { count: 0, who: '0 accounts', names: '' },
    { count: 1, who: 'acc-1', names: null },
    { count: 2, who: '2 accounts', names: 'acc-1, acc-2' },
    { count: 5, who: '5 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5' },
    { count: 6, who: '6 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5 and 1 more' },
    { count: 40, who: '40 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5 and 35 more' },
  ])('$count are called "$who", and named as $names', ({ count, who, names }) => {
    expect(whoIn(group(count))).toBe(who)
    expect(namesIn(group(count))).toBe(names)
  })
})
