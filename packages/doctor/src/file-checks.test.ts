import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith, type SettingsByName } from '@svc/config/testing'
import { DAY_MS, epochMs, plusMs } from '@svc/core'
import { openHistory } from '@svc/history'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileChecks } from './file-checks.ts'
import { priceChecks } from './price-checks.ts'
import { modeOf } from './store-checks.ts'

const LABELS = '{"clients":[{"apiName":"sk-client-key-1","label":"Ana"}]}'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-file-checks-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const judged = (changes: Partial<SettingsByName>) => fileChecks(configWith(changes))

describe('the files that the configuration names', () => {
  it.each([
    { what: 'labels that are no JSON', text: LABELS.slice(0, 40) },
    { what: 'labels that are a list', text: '["sk-client-key-1"]' },
  ])('fail with the place and without the content: $what', async ({ text }) => {
    const path = file('labels.json', text)
    const { client_labels } = await judged({ clientLabelsFile: path })

    expect(client_labels).toMatchObject({ status: 'fail', code: 'bad_payload' })
    expect(client_labels?.detail).toContain(path)
    expect(JSON.stringify(client_labels)).not.toContain('sk-client')
  })

  it('that are not there fail, each with the setting to correct', async () => {
    const gone = join(folder, 'gone')
    const { client_labels, benchmark } = await judged({
      clientLabelsFile: gone,
      benchmarkSummary: gone,
    })

    expect(client_labels).toMatchObject({
      code: 'file_unreadable',
      hint: 'Check that client_labels_file names a file that the service may read.',
    })
    expect(benchmark).toMatchObject({
      code: 'file_unreadable',
      hint: 'Check that benchmark_summary names a file that the service may read.',
    })
  })
})

describe('the files of prices', () => {
  it('are told with kind, age, hash and what is refused', async () => {
    const entry = (rate: number) => ({
      litellm_provider: 'openai',
      input_cost_per_token: rate,
      output_cost_per_token: rate,
    })
    const text = JSON.stringify({ a: entry(1e-6), b: entry(0), c: entry(0), d: entry(1) })
    const path = file('prices.json', text)
    const own = file('prices.toml', '[[multiplier]]\nprovider = "codex"\ntimes = "0.3"\nkey = 1')
    const now = epochMs(Date.UTC(2026, 6, 1))
    const writtenAt = new Date(now - 2.5 * DAY_MS)
    utimesSync(path, writtenAt, writtenAt)
    const { price_file, price_overrides } = await priceChecks(
      configWith({ priceFile: path, priceOverrides: own }),
      now,
    )

    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
    expect(price_file?.detail).toBe(
      `${path}: litellm, 1 model, 2 days old, sha256 ${hash}, refused: zero 2, rate 1`,
    )
    expect(price_overrides?.detail).toBe(`${own}: line 4, key: unknown key`)
  })
})

it('say how much of the usage a price file prices, with and without its prices in the store', async () => {
  const stateDb = join(folder, 'history.db')
  const now = epochMs(Date.UTC(2026, 6, 1, 12))
  const detail = (model: string, tokens: number, key: bigint) => ({
    at: plusMs(now, -60_000),
    key,
    accountKey: 'a',
    apiName: 'client',
    model,
    tokens,
    failed: false,
    classes: { tokensIn: tokens, tokensCached: 0, tokensWritten: 0, tokensOut: 0 },
  })
  const store = await openHistory(stateDb)
  const details = [detail('Team/M', 600, 1n), detail('own', 333, 2n), detail('else', 67, 3n)]
  await store
    .usageOf('default')
    .record({ receivedAt: now, details, quarantined: [], saturatedCount: 0 })
  const rate = { in: 1, read: null, write: null, out: 1 }
  const models = new Map([['m', [{ tier: null, band: 0, rates: rate }]]])
  const priced = configWith({
    stateDb,
    priceFile: file(
      'prices.json',
      '{"m":{"litellm_provider":"openai","input_cost_per_token":1e-12,"output_cost_per_token":1e-12}}',
    ),
    priceOverrides: file('prices.toml', '[[rate]]\nmodel = "own"\ninput = 1\noutput = 1'),
  })
  const said = /, 93.3 % of the tokens of 30 days have a price, most have none of: else \(67\)$/
  expect((await priceChecks(priced, now)).price_file?.detail).toMatch(said)
  await store.takePrices({ models, source: { kind: 'litellm', sha256: '', readAt: now } }, 0)
  await store.close()
  expect((await priceChecks(priced, now)).price_file?.detail).toMatch(said)

  const gone = configWith({ stateDb: join(folder, 'gone'), priceFile: priced.history.priceFile })
  expect((await priceChecks(gone, now)).price_file?.detail).not.toContain('%')
})

describe('the rights of a path', () => {
  it.each([0o600, 0o644, 0o400])('of a file are %o', async (mode) => {
    expect(((await modeOf(file('a', '', mode))) ?? 0) & 0o777).toBe(mode)
  })

  it('of a link are those of what it leads to', async () => {
    symlinkSync(file('a', '', 0o640), join(folder, 'link'))

    expect(((await modeOf(join(folder, 'link'))) ?? 0) & 0o777).toBe(0o640)
  })

  it('are unknown where nothing is, where a link leads nowhere and outside of the root', async () => {
    mkdirSync(join(folder, 'root'))
    mkdirSync(join(folder, 'root-beside'))
    symlinkSync(join(folder, 'gone'), join(folder, 'dangling'))
    const outside = file('outside', '')
    symlinkSync(outside, join(folder, 'root', 'escape'))
    const root = join(folder, 'root')

    expect(await modeOf(join(folder, 'gone'))).toBeNull()
    expect(await modeOf(join(folder, 'dangling'))).toBeNull()
    expect(await modeOf(join(root, 'escape'), root)).toBeNull()
    expect(await modeOf(join(folder, 'root-beside'), root)).toBeNull()
    expect(await modeOf(root, root)).not.toBeNull()
  })
})
