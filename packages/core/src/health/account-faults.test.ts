import { describe, expect, it } from 'vitest'
import { readStatusMessage } from '../facts/status-message.ts'
import { anAccount, aSnapshot, fromNow, NOW } from '../testing/builders.ts'
import { accountActions, type ToneAction } from './health-actions.ts'

const MINUTE = 60

/** Accounts by name: minutes since the login was lost, null for one that works. `undated`: nobody saw it work before. */
function poolOf(
  lostMinutes: readonly (number | null)[],
  { undated = false, text = 'unauthorized' } = {},
) {
  return aSnapshot(
    lostMinutes.map((minutes, index) => {
      if (minutes === null) return [anAccount(`${index}`), null]
      const messageAt = fromNow(-minutes * MINUTE)
      const lastSuccessAt = undated ? null : fromNow(-(minutes + 5) * MINUTE)
      const message = readStatusMessage(text, messageAt)
      return [anAccount(`${index}`, { message, messageAt, lastSuccessAt }), null]
    }),
  )
}

const working = (count: number) => Array<null>(count).fill(null)
const formsOf = (actions: readonly ToneAction[]) =>
  actions.flatMap(({ action }) =>
    action.code === 'login_wave' || action.code === 'auth_invalid'
      ? [`${action.code} ${action.accounts.map(({ title }) => title.split('@')[0]).join(' ')}`]
      : [],
  )

describe('a wave of lost logins', () => {
  it.each([
    ['five within an hour', [60, 45, 30, 15, 0], 40, '0 1 2 3 4'],
    ['four of a large pool', [60, 45, 30, 15], 40, null],
    ['five over more than an hour', [61, 45, 30, 15, 0], 40, null],
    ['a fifth of a smaller one', [60, 0], 8, '0 1'],
    ['less than a fifth', [60, 0], 9, null],
    ['all of a pool of two', [9, 0], 0, '0 1'],
    ['one of a pool of two', [9], 1, null],
    ['five days ago', [7_203, 7_202, 7_201, 7_200, 7_199], 40, '0 1 2 3 4'],
    ['five, and one some hours before', [300, 40, 30, 20, 10, 0], 40, '1 2 3 4 5'],
  ])('is $0: $3', (_, lost, others, wave) => {
    const forms = formsOf(accountActions(poolOf([...lost, ...working(others)])))

    expect(forms.filter((form) => form.startsWith('login_wave'))).toEqual(
      wave === null ? [] : [`login_wave ${wave}`],
    )
    // Each login is in one action.
    expect(forms.flatMap((form) => form.split(' ').slice(1))).toHaveLength(lost.length)
  })

  it('is not made of logins of which nobody knows when they were lost', () => {
    const actions = accountActions(poolOf([9, 8, 7, 6, 5, ...working(20)], { undated: true }))

    expect(formsOf(actions)).toHaveLength(5)
    expect(formsOf(actions).join()).not.toContain('login_wave')
  })

  it('says when and by which evidence each login was lost, and since when it is one', () => {
    const [wave] = accountActions(poolOf([30, 20, ...working(8)], { text: 'payment_required' }))

    expect(wave).toMatchObject({
      tone: 'bad',
      since: fromNow(-30 * MINUTE),
      action: {
        code: 'login_wave',
        accounts: [
          { accountKey: 'key-0', cause: 'deactivated', lostAt: fromNow(-30 * MINUTE) },
          { accountKey: 'key-1', cause: 'deactivated', lostAt: fromNow(-20 * MINUTE) },
        ],
      },
    })
  })

  it('loses the accounts that are mended, and ends when fewer than two are left', () => {
    const lost = [50, 40, 30, 20, 10]
    let previous = accountActions(poolOf([...lost, ...working(20)]))
    const forms = lost.map((_, mended) => {
      const left = lost.map((minutes, index) => (index <= mended ? null : minutes))
      previous = accountActions(poolOf([...left, ...working(20)]), previous)
      return formsOf(previous)
    })

    expect(forms).toEqual([
      ['login_wave 1 2 3 4'],
      ['login_wave 2 3 4'],
      ['login_wave 3 4'],
      ['auth_invalid 4'],
      [],
    ])
  })

  it('counts the files of one account once, and takes all of them along', () => {
    const lost = { message: readStatusMessage('unauthorized', NOW), messageAt: NOW }
    const { selector } = anAccount('0')
    const file = (name: string, changes = {}) =>
      [anAccount(name, { ...lost, lastSuccessAt: fromNow(-60), ...changes }), null] as const
    const twin = { selector: { ...selector, authName: 'twin.json' } }
    const pool = (...others: readonly ReturnType<typeof file>[]) =>
      formsOf(accountActions(aSnapshot([file('0'), file('twin', twin), ...others])))

    expect(pool().join()).not.toContain('login_wave')
    expect(pool(file('1'))).toHaveLength(1)
  })
})
