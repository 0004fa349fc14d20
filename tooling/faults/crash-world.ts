import { plusMs } from '@svc/core'
import { createFakeUpstream, type FakeUpstream, samplePool } from '@svc/fake-proxy'
import { acceleratedClock } from '../accelerated-clock.ts'

export const KEY = 'crash-loop-management-key'

export type RecordKind = 'queue' | 'legacy'

/** One for the fake proxies and every service, however often it is started. */
export const clock = acceleratedClock()

/** A proxy with its ledger. */
export function ledgeredProxy(kind: RecordKind): FakeUpstream {
  const accounts = samplePool(clock.now())
  const fake = createFakeUpstream({ now: clock.now, managementKey: KEY, accounts })
  fake.settings.usage = kind
  fake.settings.queueRetentionSeconds = 3_600
  return fake
}

export function recordSome(fake: FakeUpstream, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const account = fake.accounts[index % fake.accounts.length]
    if (account === undefined) continue
    fake.usage.record({
      at: plusMs(clock.now(), -(index % 4_000_000)),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `sk-client-${index % 5}`,
      model: `model-${index % 3}`,
      tokens: index % 2_000,
    })
  }
}
