import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { plusMs } from '@svc/core'
import { aFakeAccount } from '@svc/fake-proxy'
import type { AccountDetail, Prices, Recommendations } from '@svc/views'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-prices-'))
const clock = acceleratedClock({ factor: paceOfBusyMachine(20) })
const account = aFakeAccount({ name: 'ana' })
let live: ProxiedService

function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o644 })
  return path
}
const listOf = (...models: readonly string[]) => {
  const priced = models.map((model) => [model, { cost: { input: 2, output: 2 } }])
  return JSON.stringify({ openai: { models: Object.fromEntries(priced) } })
}

beforeAll(async () => {
  live = await startService({
    where: 'here',
    time: clock,
    accounts: [account],
    flags: {
      'state-db': join(folder, 'history.db'),
      'price-file': written('prices.json', listOf('gpt-a')),
      'price-overrides': written(
        'prices.toml',
        `[[multiplier]]
provider = "codex"
times = "0.5"
[[subscription]]
provider = "codex"
plan = "plus"
usd = 20
per = "month"
`,
      ),
    },
    prepare: (fake) => {
      fake.settings.usage = 'queue'
    },
  })
})
afterAll(async () => {
  await live.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Cost and reason of each request, by its model. */
async function costs(): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${live.url}/api/v1/usage/rows?range=1h`)
  const [head = '', ...rows] = (await answer.text()).trim().split('\r\n')
  const at = head.split(',').indexOf('model')
  return Object.fromEntries(
    rows.map((row) => {
      const cells = row.split(',')
      return [cells[at], cells.slice(-2).join(' ')]
    }),
  )
}
const costed = (expected: Readonly<Record<string, string>>) =>
  eventually(`the costs are ${JSON.stringify(expected)}`, async () =>
    isDeepStrictEqual(await costs(), expected),
  )

it('prices requests by both files, and again once the list has changed', async () => {
  const record = (model: string) =>
    live.fake.usage.record({
      at: plusMs(clock.now(), -5_000),
      source: account.email,
      authIndex: live.fake.authIndexOf(account),
      model,
    })
  // Half of two dollars a million, of 1,050 tokens.
  record('gpt-a')
  await costed({ 'gpt-a': '0.001050000 ' })
  record('gpt-b')
  await costed({ 'gpt-a': '0.001050000 ', 'gpt-b': ' model' })

  written('prices.json', listOf('gpt-a', 'gpt-b'))
  await costed({ 'gpt-a': '0.001050000 ', 'gpt-b': '0.001050000 ' })

  const [found] = (await live.json<Recommendations>('/api/v1/recommendations')).items
  const key = found?.selector.accountKey
  const { paidBack } = await live.json<AccountDetail>(`/api/v1/accounts/${key}`)
  expect(paidBack).toMatchObject({ listUsd30d: 0.0021, paidBack: null })
  expect(paidBack?.subscriptionUsd30d).toBeCloseTo((20 * 30) / 30.4375)
  const { paidBack: ofAll } = await live.json<Prices>('/api/v1/prices')
  expect(ofAll?.subscriptionUsd30d).toBe(paidBack?.subscriptionUsd30d)
})
