import { anAccount, aQuotaSample, evidenceOf, fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { health, status } from '../state/live-data.ts'
import {
  anAction,
  change,
  changeHealth,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { HealthView } from './health.tsx'

const section = (title: string) => `section[aria-labelledby=${title}]`

/** Accounts of an action; the monitor lists the first five. */
const affectedOf = (...names: readonly string[]) => [
  {
    provider: 'codex',
    count: names.length,
    accounts: names.slice(0, 5).map((name) => ({
      accountKey: `key-${name}`,
      authIndex: `index-${name}`,
      title: `${name}@example.com`,
    })),
  },
]

describe('the health view', () => {
  it('waits for the first answer', () => {
    change(() => {
      status.value = null
      health.value = null
    })

    expect(wordsOf(draw(h(HealthView, {})))).toBe('Waiting for the first reading.')
  })

  it('says that there is nothing to do, where there is not', () => {
    showPool([[anAccount('ana'), evidenceOf([aQuotaSample()])]])
    const place = draw(h(HealthView, {}))

    expect(wordsOf(place.querySelector('#title-actions'))).toBe('Nothing to do.')
    expect(place.querySelectorAll('.action')).toHaveLength(0)
    expect(wordsOf(place.querySelector('.recent'))).toBe('Recent changes Nothing has changed yet.')
  })

  it('says of each action what is wrong, how bad it is and what to do', () => {
    showPool([[anAccount('ana'), evidenceOf([aQuotaSample({ fiveHour: 0 })])]], {
      observed: { management: { kind: 'no_key' } },
    })
    const place = draw(h(HealthView, {}))

    expect(wordsOf(place.querySelector('#title-actions'))).toMatch(/^\d actions?$/)
    const actions = wordsOfEach(place, '.action')
    expect(actions.length).toBeGreaterThan(0)
    for (const words of actions) expect(words).toMatch(/ Do: [A-Z].*\.$/)
    expect(place.querySelectorAll('.action .tone-bad, .action .tone-warn')).toHaveLength(
      actions.length,
    )
  })

  it('links the page of the proxy where a login must be renewed, unless names are hidden', () => {
    showPool([[anAccount('ana'), evidenceOf([aQuotaSample()])]])
    changeHealth((now) => {
      const actions = ['auth_invalid', 'quota_hit'].map((code) =>
        anAction({ code, id: code, accountKeys: ['key-ana'] }),
      )
      const sources = now.sources.map((source) => ({
        ...source,
        ...(source.id === 'accounts' ? { pageUrl: 'http://proxy.test/management.html' } : {}),
      }))
      return { sources, actions }
    })
    const place = draw(h(HealthView, {}))

    expect(wordsOfEach(place, '.action .do')).toEqual([
      'Do: Mend it. Open the page of the proxy',
      'Do: Mend it.',
    ])
    const link = place.querySelector('.proxy-page')
    expect(link?.getAttribute('href')).toBe('http://proxy.test/management.html')
    expect(link?.getAttribute('rel')).toBe('noopener noreferrer')
    expect(link?.getAttribute('referrerpolicy')).toBe('no-referrer')
    change(() => {
      privacy.value = true
    })

    expect(elementsOf(place, '.proxy-page')).toEqual([])
  })

  it('leads from an action to its account, and names each where there are several', () => {
    showPool(['ana', 'bob'].map((name) => [anAccount(name), evidenceOf([aQuotaSample()])] as const))
    const showAction = (accountKeys: readonly string[]) =>
      changeHealth(() => {
        const action = anAction({
          accountKeys: [...accountKeys],
          affected: affectedOf(...accountKeys.map((key) => key.slice(4))),
          detail: 'ana@example.com, bob@example.com',
        })
        return { actions: [action] }
      })

    showAction(['key-ana'])
    expect(draw(h(HealthView, {})).querySelector('.action h3 a')?.getAttribute('href')).toBe(
      '#accounts/index-ana',
    )

    showAction(['key-ana', 'key-bob'])
    const place = draw(h(HealthView, {}))
    expect(elementsOf(place, '.names a').map((link) => link.getAttribute('href'))).toEqual([
      '#accounts/index-ana',
      '#accounts/index-bob',
    ])
    expect(wordsOf(place.querySelector('.action')).match(/ana@example\.com/g)).toHaveLength(1)
  })

  it('names five accounts of an action, and leads to the table of all', () => {
    const names = ['ana', 'bob', 'cyd', 'dov', 'eva', 'fay']
    showPool(names.map((name) => [anAccount(name), evidenceOf([aQuotaSample()])] as const))
    changeHealth((now) => {
      const accountKeys = names.map((name) => `key-${name}`)
      const [source] = now.sources
      if (source === undefined) throw new Error('there is no source')
      return { actions: [{ ...source, kind: 'auth', accountKeys, affected: affectedOf(...names) }] }
    })
    const links = elementsOf(draw(h(HealthView, {})), '.names a')

    expect(links.map(wordsOf)).toEqual([
      ...names.slice(0, 5).map((name) => `${name}@example.com`),
      'All 6',
    ])
    expect(links.at(-1)?.getAttribute('href')).toBe('#accounts?f=needs')
  })

  it('lists every source, what it last answered, and what is switched off apart from what failed', () => {
    showPool([[anAccount('ana'), evidenceOf([aQuotaSample()])]], {
      observed: {
        sources: {
          gateway: {
            outcome: { kind: 'failed', code: 'unreachable', at: fromNow(0) },
            failuresInARow: 3,
            lastGood: null,
          },
        },
      },
    })
    const place = draw(h(HealthView, {}))
    const rows = elementsOf(place, `${section('title-sources')} tr`)
    const row = (title: string) => rows.find((each) => wordsOf(each).startsWith(title))

    expect(wordsOf(row('Gateway') ?? null)).toMatch(/^Gateway Unreachable No connection to .* Do: /)
    expect(row('Gateway')?.querySelectorAll('.tone-bad')).toHaveLength(1)
    expect(row('Benchmark')?.querySelectorAll('.tone-off')).toHaveLength(1)
    expect(wordsOf(row('Account') ?? null)).not.toContain('Do:')
  })

  it('says what is left out of a list in full size, under a sign of trouble', () => {
    const lists = (...places: readonly number[]) => {
      showPool([[anAccount('ana'), evidenceOf([aQuotaSample()])]], {
        observed: {
          sources: {
            accounts: {
              outcome: { kind: 'ok', at: fromNow(0) },
              failuresInARow: 0,
              lastGood: {
                value: {
                  accounts: [anAccount('ana')],
                  skipped: places.map((position) => ({ position, reason: 'repeated' })),
                  requestCounters: null,
                },
                at: fromNow(0),
              },
            },
          },
        },
      })
      const rows = elementsOf(draw(h(HealthView, {})), `${section('title-sources')} tr`)
      return rows.find((each) => wordsOf(each).startsWith('Account'))
    }

    expect(lists()?.querySelectorAll('.small')).toHaveLength(1)
    const row = lists(3)
    expect(wordsOf(row ?? null)).toContain(
      "1 entry of the proxy's list is left out: number 3 (name listed before).",
    )
    expect(row?.querySelectorAll('.small')).toHaveLength(0)
    expect(row?.querySelectorAll('.tone-warn')).toHaveLength(1)
  })

  it('hides addresses in what it says, in private', () => {
    showPool([[anAccount('ana'), evidenceOf([aQuotaSample({ fiveHour: 0 })])]])
    change(() => {
      privacy.value = true
    })

    expect(wordsOf(draw(h(HealthView, {})))).not.toContain('@')
  })
})
