import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { chosenUpstream } from '../state/display-state.ts'
import { status } from '../state/live-data.ts'
import { openAccount } from '../state/pool.ts'
import { goTo, route } from '../state/route.ts'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, change, click, draw, showPool, wordsOf } from '../testing/page.ts'
import { LeftAccount } from './left-account.tsx'

describe('an account of the address', () => {
  it('that is not in the pool gets a note, until somebody dismisses it', () => {
    showPool([anEntry('ana')])
    goTo('#accounts/gone?f=blocked')
    const place = draw(h(LeftAccount, {}))
    expect(wordsOf(place)).toBe('This account has left the pool. Dismiss')

    click(place.querySelector('button'))
    expect([wordsOf(place), location.hash]).toEqual(['', '#accounts?f=blocked'])
  })

  it('is found by the key of the account too, as the API and `why` have it', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    goTo('#accounts/key-bob')

    expect(openAccount.value?.title).toBe('bob@example.com')
    expect(wordsOf(draw(h(LeftAccount, {})))).toBe('')
  })

  it('that leaves the pool while it is open gets the note too', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    goTo('#accounts/index-bob')
    const place = draw(h(LeftAccount, {}))
    expect(wordsOf(place)).toBe('')

    showPool([anEntry('ana')])
    expect(wordsOf(place)).toContain('This account has left the pool.')
  })

  it('that is at another proxy than the one shown is no account that has left', () => {
    showFleet({ tokyo: [anEntry('ana')], berlin: [anEntry('bob')] }, 'tokyo')
    goTo('#accounts/berlin~index-bob')
    const place = draw(h(LeftAccount, {}))
    expect(wordsOf(place)).toBe('This account is not at tokyo. Show all proxies')

    click(place.querySelector('button'))
    expect(chosenUpstream.value).toBe('')
    clearFleet()
  })

  it.each([
    { what: 'there is no answer yet', forget: () => (status.value = null) },
    {
      what: 'no account was read yet',
      forget: () => {
        if (status.value !== null) status.value = { ...status.value, available: false }
      },
    },
    { what: 'the address names none', forget: () => goTo('#accounts') },
  ])('is not said to be gone while $what', ({ forget }) => {
    showPool([anEntry('ana')])
    goTo('#accounts/gone')
    const place = draw(h(LeftAccount, {}))
    change(() => void forget())

    expect(wordsOf(place)).toBe('')
    expect(route.value.view).toBe('accounts')
  })
})
