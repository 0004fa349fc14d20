import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadViewsAhead } from '../parts/lazy-view.tsx'
import { pageTitle } from '../shell/browser-tab.ts'
import { LeftAccount } from '../shell/left-account.tsx'
import { PrintHead } from '../shell/page.tsx'
import { isByPlan, sortBy } from '../state/account-filters.ts'
import { accountsHref } from '../state/account-links.ts'
import { found } from '../state/account-search.ts'
import { sections } from '../state/account-sections.ts'
import { chosenProvider } from '../state/display-state.ts'
import { connection, health } from '../state/live-data.ts'
import { files } from '../state/pool.ts'
import { goTo } from '../state/route.ts'
import {
  anAction,
  change,
  changeHealth,
  click,
  draw,
  elementsOf,
  showAnswer,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import {
  accountOf,
  aMixedPool,
  clearProvider,
  reading,
  showProvider,
} from '../testing/providers.ts'
import { Accounts } from './accounts.tsx'
import { HealthView } from './health.tsx'
import { Overview } from './overview.tsx'
import { Resets } from './resets.tsx'

beforeAll(loadViewsAhead)
afterEach(() => {
  clearProvider()
})

const overview = () => draw(h(Overview, {}))
const table = () => draw(h(Accounts, { title: 'Accounts' }))
/** Heads of the columns of windows. */
const windowHeads = () =>
  elementsOf(table(), 'thead th')
    .map((head) => wordsOf(head.querySelector('button')))
    .filter((words) => words.endsWith(' left'))
const row = (name: string) =>
  elementsOf(table(), 'tbody tr').find((each) => wordsOf(each).includes(name))

describe('the overview of a mixed pool', () => {
  it('has the other providers in a line beside the numbers of the pool at home, each a way to it', () => {
    showProvider(aMixedPool())
    const place = overview()

    expect(wordsOfEach(place, '.hero h2')).toEqual(['5-hour quota', 'Weekly quota'])
    const words = wordsOfEach(place, '.brief li')
    expect(words.map((each) => each.split(' ')[0])).toEqual(['Claude', 'xAI', 'Kimi'])

    click(place.querySelectorAll('.brief button')[1])
    expect(chosenProvider.value).toBe('xai')
    showProvider(aMixedPool(), 'xai')
    click(overview().querySelectorAll('.brief button')[0])
    expect(chosenProvider.value).toBe('')
  })

  it('has a row for each provider in place of the numbers while all are shown, in its own unit, and names no best among them', () => {
    showProvider(aMixedPool(), 'all')
    const place = overview()

    expect(place.querySelector('.hero')).toBeNull()
    expect(wordsOfEach(place, '.pools .rows li:not(.times)')).toEqual([
      'Codex 1 of 2 routable Weekly 0.6 of 2 Plus usable',
      'Claude 2 of 2 routable 5h ≥ 0.4 of 2 Pro usable',
      'xAI 1 of 1 routable 0.7 of 1 account usable',
      'Kimi 2 of 2 routable Monthly 0.3 of 2 accounts usable',
    ])
    click(place.querySelectorAll('.rows button')[1])
    expect(chosenProvider.value).toBe('claude')
    expect(wordsOfEach(place, '.use .then li').map((words) => words.split('@')[0])).toEqual([
      'Codex ana',
      'Claude cyd',
      'xAI eve',
      'Kimi fay',
    ])
    expect(place.querySelector('.back')).toBeNull()
  })

  it('says that nothing is known where nothing usable is left of what was read', () => {
    const ofClaude = [
      accountOf('claude', 'cyd', [reading('5h', 0)]),
      accountOf('claude', 'joe', null),
    ]
    showProvider([...aMixedPool().slice(0, 2), ...ofClaude], 'all')
    expect(wordsOfEach(overview(), '.rows .amount')[1]).toBe('? of 2 Pro')

    showProvider([...aMixedPool().slice(0, 2), ...ofClaude], 'claude')
    const place = overview()
    expect(wordsOf(place.querySelector('.hero .big'))).toBe('? of 2 Pro usable')
    expect(place.querySelector('.hero .bar')?.getAttribute('aria-label')).toMatch(
      /^\? of 2 Pro usable/,
    )
  })

  it('counts in the unit and the windows of the provider shown', () => {
    showProvider(aMixedPool(), 'xai')
    const place = overview()

    expect(wordsOfEach(place, '.hero h2')).toEqual(['Monthly quota'])
    expect(wordsOf(place.querySelector('.hero .big'))).toBe('0.7 of 1 account usable 70%')
    expect(wordsOf(place.querySelector('.hero .facts'))).toMatch(/^Next \+0\.3 accounts /)

    showProvider(aMixedPool(), 'claude')
    expect(wordsOf(overview().querySelector('.hero .big'))).toMatch(/^at least|Pro usable/)
    expect(wordsOfEach(overview(), '.facts div:last-child')[0]).toBe(
      'Pace Unknown, needs 30 min of readings.',
    )
  })

  it('tells in the title whose numbers these are', () => {
    showProvider(aMixedPool(), 'claude')
    expect(pageTitle()).toContain(' · Claude · ')

    showProvider(aMixedPool(), 'all')
    expect(pageTitle()).toContain(' · All providers · ')
    expect(wordsOf(draw(h(PrintHead, {})))).toContain('Quota')
  })
})

describe('the actions of a mixed pool', () => {
  /** Actions about an account of Codex, one of Claude, and the proxy. */
  const showActions = () =>
    changeHealth(() => {
      const about = (title: string, provider?: string) =>
        anAction({
          id: title,
          title,
          ...(provider === undefined ? {} : { accountKeys: [title], affected: [of(provider)] }),
        })
      const of = (provider: string) => ({
        provider,
        count: 1,
        accounts: [{ accountKey: 'x', authIndex: 'index-x', title: 'x@example.com' }],
      })
      const actions = [about('One', 'codex'), about('Two', 'claude'), about('Three')]
      return { actions, actionCount: 3 }
    })

  it.each([
    { provider: '', own: ['One', 'Three'], rest: ['1 at other providers'] },
    { provider: 'claude', own: ['Two', 'Three'], rest: ['1 at other providers'] },
    { provider: 'kimi', own: ['Three'], rest: ['2 at other providers'] },
    { provider: 'all', own: ['One Codex', 'Two Claude', 'Three'], rest: [] },
  ])('are those of "$provider" first, then the number of the others', ({ provider, own, rest }) => {
    showProvider(aMixedPool(), provider)
    showActions()
    const place = overview()

    expect(wordsOfEach(place, '.need .less .rest, .need li:not(.more) > .rest')).toEqual(
      rest.length === 0 ? [] : expect.arrayContaining(rest),
    )
    expect(wordsOfEach(place, '.need li > div').map((words) => words.split(' It is')[0])).toEqual(
      own,
    )
  })

  it('name in Health whose each is, and lead to an account that is not shown', () => {
    showProvider(aMixedPool(), 'claude')
    showActions()
    goTo('#health?provider=claude')
    const place = draw(h(HealthView, {}))

    // As a screen reader hears it.
    expect(place.querySelector('.action h3')?.textContent).toBe('Two Claude')

    expect(wordsOfEach(place, '.action h3')).toEqual(['Two Claude', 'Three', 'One Codex'])
    expect(wordsOf(place.querySelector('.elsewhere'))).toBe('1 at other providers')
    expect(place.querySelectorAll('.action h3 a')[1]?.getAttribute('href')).toBe(
      '#accounts/index-x?provider=',
    )
  })

  it('name in Health the provider that has none, before those of the others', () => {
    showProvider(aMixedPool(), 'kimi')
    showActions()
    change(() => {
      if (health.value === null) return
      const actions = health.value.actions.filter(({ affected }) => affected !== undefined)
      health.value = { ...health.value, actions }
    })
    const head = draw(h(HealthView, {})).querySelector('.elsewhere')

    expect(wordsOf(head)).toBe('2 at other providers')
    expect(wordsOf(head?.previousElementSibling ?? null)).toBe('Kimi: Nothing to do.')
  })
})

describe('the accounts of a mixed pool', () => {
  it('stand by provider, each with its rank among its own; the head of them names it', () => {
    showProvider(aMixedPool(), 'all')

    expect(sections.value.map(({ id, head, rows }) => [id, head, rows.length])).toEqual([
      ['codex', 'provider', 2],
      ['claude', 'provider', 2],
      ['xai', 'provider', 1],
      ['kimi', 'provider', 2],
    ])
    expect(found.value.map(({ rank }) => rank)).toEqual([1, null, 1, 2, 1, 1, 2])
    expect(wordsOf(row('cyd')?.querySelector('.who') ?? null)).toBe('cyd@example.com')
    expect(wordsOfEach(table(), '.plan-head h3')).toEqual(['Codex', 'Claude', 'xAI', 'Kimi'])
  })

  it('stay by provider whatever they are sorted by, and by its plans', () => {
    showProvider(aMixedPool(), 'all')
    sortBy('score')
    expect(sections.value.map(({ id }) => id)).toEqual(['codex', 'claude', 'xai', 'kimi'])

    change(() => {
      isByPlan.value = true
    })
    expect(sections.value.map(({ id }) => id)).toEqual([
      'codex plus',
      'claude pro',
      'xai unknown',
      'kimi unknown',
    ])
  })

  it.each([
    { provider: '', heads: ['5h left', 'Week left'] },
    { provider: 'xai', heads: ['Month left'] },
    {
      provider: 'kimi',
      heads: ['5h left', 'Week left', 'Month left'],
    },
  ])('have the windows that the provider "$provider" has', ({ provider, heads }) => {
    showProvider(aMixedPool(), provider)

    expect(windowHeads()).toEqual(heads)
  })

  it('share a column for the week and the month where nobody has both', () => {
    const kimi = aMixedPool().slice(5, 6)
    showProvider([...kimi, accountOf('kimi', 'ivy', [reading('5h', 10), reading('month', 40)])])

    expect(windowHeads()).toEqual(['5h left', 'Week/month left'])
    expect(wordsOf(row('ivy')?.querySelector('td.week') ?? null)).toMatch(/^M 40%/)
    expect(wordsOf(row('fay')?.querySelector('td.week .window-left') ?? null)).toBe('30%')
  })

  it('tell a quota that is not reported from one that was not read, and from none left', () => {
    showProvider([...aMixedPool(), accountOf('claude', 'joe', null)], 'claude')

    expect(wordsOf(row('dan')?.querySelector('td.five') ?? null)).toBe('5h not reported')
    expect(row('dan')?.querySelector('td.five .bar')).toBeNull()
    expect(wordsOf(row('joe')?.querySelector('td.five') ?? null)).toBe('5h ? no reading yet')
  })

  it('show the tightest limit, by the name of the vendor, where all are of a scope', () => {
    showProvider([
      accountOf('antigravity', 'kim', [
        reading('gemini:week', 57, { label: 'Gemini Models' }),
        reading('3p:5h', 28, { label: 'Claude and GPT models' }),
      ]),
    ])

    expect(windowHeads()).toEqual(['Limit left'])
    expect(wordsOf(row('kim')?.querySelector('td.week') ?? null)).toMatch(
      /^Claude and GPT models 5h 28%/,
    )
  })

  it('name models that an account cannot serve, and explain a doubtful share', () => {
    showProvider(aMixedPool(), 'claude')
    expect(wordsOf(row('cyd')?.querySelector('td.state') ?? null)).toMatch(/not Opus$/)

    showProvider(aMixedPool(), 'xai')
    expect(row('eve')?.querySelector('.noted')?.getAttribute('title')).toMatch(
      /leaves out a use of zero/,
    )
  })

  it('tell in the details what the row has no room for', () => {
    showProvider(aMixedPool(), 'claude')
    goTo('#accounts/index-cyd?provider=claude')
    const details = wordsOf(table().querySelector('.drawer'))
    expect(details).toContain('Claude Pro')
    expect(details).toContain('Models it cannot serve now Opus until')
    expect(details).toContain('0.4 of 1 Pro.')
    expect(details).toContain('Opus weekly')

    goTo('#accounts/index-dan?provider=claude')
    expect(wordsOf(table().querySelector('.drawer'))).toContain(
      '5h not reported The vendor reports no such quota of this account.',
    )
  })
})

describe('what is of another provider', () => {
  it('is found among all from an action', () => {
    showProvider(aMixedPool())
    expect(accountsHref(['key-ana'])).toBe('#accounts/index-ana')
    expect(accountsHref(['key-cyd'])).toBe('#accounts?f=needs&provider=all')
    expect(accountsHref([])).toBeNull()
  })

  it('is not said to have left the pool', () => {
    showProvider(aMixedPool())
    goTo('#accounts/index-cyd')
    const place = draw(h(LeftAccount, {}))
    expect(wordsOf(place)).toBe('This account is not one of Codex. All providers')

    click(place.querySelector('button'))
    expect(chosenProvider.value).toBe('all')
    showProvider(aMixedPool(), 'all')
    expect(files.value).toHaveLength(7)
    expect(wordsOf(place)).toBe('')
  })
})

it('the resets of all are those of one provider at a time, and no sum goes across', () => {
  const soon = { resetAt: null }
  showProvider([...aMixedPool(), accountOf('kimi', 'lea', [reading('5h', 90, soon)])], 'all')
  const place = draw(h(Resets, { title: 'Resets' }))

  expect(wordsOf(place)).toContain('Resets are listed for one provider at a time:')
  expect(place.querySelector('.hero')).toBeNull()
  expect(place.querySelectorAll('.pools .rows li:not(.times)')).toHaveLength(4)
})

describe('one quantity in several windows', () => {
  const ofXai = [
    accountOf('xai', 'eve', [reading('month', 70)]),
    accountOf('xai', 'hal', [reading('week', 40)]),
  ]
  const ofKimi = [
    accountOf('kimi', 'fay', [reading('5h', 90), reading('week', 30)]),
    accountOf('kimi', 'ivy', [reading('5h', 80), reading('month', 40)]),
  ]
  const resets = () => draw(h(Resets, { title: 'Resets' }))

  it('has the resets of those of its windows that are listed, and nothing is said of a 5h quota', () => {
    showProvider([...aMixedPool().slice(0, 2), ...ofXai], 'xai')
    const place = resets()

    expect(wordsOfEach(place, 'h2')).toEqual(['Resets', 'Weekly resets'])
    expect(wordsOfEach(place, 'tbody th')).toEqual(['hal@example.com'])
  })

  it('says when the next reset is where none is listed, and that there is no quota where none is counted', () => {
    showProvider(aMixedPool(), 'xai')
    expect(wordsOfEach(resets(), '.empty')[0]).toMatch(/^\+0\.3 accounts /)

    const models = [reading('gemini:week', 57, { label: 'Gemini Models' })]
    showProvider([...aMixedPool(), accountOf('antigravity', 'kim', models)], 'antigravity')
    expect(wordsOfEach(resets(), '.empty')).toEqual(['No quota of the account as a whole'])
  })

  it('has no window in its name where the provider has no other, and else the names of all', () => {
    const mixed = [...aMixedPool().slice(0, 2), ...ofXai, ...ofKimi]
    showProvider(mixed, 'all')
    const names = wordsOfEach(overview(), '.rows .amount').slice(1)
    expect(names).toEqual([
      expect.stringMatching(/^1\.1 of 2/),
      expect.stringMatching(/^Weekly\/Monthly 0\.7 of 2/),
    ])

    showProvider(mixed, 'xai')
    expect(wordsOfEach(overview(), '.hero h2')).toEqual(['Quota'])
    showProvider(mixed, 'kimi')
    expect(wordsOfEach(overview(), '.hero h2')).toEqual([
      '5-hour quota',
      'Weekly quota / Monthly quota',
    ])
  })
})

it.each(['all', 'codex'])('the rows of providers leave a dead proxy to the answer: %s', (shown) => {
  showProvider(aMixedPool(), shown === 'all' ? 'all' : undefined)
  showAnswer({ code: 'proxy_down', tone: 'bad', text: 'It is dead.' })
  const place = overview()

  expect(new Set(wordsOfEach(place, '.pools .short'))).toEqual(new Set(['?']))
  expect(place.querySelector('.pools :is(.tone-good, .tone-warn, .tone-bad)')).toBeNull()
})

it('the rows of providers promise nothing while the monitor is silent', () => {
  showProvider(aMixedPool(), 'all')
  change(() => {
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 65_000, nextTryMs: NOW }
  })
  const place = overview()

  expect(new Set(wordsOfEach(place, '.rows .short'))).toEqual(new Set(['?']))
  expect(place.querySelector('.rows :is(.tone-good, .tone-warn, .tone-bad)')).toBeNull()
  change(() => {
    connection.value = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW }
  })
})
