import { join } from 'node:path'
import { instantToIso, plusMs } from '@svc/core'
import { createFakeUpstream, type FakeUpstream, samplePool } from '@svc/fake-proxy'
import { acceleratedClock } from '../accelerated-clock.ts'
import { type ServedFake, serveFake } from '../serve-fake.ts'

export const KEY = 'crash-loop-management-key'

/** One proxy with its ledger, and the store of the service in front of it. */
export interface World {
  readonly kind: 'queue' | 'legacy'
  readonly fake: FakeUpstream
  readonly served: ServedFake
  readonly statePath: string
  readonly acknowledged: Set<string>
  /** Answers of the queue that were the last one a killed process took. */
  readonly unfinishedAnswers: Set<number>
  /** How long the last service took until it was up. */
  startMs: number
}

/** One for the fake proxies and every service, however often it is started. */
export const clock = acceleratedClock()
export const startInstant = () => `--start-instant=${instantToIso(clock.now())}`

export async function worldOf(kind: World['kind'], folder: string): Promise<World> {
  const fake = createFakeUpstream({
    now: clock.now,
    managementKey: KEY,
    accounts: samplePool(clock.now()),
  })
  fake.settings.usage = kind
  fake.settings.queueRetentionSeconds = 3_600
  return {
    kind,
    fake,
    served: await serveFake(fake, 0),
    statePath: join(folder, `${kind}.db`),
    acknowledged: new Set(),
    unfinishedAnswers: new Set(),
    startMs: 0,
  }
}

export function recordSome({ fake }: Pick<World, 'fake'>, count: number): void {
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

export function lastAnswerOf({ fake }: World): number {
  return fake.usage.answerCount()
}
