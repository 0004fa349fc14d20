import { anAccount, aQuotaSample, evidenceOf, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { health, status } from '../state/live-data.ts'
import {
  accountCalled,
  anAction,
  anEntry,
  change,
  changeHealth,
  draw,
  holdAnswers,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { AccountDrawer } from './account-drawer.tsx'

const drawer = (name: string, rank: number | null = null) =>
  draw(h(AccountDrawer, { account: accountCalled(name), rank }))

describe('the details of an account', () => {
  it('say how its score adds up', () => {
    showPool([anEntry('ana')])
    const place = drawer('ana', 1)
    const account = accountCalled('ana')
    const points = wordsOfEach(place, '.components tbody .of b').map(Number)

    expect(wordsOf(place.querySelector('.total'))).toBe(
      `${account.score} of 100 first of 1 routable`,
    )
    expect(points).toHaveLength(5)
    expect(points.reduce((sum, part) => sum + part, 0)).toBe(account.score)
    expect(wordsOf(place.querySelector('tfoot'))).toBe(
      `Sum ${account.score} / 100 ${points.join(' + ')}`,
    )
    expect(wordsOfEach(place, '.components tbody th')).toEqual([
      'Capacity',
      'Health',
      'Plan',
      'Load',
      'Expires',
    ])
  })

  it('say what each window has left, when it resets and where the reading comes from', () => {
    showPool([anEntry('ana')])

    expect(wordsOfEach(drawer('ana', 1), '.window-detail')).toEqual([
      '5h 80% left 0.8 of 1 Plus. Resets at 22:30, in 2h 30min',
      'Weekly 60% left 0.6 of 1 Plus. Resets on Sat 21:00, in 1d 1h',
    ])
    expect(wordsOf(drawer('ana', 1))).toMatch(/ Direct query, 0 s ago, due every \w+ Refresh/)
  })

  it('ask for the cost by the key of the account, not by that of its file', async () => {
    const asked = holdAnswers()
    showPool([anEntry('ana')])
    change(() => {
      const [account] = status.value?.tabs.pool.accounts ?? []
      if (account !== undefined) account.usage = { requests: 1, tokens: 1, failed: 0 }
    })
    drawer('ana', 1)

    await expect.poll(() => asked).toContain('/api/v1/accounts/key-ana')
  })

  it('say of every component without points why it has none', () => {
    showPool([anEntry('ana', {}, { claimedPlan: 'free' })])
    const rows = wordsOfEach(drawer('ana', 1), '.components tbody tr')

    expect(rows.slice(2)).toEqual([
      'Plan 0 / 5 Its plan is not tracked',
      'Load 0 / 25 Its window runs already',
      'Expires 0 / 10 Nothing of it expires within the hour',
    ])
  })

  it('say that a window has not been read, where that is why', () => {
    showPool([[anAccount('ana'), null]])

    expect(wordsOfEach(drawer('ana', 1), '.components tbody tr')[3]).toBe(
      'Load 0 / 25 Its window has not been read',
    )
  })

  it('hide addresses everywhere in private', () => {
    showPool([anEntry('ana')])
    const place = drawer('ana', 1)
    change(() => {
      privacy.value = true
    })

    expect(wordsOf(place)).not.toContain('@example')
  })

  it('list further limits of an account apart, which no Plus units count', () => {
    const scoped = {
      id: 'code_review:week',
      periodSeconds: 604_800,
      percent: 40,
      resetAt: null,
    }
    const read = aQuotaSample({ fiveHour: 80 })
    showPool([[anAccount('ana'), evidenceOf([{ ...read, windows: [...read.windows, scoped] }])]])
    const place = drawer('ana', 1)

    expect(wordsOfEach(place, 'h3')).toContain('Other limits')
    expect(wordsOfEach(place, '.window-detail')[2]).toBe('code review, weekly 40% left')
  })

  it('say why an account is blocked and until when, its code for scripts alone', () => {
    showPool([anEntry('ana', { fiveHour: 0 })])
    const place = drawer('ana')

    expect(wordsOf(place.querySelector('.total'))).toBe('No score while blocked')
    expect(wordsOfEach(place, '.reasons li')).toEqual(['5h quota used up until 22:30'])
    expect(wordsOf(place).split('For scripts')[0]).not.toContain('quota_exhausted')
    expect(wordsOf(place)).toMatch(/blockedReasons quota_exhausted_5h$/)
    expect(wordsOf(place.querySelector('.advice'))).not.toBe('')
    expect(place.querySelectorAll('.components')).toHaveLength(0)
  })

  it.each<{ readonly what: string; readonly changes: Parameters<typeof anEntry>[2] }>([
    { what: 'unavailable', changes: { unavailable: true } },
    { what: 'disabled and unavailable', changes: { unavailable: true, operatorDisabled: true } },
    {
      what: 'logged out',
      changes: { message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false } },
    },
    {
      what: 'deactivated',
      changes: { message: { kind: 'auth_fault', code: 'token_revoked', deactivated: true } },
    },
  ])('advise what Health advises, word for word, where it is $what', ({ changes }) => {
    showPool([anEntry('ana', {}, { ...changes, messageAt: NOW })])
    const [action] = health.value?.actions.filter(({ accountKeys }) => accountKeys?.length) ?? []

    expect(action?.note).toMatch(/\w/)
    expect(wordsOf(drawer('ana').querySelector('.advice'))).toContain(action?.note)
  })

  it('advise what Health advises of an account that can be used but fails', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    changeHealth(() => ({
      actions: [
        anAction({
          kind: 'upstream',
          code: 'failing_account',
          accountKeys: ['key-ana'],
          summary: 'ana@example.com: 37 % of its requests fail.',
          note: 'Look at the log of the proxy.',
        }),
      ],
    }))

    expect(wordsOf(drawer('ana', 1).querySelector('.advice'))).toBe(
      'ana@example.com: 37 % of its requests fail. Do: Look at the log of the proxy.',
    )
    expect(drawer('bob', 2).querySelectorAll('.advice')).toHaveLength(0)
  })

  it('say that a window waits for its first use, and not when it would end', () => {
    showPool([anEntry('ana', { fiveHour: 100, resetsInSeconds: 18_000 })])
    expect(wordsOfEach(drawer('ana', 1), '.window-detail')[0]).toBe(
      '5h 100% left 1.0 of 1 Plus. Starts with first use',
    )
  })

  it('show the diagnostic probe in place of windows where the operator switched it off', () => {
    showPool([[anAccount('ana', { operatorDisabled: true }), null]])
    const place = drawer('ana')

    expect(wordsOf(place.querySelector('.total'))).toBe('No score while disabled')
    expect(wordsOfEach(place, 'h3')).toEqual([
      'Why it is blocked',
      'Diagnostic probe',
      'For scripts',
    ])
    expect(wordsOf(place.querySelector('dl'))).toBe('Result Not probed yet.')
    expect(wordsOf(place)).toContain('Probe this account')
  })

  it('lead back to the table', () => {
    showPool([anEntry('ana')])

    const place = drawer('ana', 1)
    const close = place.querySelector('header a')
    expect([close?.getAttribute('aria-label'), close?.getAttribute('href')]).toEqual([
      'Close',
      '#accounts',
    ])
    expect(document.activeElement).toBe(place.querySelector('.drawer'))
  })
})
