import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { aSecretFile, aWorld, endWorlds, MINUTE } from '../testing/live-world.ts'
import { readBenchmarkSummary } from './benchmark.ts'

afterEach(endWorlds)

const folder = mkdtempSync(join(tmpdir(), 'svc-benchmark-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function aFile(content: string): string {
  files += 1
  const path = join(folder, `summary-${files}.json`)
  writeFileSync(path, content)
  return path
}
const nothing = {
  generatedAt: null,
  speedup: null,
  tokenOverheadRatio: null,
  weeklyToFiveHourMultiplier: null,
}

const whole = {
  generatedAt: '2026-11-19T08:00:00Z',
  performance: { comparison: { speedup_p50: 1.84, token_overhead_ratio: 0.92, other: [] } },
  quota: { weeklyToFiveHour: { recommended_dashboard_multiplier: 6.5 } },
  notes: 'left alone',
}

describe('a benchmark summary', () => {
  it('is read', async () => {
    expect(await readBenchmarkSummary(aFile(`\ufeff${JSON.stringify(whole)}`))).toEqual({
      generatedAt: Date.parse(whole.generatedAt),
      speedup: 1.84,
      tokenOverheadRatio: 0.92,
      weeklyToFiveHourMultiplier: 6.5,
    })
  })

  it.each([
    ['an empty object', {}],
    ['members of other types', { generatedAt: {}, performance: [], quota: 'x' }],
    [
      'deeper members of other types',
      { performance: { comparison: 7 }, quota: { weeklyToFiveHour: null } },
    ],
    [
      'figures that are none',
      { performance: { comparison: { speedup_p50: 'fast', token_overhead_ratio: [1] } } },
    ],
    ['prototype names', { __proto__: { generatedAt: 1 }, constructor: { performance: {} } }],
  ])('states nothing in %s', async (_, document) => {
    expect(await readBenchmarkSummary(aFile(JSON.stringify(document)))).toEqual(nothing)
  })

  it.each([
    ['no JSON', () => aFile('{"generatedAt":'), 'bad_payload'],
    ['a list', () => aFile('[]'), 'bad_payload'],
    ['a number', () => aFile('7'), 'bad_payload'],
    ['nothing', () => aFile(''), 'bad_payload'],
    [
      'more than 1 MiB',
      () => aFile(JSON.stringify({ filler: 'x'.repeat(1024 * 1024) })),
      'too_large',
    ],
    ['a file that is not there', () => join(folder, 'missing.json'), 'file_unreadable'],
    ['a folder', () => folder, 'file_unreadable'],
  ])('that is %s is refused, and nothing of it is quoted', async (_, path, code) => {
    const refused = await readBenchmarkSummary(path()).catch((error: unknown) => error)

    expect(refused).toMatchObject({ name: 'SourceError', code })
    expect(String(refused)).not.toContain(folder)
  })

  it('may stand behind a link, as container platforms mount files', async () => {
    mkdirSync(join(folder, 'mounted'))
    writeFileSync(join(folder, 'mounted', 'data.json'), JSON.stringify(whole))
    symlinkSync(join(folder, 'mounted', 'data.json'), join(folder, 'linked.json'))

    expect(await readBenchmarkSummary(join(folder, 'linked.json'))).toMatchObject({ speedup: 1.84 })
  })
})

describe('the benchmark as a source', () => {
  it('is off unless one is named', async () => {
    const world = aWorld()
    await world.clock.advance(MINUTE)

    expect(world.latest().sources).toMatchObject({
      benchmark: { outcome: { kind: 'off', reason: 'not_configured' }, lastGood: null },
      client_labels: { outcome: { kind: 'off', reason: 'not_configured' } },
      usage: { outcome: { kind: 'off', reason: 'no_store' } },
    })
  })

  it('is read again and again, and outlives a file that breaks', async () => {
    const path = aSecretFile(JSON.stringify({ performance: { comparison: { speedup_p50: 1.5 } } }))
    const world = aWorld({ options: { benchmark: { benchmarkSummary: path } } })
    await world.clock.advance(1000)
    expect(world.latest().sources.benchmark).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { speedup: 1.5 } },
    })

    writeFileSync(path, '{')
    await world.clock.advance(70_000)
    expect(world.latest().sources.benchmark).toMatchObject({
      outcome: { kind: 'failed', code: 'bad_payload' },
      lastGood: { value: { speedup: 1.5 } },
    })
    writeFileSync(path, JSON.stringify({ performance: { comparison: { speedup_p50: 2 } } }))
    await world.clock.advance(130_000)
    expect(world.latest().sources.benchmark).toMatchObject({
      outcome: { kind: 'ok' },
      lastGood: { value: { speedup: 2 } },
    })
  })
})
