import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log, LogFields } from '@svc/core/service'
import { NOW, silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPriceWatch, type ReadPrices } from './price-watch.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'prices-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const listOf = (model: string) =>
  JSON.stringify({
    [model]: {
      litellm_provider: 'openai',
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
    },
    free: { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 0 },
  })
const SUBSCRIPTION = '[[subscription]]\naccount = "a"\nusd = 20\nper = "month"\n'

/** As a fetched file takes the place of the one before. */
function put(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text, { mode: 0o644 })
  renameSync(join(folder, `${name}.new`), join(folder, name))
}

function watched() {
  const warnings: LogFields[] = []
  const seen: ReadPrices[] = []
  const log: Log = { ...silentLog, warn: (_, fields = {}) => void warnings.push(fields) }
  // A look has ended once the next one is scheduled.
  const clock: VirtualClock = virtualClock(() =>
    vi.waitFor(() => expect(clock.scheduledCount).toBe(1), { timeout: 60_000 }),
  )
  const watch = createPriceWatch(
    { priceFile: join(folder, 'prices.json'), priceOverrides: join(folder, 'prices.toml') },
    { clock, log, onRead: (read) => void seen.push(read) },
  )
  return { clock, warnings, seen, watch }
}

describe('the files of prices', () => {
  it('are read when they have changed, and not otherwise', async () => {
    put('prices.json', listOf('a'))
    put('prices.toml', SUBSCRIPTION)
    const { clock, seen, warnings, watch } = watched()
    watch.start()
    await clock.advance(30_000)
    expect(seen).toMatchObject([
      {
        list: {
          refused: new Map([['free', 'zero']]),
          source: { kind: 'litellm', readAt: NOW, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
        },
        subscriptions: [{ usd: 20 }],
      },
    ])
    expect([...(seen[0]?.list?.models.keys() ?? [])]).toEqual(['a'])

    put('prices.json', listOf('b'))
    await clock.advance(15_000)
    expect([...(seen[1]?.list?.models.keys() ?? [])]).toEqual(['b'])
    expect(seen[1]).toMatchObject({
      list: { source: { readAt: NOW + 45_000 } },
      subscriptions: [{ usd: 20 }],
    })
    expect(warnings).toEqual([])
    watch.stop()
  })

  it('stay in force while another cannot be used, which is said once', async () => {
    put('prices.json', listOf('a'))
    const { clock, seen, warnings, watch } = watched()
    watch.start()
    await clock.advance(15_000)
    put('prices.json', '{}')
    put('prices.toml', '[[rate]]\nmodel = 1\n')
    await clock.advance(15_000)
    put('prices.json', '{"cut off')
    await clock.advance(30_000)
    expect(seen).toHaveLength(1)
    expect(warnings).toEqual([
      { key: 'price_overrides', reason: 'price_overrides_unreadable', detail: 'missing' },
      {
        key: 'price_file',
        reason: 'price_file_shape',
        detail: 'neither of LiteLLM nor of models.dev',
      },
      {
        key: 'price_overrides',
        reason: 'price_overrides_invalid',
        detail: 'line 2, model: expected the name of a model',
      },
    ])

    put('prices.toml', SUBSCRIPTION)
    await clock.advance(15_000)
    expect(seen[1]).toMatchObject({ list: seen[0]?.list, subscriptions: [{ usd: 20 }] })
    watch.stop()
  })

  it('are not looked at where none is configured, nor after the end', async () => {
    const none = watched()
    none.watch.stop()
    none.watch.start()
    expect(none.seen).toEqual([])
    const clock = virtualClock(async () => undefined)
    createPriceWatch(
      { priceFile: null, priceOverrides: null },
      { clock, log: silentLog, onRead: () => expect.unreachable() },
    ).start()
    expect(clock.scheduledCount).toBe(0)
  })
})
