import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { health } from '../state/live-data.ts'
import { anEntry, change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { AccountChanges } from './account-changes.tsx'

afterEach(clearPage)

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
    change(() => {
      const now = health.value
      if (now === null) throw new Error('there is no health')
      const recentChanges = keys.map((key, index) => ({
        kind: 'status' as const,
        id: String(index),
        accountKeys: [key],
        tone: 'warn' as const,
        title: key,
        badge: '',
        summary: '',
      }))
      health.value = { ...now, recentChanges }
    })
    const link = draw(h(AccountChanges, { accountKey: 'key-ana' })).querySelector('.to-changes a')

    expect([wordsOf(link), link?.attribute('href')]).toEqual([words, href])
  })
})
