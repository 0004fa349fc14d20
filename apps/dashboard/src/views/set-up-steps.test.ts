import { fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { health, status } from '../state/live-data.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import { setUpSteps } from './set-up.tsx'

const states = () => Object.fromEntries(setUpSteps().map(({ id, state }) => [id, state]))
const off = (reason: 'no_key' | 'no_store') => ({
  outcome: { kind: 'off' as const, reason },
  failuresInARow: 0,
  lastGood: null,
})
const failing = (code: 'unreachable' | 'unauthorized') => ({
  outcome: { kind: 'failed' as const, code, at: fromNow(0) },
  failuresInARow: 3,
  lastGood: null,
})

describe('what must be in place', () => {
  it('is unknown before the monitor has answered', () => {
    change(() => {
      status.value = null
      health.value = null
    })

    expect(states()).toEqual({
      gateway: 'waiting',
      key: 'waiting',
      accounts: 'waiting',
      quota: 'later',
      history: 'waiting',
    })
  })

  it('is the management key first, where there is none', () => {
    showPool([], {
      observed: {
        management: { kind: 'no_key' },
        sources: { accounts: off('no_key'), direct_quota: off('no_key') },
      },
    })

    expect(states()).toMatchObject({ key: 'wrong', accounts: 'later', quota: 'later' })
    expect(setUpSteps().find(({ id }) => id === 'key')?.remedy).toMatch(/^Set management_key_file/)
  })

  it('is the proxy, where it does not answer', () => {
    showPool([], {
      observed: { sources: { gateway: failing('unreachable'), accounts: failing('unreachable') } },
    })

    expect(states()).toMatchObject({ gateway: 'wrong', accounts: 'later', quota: 'later' })
    expect(setUpSteps()[0]?.remedy).toMatch(/upstream_url is right/)
  })

  it('is the address of its health check, where all but that answers', () => {
    showPool([anEntry('ana')], { observed: { sources: { gateway: failing('unreachable') } } })

    expect(states()).toMatchObject({ gateway: 'wrong', accounts: 'done', quota: 'done' })
    expect(setUpSteps()[0]?.remedy).toMatch(
      /upstream_url is right, and gateway_health_url where it is set/,
    )
  })

  it('is the account list, where the proxy answers and refuses that', () => {
    showPool([], { observed: { sources: { accounts: failing('unauthorized') } } })

    expect(states()).toMatchObject({ gateway: 'done', accounts: 'wrong', quota: 'later' })
  })

  it('is an account, where the list is read and has none', () => {
    showPool([])

    expect(states()).toMatchObject({ key: 'done', accounts: 'wrong', quota: 'later' })
    expect(setUpSteps().find(({ id }) => id === 'accounts')?.summary).toMatch(/Add one there/)
  })

  it('is nothing but an optional store, where accounts are read', () => {
    showPool([anEntry('ana')])

    expect(states()).toEqual({
      gateway: 'done',
      key: 'done',
      accounts: 'done',
      quota: 'done',
      history: 'optional',
    })
  })
})
