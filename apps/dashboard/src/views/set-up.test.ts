import { fromNow, NOW } from '@svc/core/testing'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Connect, SetUp } from './set-up.tsx'

const off = {
  outcome: { kind: 'off', reason: 'no_key' },
  failuresInARow: 0,
  lastGood: null,
} as const

describe('the panel of a first run', () => {
  it('says what is missing, what to write into the configuration and what checks it', () => {
    showPool([], {
      observed: {
        management: { kind: 'no_key' },
        sources: { accounts: off, direct_quota: off },
      },
    })
    const place = draw(h(SetUp, {}))

    expect(wordsOf(place.querySelectorAll('.action')[1] ?? null)).toMatch(
      /^The management key is accepted needs you Without it .* Do: Set management_key_file .* management_key_file = "management-key" Copy The key is what .* in plain text, not the hash\. .*mode 0600.* > management-key\) Copy$/,
    )
    expect(wordsOf(place.querySelectorAll('.action')[2] ?? null)).toBe(
      'The account list is read after the steps above',
    )
    expect(wordsOfEach(place, '.command code').at(-1)).toBe('svc-quota-monitor doctor')
    expect(wordsOf(place)).toContain('.config/svc-quota-monitor/config.toml')
    // Without a key the monitor does not query the proxy.
    expect(wordsOf(place)).not.toContain('The proxy is asked')
  })

  it('tells in the demo how to see real accounts, also in a clone', () => {
    const place = draw(h(Connect, {}))

    expect(wordsOfEach(place, '.command code').at(1)).toBe('svc-quota-monitor doctor')
    expect(wordsOf(place)).toContain('node apps/cli/dist/main.js')
  })

  it('names the address that does not answer, and no other', () => {
    const address = 'http://127.0.0.1:8999'
    const failing = {
      outcome: { kind: 'failed', code: 'unreachable', at: NOW },
      failuresInARow: 3,
      lastGood: null,
      address,
    } as const
    showPool([], { observed: { sources: { gateway: failing, accounts: failing } } })
    const words = wordsOf(draw(h(SetUp, {})))

    expect(words).toContain(`No connection to the proxy at ${address}.`)
    expect(words).toContain(`upstream_url = "${address}"`)
    expect(words).not.toContain('8317')
  })

  it('says how often the proxy is asked, where that may change something', () => {
    showPool([])

    expect(wordsOf(draw(h(SetUp, {})))).toMatch(/ Try now The proxy is asked every 15 s\./)
  })

  it('offers to try a refused key, and nothing that would only ask the monitor again', () => {
    showPool([], {
      observed: {
        management: {
          kind: 'refused',
          at: NOW,
          nextAttemptAt: fromNow(9_000),
          failure: 'unauthorized',
        },
      },
    })
    const place = draw(h(SetUp, {}))

    expect(wordsOfEach(place, '.action button')).toContain('Try the key now')
    expect(wordsOf(place)).toContain('lock this host out')
    // The file is configured already.
    expect(wordsOf(place)).not.toContain('management_key_file =')
    expect(wordsOfEach(place, 'button')).not.toContain('Try now')
  })
})
