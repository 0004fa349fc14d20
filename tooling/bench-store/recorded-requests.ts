import type { EpochMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { KEY } from './store-service.ts'

/** A proxy with so many accounts and no usage yet. */
export function fakeWithAccounts(count: number, now: () => EpochMs): FakeUpstream {
  return createFakeUpstream({
    now,
    managementKey: KEY,
    accounts: Array.from({ length: count }, (_, index) => aFakeAccount({ name: `user${index}` })),
  })
}

interface RequestsPlan {
  readonly count: number
  readonly clients: number
  readonly models: number
  /** When a request began, by its number. */
  readonly at: (number: number) => EpochMs
}

/** Records requests through all accounts of the fake in turn. */
export function recordRequests(
  fake: FakeUpstream,
  { count, clients, models, at }: RequestsPlan,
): void {
  for (let number = 0; number < count; number += 1) {
    const account = fake.accounts[number % fake.accounts.length]
    if (account === undefined) throw new RangeError('the fake has no account')
    fake.usage.record({
      at: at(number),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `sk-client-${number % clients}`,
      model: `model-${number % models}`,
      tokens: number % 40_000,
    })
  }
}
