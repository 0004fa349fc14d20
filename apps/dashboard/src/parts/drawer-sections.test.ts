import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { outcome } from '../state/refresh.ts'
import {
  accountCalled,
  anEntry,
  change,
  changeHealth,
  click,
  draw,
  elementsOf,
  showPool,
  showRefresh,
  wordsOf,
} from '../testing/page.ts'
import {
  AccountChanges,
  BankedResetList,
  RefreshThis,
  ScriptNames,
  SubscriptionEnd,
} from './drawer-sections.tsx'

const DAY = 86_400

afterEach(() => {
  vi.clearAllMocks()
})

function wordsFor(paidDays: number | null, fiveHour: { readonly ageSeconds?: number } = {}) {
  const subscribedUntil = paidDays === null ? null : fromNow(paidDays * DAY)
  showPool([anEntry('ana', fiveHour, { subscribedUntil, modifiedAt: fromNow(-3 * DAY) })])
  return wordsOf(draw(h(SubscriptionEnd, { account: accountCalled('ana') })))
}

it.each([
  { why: 'for weeks', days: 30, words: 'Ends on 20 Dec 20:00, in 30d 0h' },
  { why: 'for days', days: 6, words: 'Ends on Thu 20:00, in 6d' },
  { why: 'for hours', days: 0.25, words: 'Ends at 02:00, in 6h 00min' },
])('the end of what is paid for is said $why', ({ days, words }) => {
  expect(wordsFor(days)).toContain(words)
})

it('says how old the login is that names an end that is near or past', () => {
  expect(wordsFor(2)).toContain('So its login of 3d 0h ago says')
  expect(wordsFor(30)).toContain('So its login says')
})

it('has ended where nothing was read since, and goes on where something was', () => {
  expect(wordsFor(-1, { ageSeconds: 2 * DAY })).toContain('Ended on Thu 20:00, 1d 0h ago')
  expect(wordsFor(-1)).toContain('Ended on Thu 20:00 and goes on; its new end is unknown')
})

it('banked resets are counted, each with the time it lapses', () => {
  const wordsOfHolder = (count: number, days: readonly number[]) => {
    const expiresAt = days.map((after) => fromNow(after * DAY))
    showPool([
      anEntry('ana', {}, {}, { bankedResets: { count, sampledAt: fromNow(0), expiresAt } }),
    ])
    return wordsOf(draw(h(BankedResetList, { account: accountCalled('ana') })))
  }

  expect(wordsOfHolder(2, [6, 30])).toBe(
    '2 banked resets Lapses on Thu 20:00, in 6d 0h Lapses on 20 Dec 20:00, in 30d 0h',
  )
  expect(wordsOfHolder(1, [])).toBe('1 banked reset When it lapses is unknown.')
  expect(wordsOfHolder(0, [])).toBe('')
})

it('is not said of an account whose login does not say it', () => {
  expect(wordsFor(null)).toBe('')
})

const writeText = vi.fn(async (_text: string) => undefined)
Object.defineProperty(globalThis, 'navigator', {
  configurable: true,
  value: { clipboard: { writeText } },
})

/** Presses the button with this name and returns the copied text. */
function copied(name: string): string | undefined {
  showPool([anEntry('ana')])
  const place = draw(h(ScriptNames, accountCalled('ana')))
  click(elementsOf(place, 'button').find((button) => wordsOf(button) === `Copy ${name}`))
  return writeText.mock.lastCall?.[0]
}

describe('the names of an account for scripts', () => {
  it('stand there, addresses in them hidden in private', () => {
    showPool([anEntry('ana')])
    const words = () => wordsOf(draw(h(ScriptNames, accountCalled('ana'))).querySelector('dl'))
    expect(words()).toBe(
      'authName codex-ana@example.com-plus.json Copy authName ' +
        'authIndex index-ana Copy authIndex accountKey key-ana Copy accountKey',
    )
    privacy.value = true

    expect(words()).not.toContain('@')
  })

  it.each(['authName', 'authIndex', 'accountKey'] as const)('are copied: %s', (name) => {
    const text = copied(name)

    expect(text).toBe(accountCalled('ana').selector[name])
  })

  it('are copied as they are shown while names are hidden', () => {
    privacy.value = true

    expect(copied('authName')).not.toContain('ana')
  })
})

let place: HTMLElement
const drawn = (isDisabled = false) => draw(h(RefreshThis, { accountKey: 'c3ae', isDisabled }))
const button = () => place.querySelector('button')

describe('the refresh of one account', () => {
  beforeEach(() => {
    showPool([anEntry('ana')])
  })

  it.each([
    { isDisabled: false, words: 'Refresh this account' },
    { isDisabled: true, words: 'Probe this account' },
  ])('of one that is disabled: $isDisabled, is offered as "$words"', ({ isDisabled, words }) => {
    place = drawn(isDisabled)

    expect([wordsOf(button()), button()?.getAttribute('aria-disabled')]).toEqual([words, 'false'])
    expect(wordsOf(place).includes('stays disabled')).toBe(isDisabled)
  })

  it('waits for the one under way, and says how far that is', () => {
    place = drawn()
    showRefresh({
      status: 'running',
      scope: 'default',
      startedAt: new Date(fromNow(0)).toISOString(),
      queued: 5,
      done: 2,
    })

    expect([wordsOf(button()), button()?.getAttribute('aria-disabled')]).toEqual([
      'Refreshing 2 of 5',
      'true',
    ])
  })

  it.each([
    { accountKey: 'c3ae', isTold: true },
    { accountKey: 'other', isTold: false },
    { accountKey: null, isTold: false },
  ])('says what became of it, not of $accountKey: $isTold', ({ accountKey, isTold }) => {
    place = drawn()
    change(() => {
      outcome.value = { text: 'Refreshed 1 account', isGood: true, accountKey }
    })

    expect(wordsOf(place.querySelector('[role=status]'))).toBe(isTold ? 'Refreshed 1 account' : '')
  })
})

describe('what has changed of an account', () => {
  it.each([
    { what: 'nothing', keys: [], words: '', href: undefined },
    { what: 'another account', keys: ['key-bob'], words: '', href: undefined },
    { what: 'it', keys: ['key-ana'], words: '1 recent change', href: '#health?about=key-ana' },
    {
      what: 'it, twice',
      keys: ['key-ana', 'key-ana'],
      words: '2 recent changes',
      href: '#health?about=key-ana',
    },
  ])('is led to, where that is $what', ({ keys, words, href }) => {
    showPool([anEntry('ana')])
    changeHealth(() => {
      const recentChanges = keys.map((key, index) => ({
        kind: 'status' as const,
        id: String(index),
        accountKeys: [key],
        tone: 'warn' as const,
        title: key,
        badge: '',
        summary: '',
      }))
      return { recentChanges }
    })
    const link = draw(h(AccountChanges, { accountKey: 'key-ana' })).querySelector('.to-changes a')

    expect([wordsOf(link), link?.getAttribute('href')]).toEqual([words, href])
  })
})
