import { type LeaseName, leaseOf } from '@svc/core/service'
import { expect, it } from 'vitest'
import type { TakenProxy } from './store-threads.ts'
import { createToldTerms } from './told-terms.ts'

const TOKYO = leaseOf('tokyo')
const LEFT: TakenProxy = { interrupted: null, lastPollAt: null }

/** A store, what it is told, and which proxies are heard of as taken. */
function aStore() {
  const held = new Map<LeaseName, number>()
  const asked: (readonly unknown[])[] = []
  const taken: (readonly unknown[])[] = []
  const call = async (...question: readonly unknown[]) => {
    asked.push(question)
    return LEFT
  }
  const terms = createToldTerms({
    sharing: { termOf: (lease) => held.get(lease) ?? null, held: () => held },
    call: call as never,
    isOpen: () => true,
    onProxyTaken: (upstream, left) => void taken.push([upstream, left]),
  })
  return { held, terms, asked, taken }
}

it('a lease that comes back under its own term wakes the proxy, and nothing of it is settled again', async () => {
  const { held, terms, asked, taken } = aStore()
  held.set(TOKYO, 3)
  await terms.tell(TOKYO)
  held.delete(TOKYO)
  expect(terms.isTold(TOKYO)).toBe(false)

  held.set(TOKYO, 3)
  await terms.tell(TOKYO)
  expect(terms.isTold(TOKYO)).toBe(true)
  expect(asked).toEqual([
    ['takeProxy', ['tokyo', 3]],
    ['useTerm', [TOKYO, 3]],
  ])
  expect(taken).toEqual([
    ['tokyo', LEFT],
    ['tokyo', null],
  ])
})

it('a store that is opened again is told of what it knew before', async () => {
  const { held, terms, asked } = aStore()
  held.set(TOKYO, 3)
  await terms.tell(TOKYO)

  terms.tellAll()
  expect(asked.at(-1)).toEqual(['useTerm', [TOKYO, 3]])
})

it('a lease that somebody else has had is taken over anew', async () => {
  const { held, terms, asked } = aStore()
  held.set(TOKYO, 3)
  await terms.tell(TOKYO)
  held.set(TOKYO, 5)
  expect(terms.isTold(TOKYO)).toBe(false)

  await terms.tell(TOKYO)
  expect(asked.at(-1)).toEqual(['takeProxy', ['tokyo', 5]])
})
