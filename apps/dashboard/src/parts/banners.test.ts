import '../testing/browser.ts'
import { fromNow, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { askRegularly } from '../state/ask-regularly.ts'
import { browserMs, connection, health, status } from '../state/live-data.ts'
import { anEntry, change, clearPage, click, draw, showPool, wordsOf } from '../testing/page.ts'
import { Banners } from './banners.tsx'

const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }

afterEach(() => {
  clearPage()
  connection.value = answers
  browserMs.value = NOW
})

const banner = () => wordsOf(draw(h(Banners, {})))
const timeout = {
  outcome: { kind: 'failed', code: 'timeout', at: fromNow(0) },
  failuresInARow: 4,
} as const

describe('the banner', () => {
  it('is not there while everything answers', () => {
    showPool([anEntry('ana')])
    connection.value = answers

    expect(banner()).toBe('')
  })

  it('says that the monitor has never answered', () => {
    change(() => {
      status.value = null
      health.value = null
      connection.value = { failingSinceMs: NOW, lastAnswerMs: null, nextTryMs: NOW + 2_000 }
    })

    expect(banner()).toBe('Not updating. The monitor does not answer. Try now')
  })

  it.each([
    { silentMs: 7_999, words: '' },
    {
      silentMs: 8_000,
      words:
        'Not updating. The monitor has not answered for 8 s. These are its last numbers, from 20:00. Trying again in 4 s. Try now',
    },
    {
      silentMs: 3_600_000,
      words:
        'Not updating. The monitor has not answered for 1h 00min. These are its last numbers, from 20:00. Trying again in 4 s. Try now',
    },
  ])('after $silentMs ms without an answer reads "$words"', ({ silentMs, words }) => {
    showPool([anEntry('ana')])
    change(() => {
      browserMs.value = NOW + silentMs
      connection.value = {
        failingSinceMs: NOW + 1_000,
        lastAnswerMs: NOW,
        nextTryMs: NOW + silentMs + 4_000,
      }
    })

    expect(banner()).toBe(words)
  })

  it('says which sources failed, while the rest is current', () => {
    showPool([anEntry('ana')], {
      observed: { sources: { direct_quota: { ...timeout, lastGood: null } } },
    })

    expect(status.value?.source).toBe('partial')
    expect(banner()).toMatch(/^Some sources failed\. Direct quota failed\./)
  })

  it('says how old a list of accounts is that cannot be read anew', () => {
    showPool([anEntry('ana')], {
      observed: { accountListIsRemembered: true },
    })

    expect(status.value?.source).toBe('stale')
    expect(banner()).toMatch(/^Old account list\. .* Try now$/)
  })

  it('asks the monitor at once, and for what else is shown of it', async () => {
    const asked: string[] = []
    const askDirectly = globalThis.fetch
    globalThis.fetch = (path) => {
      asked.push(String(path).split('?')[0] ?? '')
      return Promise.reject(new Error('nobody answers'))
    }
    const endAsking = askRegularly(() => asked.push('the chart'), 3_600_000)
    showPool([anEntry('ana')], { observed: { accountListIsRemembered: true } })
    const place = draw(h(Banners, {}))
    asked.length = 0
    click(place.querySelector('button'))

    expect(asked).toEqual(['/api/v1/status', '/api/v1/health', 'the chart'])
    endAsking()
    await new Promise((resolve) => setTimeout(resolve))
    globalThis.fetch = askDirectly
  })
})
