import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rankAccounts } from './rank-accounts.ts'

const ranked = (
  authName: string,
  changes: Partial<{
    routable: boolean
    score: number
    resets: number
    weight: number
    key: string
  }> = {},
) => ({
  selector: { authName, authIndex: '', accountKey: changes.key ?? 'key' },
  routable: changes.routable ?? true,
  score: changes.score ?? (changes.routable === false ? 0 : 50),
  reclaim:
    changes.resets === undefined
      ? null
      : { id: '5h' as const, percent: 80, resetsInSeconds: changes.resets },
  capacityWeight: changes.weight ?? 1,
})
type Ranked = ReturnType<typeof ranked>

it.each<readonly [why: string, better: Ranked, worse: Ranked]>([
  [
    'routable before blocked',
    ranked('b', { score: 0 }),
    ranked('a', { routable: false, weight: 20 }),
  ],
  [
    'the higher score',
    ranked('b', { score: 51 }),
    ranked('a', { score: 50, resets: 60, weight: 20 }),
  ],
  [
    'at equal scores the sooner reclaim reset',
    ranked('b', { resets: 60 }),
    ranked('a', { resets: 61, weight: 20 }),
  ],
  ['any reclaim reset before none', ranked('b', { resets: 3600 }), ranked('a', { weight: 20 })],
  ['then the greater weight', ranked('b', { weight: 5 }), ranked('a', { weight: 1 })],
  ['then the file name', ranked('a', { key: 'z' }), ranked('b', { key: 'a' })],
  ['then the account key', ranked('a', { key: 'a' }), ranked('a', { key: 'b' })],
  [
    'blocked ones by weight too',
    ranked('b', { routable: false, weight: 5 }),
    ranked('a', { routable: false, weight: 1 }),
  ],
  ['and by file name', ranked('a', { routable: false }), ranked('b', { routable: false })],
  ['by code points, not by a locale', ranked('B'), ranked('a')],
])('%s', (_, better, worse) => {
  expect(rankAccounts([worse, better])).toEqual([better, worse])
  expect(rankAccounts([better, worse])).toEqual([better, worse])
})

it('is one and the same order, however the accounts are listed', () => {
  const anyAccount = fc
    .record({
      routable: fc.boolean(),
      score: fc.nat(3),
      resets: fc.option(fc.nat(2), { nil: 0 }),
      weight: fc.constantFrom(0, 1, 5, 20),
      key: fc.constantFrom('k', 'l'),
    })
    .map((changes) => changes)
  const anyPool = fc
    .array(anyAccount, { maxLength: 12 })
    .map((rows) => rows.map((row, index) => ranked(`file-${index}`, row)))
  fc.assert(
    fc.property(
      anyPool.chain((pool) =>
        fc.tuple(fc.constant(pool), fc.shuffledSubarray(pool, { minLength: pool.length })),
      ),
      ([pool, shuffled]) => {
        const order = rankAccounts(pool)

        expect(rankAccounts(shuffled)).toEqual(order)
        expect(rankAccounts(order)).toEqual(order)
        const firstBlocked = order.findIndex((account) => !account.routable)
        expect(
          order
            .slice(firstBlocked === -1 ? order.length : firstBlocked)
            .some((account) => account.routable),
        ).toBe(false)
      },
    ),
  )
})

it('leaves the list it was given alone', () => {
  const pool = [ranked('b'), ranked('a')]
  rankAccounts(pool)
  expect(pool.map(({ selector }) => selector.authName)).toEqual(['b', 'a'])
})
