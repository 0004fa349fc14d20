import { anAccount, aQuotaSample, evidenceOf, fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { browserMs, connection, health } from '../state/live-data.ts'
import { cancelling, outcome } from '../state/refresh.ts'
import {
  anEntry,
  change,
  click,
  draw,
  type Entry,
  elementsOf,
  press,
  showPool,
  showRefresh,
  wordsOf,
} from '../testing/page.ts'
import { views } from '../views/view-table.ts'
import { Header } from './header.tsx'

const pool: readonly Entry[] = [[anAccount('ana'), evidenceOf([aQuotaSample()])]]
let place: HTMLElement
const tabs = () => elementsOf(place, '[role=tab]')
const selected = () => wordsOf(place.querySelector<HTMLElement>('[aria-selected=true]'))

beforeEach(() => {
  showPool(pool)
  place = draw(h(Header, {}))
})

describe('the pill', () => {
  it('says what Health says, and that nothing is known while the monitor is silent', () => {
    const pill = () => place.querySelector('.pill')
    expect(wordsOf(pill())).toBe('Good')
    change(() => {
      connection.value = {
        failingSinceMs: browserMs.value - 60_000,
        lastAnswerMs: browserMs.value - 60_000,
        nextTryMs: browserMs.value,
      }
    })

    expect(wordsOf(pill())).toBe('not updating')
    expect(pill()?.querySelectorAll('.tone-bad')).toHaveLength(1)
    showPool([anEntry('ana', { fiveHour: 0 })])
    expect(wordsOf(pill())).toBe(`not updating ${health.value?.pill}`)
    connection.value = { failingSinceMs: null, lastAnswerMs: browserMs.value, nextTryMs: 0 }
  })
})

describe('the pill of actions', () => {
  const showActions = (...keys: readonly (readonly string[])[]) => {
    showPool(['ana', 'bob', 'cyd'].map((name) => anEntry(name)))
    change(() => {
      const now = health.value
      const [source] = now?.sources ?? []
      if (now === null || source === undefined) throw new Error('there is no source')
      const actions = keys.map((accountKeys) => ({
        ...source,
        kind: 'auth' as const,
        accountKeys: [...accountKeys],
      }))
      health.value = { ...now, pill: `${keys.length} actions`, actions, actionCount: keys.length }
    })
    return wordsOf(place.querySelector('.pill'))
  }

  it.each([
    {
      keys: [
        ['key-ana', 'key-bob'],
        ['key-bob', 'key-cyd'],
      ],
      words: '2 actions , 3 accounts',
    },
    { keys: [['key-ana'], ['key-bob']], words: '2 actions' },
    { keys: [[], []], words: '2 actions' },
    { keys: [['key-ana'], []], words: '2 actions , 1 account' },
  ])('says how many accounts they are about, where that is another number: $words', (row) => {
    expect(showActions(...row.keys)).toBe(row.words)
  })
})

describe('the tabs', () => {
  it('are those of the table of views, each a link to its view', () => {
    expect(tabs().map((tab) => [wordsOf(tab), tab.getAttribute('href')])).toEqual(
      views.map(({ id, title }) => [title, `#${id}`]),
    )
  })

  it.each([
    { hash: '', title: 'Overview' },
    { hash: '#stats', title: 'Stats' },
    { hash: '#accounts/c0ffee', title: 'Accounts' },
    { hash: '#moved-away', title: 'Overview' },
  ])('show $title for the address "$hash"', ({ hash, title }) => {
    change(() => {
      location.hash = hash
    })

    expect(selected()).toBe(title)
    expect(
      tabs()
        .map((tab) => tab.getAttribute('tabIndex'))
        .sort(),
    ).toEqual(['-1', '-1', '-1', '-1', '-1', '0'])
  })

  it('are gone through with the arrows, round both ends', () => {
    const steps = ['ArrowLeft', 'ArrowRight', 'ArrowRight'].map((key) => {
      change(() => {
        place.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
      })
      press(key)
      return `${selected()} ${document.activeElement?.getAttribute('id')}`
    })

    expect(steps).toEqual(['Prices tab-prices', 'Overview tab-overview', 'Accounts tab-accounts'])
    expect(press('ArrowDown')).toBe(false)
  })
})

describe('the head of the page', () => {
  it('says how healthy everything is, and leads to the reasons', () => {
    const pill = place.querySelector('.pill')

    expect([wordsOf(pill), pill?.getAttribute('href')]).toEqual([health.value?.pill, '#health'])
    change(() => {
      health.value = null
    })
    expect(place.querySelectorAll('.pill')).toHaveLength(0)
  })

  it('hides addresses at a press, and offers to show them', () => {
    const button = () => place.querySelector('button.square')
    expect(button()?.getAttribute('aria-label')).toBe('Privacy: hide names')
    click(button())

    expect(privacy.value).toBe(true)
    expect([button()?.getAttribute('aria-label'), button()?.getAttribute('aria-pressed')]).toEqual([
      'Privacy: show names',
      'true',
    ])
  })
})

describe('a refresh', () => {
  const counts = { queued: 5, done: 2, failed: 0, error: '' }

  it.each([
    { what: 'of all accounts', scope: 'default', leftSeconds: null, words: 'Refreshing 2 of 5' },
    { what: 'that is nearly over', scope: 'default', leftSeconds: 59, words: 'Refreshing 2 of 5' },
    {
      what: 'that takes long',
      scope: 'default',
      leftSeconds: 32 * 60,
      words: 'Refreshing 2 of 5, 32min left',
    },
    {
      what: 'of disabled ones',
      scope: 'disabled-diagnostics',
      leftSeconds: null,
      words: 'Probing 2 of 5',
    },
  ] as const)('$what says how far it has come, and can be cancelled', (row) => {
    const { scope, leftSeconds, words } = row
    showRefresh({
      ...counts,
      status: 'running',
      scope,
      startedAt: new Date(fromNow(0)).toISOString(),
      ...(leftSeconds === null
        ? {}
        : { expectedEndAt: new Date(fromNow(leftSeconds)).toISOString() }),
    })
    const button = place.querySelector('#refresh')

    expect([wordsOf(button), button?.getAttribute('aria-disabled')]).toEqual([words, 'true'])
    expect(place.querySelector('[aria-label="Cancel the refresh"]')).not.toBeNull()
  })

  it('says at once that it is being cancelled, and can be cancelled once', () => {
    showRefresh({ ...counts, status: 'running' })
    change(() => {
      cancelling.value = true
    })
    const cancel = place.querySelector('[aria-label="Cancel the refresh"]')

    expect(wordsOf(place.querySelector('#refresh'))).toBe('Cancelling…')
    expect(wordsOf(place.querySelector('.outcome[role=status]'))).toBe('Cancelling…')
    expect(cancel?.getAttribute('aria-disabled')).toBe('true')
    cancelling.value = false
  })

  it.each([
    { end: 'completed', scope: 'default', title: 'Refresh all accounts: took 1min the last time' },
    { end: 'completed', scope: 'account', title: 'Refresh' },
    { end: 'partial', scope: 'default', title: 'Refresh' },
    { end: 'idle', scope: 'default', title: 'Refresh' },
  ] as const)('says how long the last of all accounts took: $end, $scope', (row) => {
    showRefresh({
      ...counts,
      status: row.end,
      scope: row.scope,
      startedAt: new Date(fromNow(-90)).toISOString(),
      completedAt: new Date(fromNow(-30)).toISOString(),
    })

    expect(place.querySelector('#refresh')?.getAttribute('title')).toBe(row.title)
    expect(wordsOf(place.querySelector('#refresh'))).toBe('Refresh')
  })

  it('can be asked for while none is under way', () => {
    const button = place.querySelector('#refresh')

    expect([wordsOf(button), button?.getAttribute('aria-disabled')]).toEqual(['Refresh', 'false'])
    expect(place.querySelector('[aria-label="Cancel the refresh"]')).toBeNull()
  })

  it.each([
    { isGood: true, tone: 'good' },
    { isGood: false, tone: 'bad' },
  ])('that has ended is announced to screen readers, as $tone', ({ isGood, tone }) => {
    const told = place
    expect(wordsOf(told.querySelector('.outcome'))).toBe('')
    change(() => {
      outcome.value = { text: 'Refreshed 3 accounts', isGood, accountKey: null }
    })

    expect(wordsOf(told.querySelector('.outcome[role=status]'))).toBe('Refreshed 3 accounts')
    expect(told.querySelectorAll(`.outcome .tone-${tone}`)).toHaveLength(1)
  })

  it.each([
    { hash: '#accounts', isShown: true },
    { hash: '#accounts/index-other', isShown: true },
    { hash: '#accounts/index-ana', isShown: false },
  ])('of one account is shown in the header at $hash: $isShown', ({ hash, isShown }) => {
    change(() => {
      location.hash = hash
      const { accountKey } = anAccount('ana').selector
      outcome.value = { text: 'Refreshed 1 account', isGood: true, accountKey }
    })

    expect(wordsOf(place.querySelector('.outcome')) !== '').toBe(isShown)
  })
})
