import type { EpochMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { seededRandom } from '../bench/statistics.ts'
import { KEY } from './store-service.ts'
import { WORLD } from './world.ts'

export interface WorldProxy {
  readonly fake: FakeUpstream
  /** Of the accounts, in their order. */
  readonly authIndexes: readonly string[]
  /** A request of anybody for anything, the same sequence in every run. */
  readonly record: (at: EpochMs) => void
}

/** A proxy with the accounts, clients and models of the worlds, and no usage yet. */
export function worldProxy(now: () => EpochMs): WorldProxy {
  const accounts = Array.from({ length: WORLD.accounts }, (_, index) =>
    aFakeAccount({ name: `user${index}` }),
  )
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  fake.settings.queueRetentionSeconds = 3_600
  const authIndexes = accounts.map((account) => fake.authIndexOf(account))
  const random = seededRandom(8)
  const pick = (count: number) => Math.floor(random() * count)
  const record = (at: EpochMs) => {
    const who = pick(WORLD.accounts)
    fake.usage.record({
      at,
      source: accounts[who]?.email ?? '',
      authIndex: authIndexes[who] ?? '',
      apiKey: `sk-client-${pick(WORLD.clients)}`,
      model: `model-${pick(WORLD.models)}`,
      tokens: pick(40_000),
    })
  }
  return { fake, authIndexes, record }
}
