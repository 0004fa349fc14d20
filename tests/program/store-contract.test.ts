import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory, openUsage } from '@svc/history'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, walk } from '../store-contract.ts'
import { START, type Step, walks } from '../store-steps.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-store-contract-'))
const empty = join(root, 'empty.db')
beforeAll(async () => (await openHistory(empty)).close())
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
const engines: readonly Engine[] = [
  {
    name: 'sqlite',
    async create() {
      count += 1
      const path = join(root, `${count}.db`)
      copyFileSync(empty, path)
      return {
        open: () => openHistory(path),
        openUsage: () => openUsage({ location: path, retentionDays: 90 }),
        async remove() {
          for (const suffix of ['', '.lock', '-wal', '-shm']) rmSync(path + suffix, { force: true })
        },
      }
    },
  },
]
/** `STORE_RUNS=5000` for more. */
const RUNS = Number(process.env.STORE_RUNS ?? 200)

describe.each(engines)('a store of $name', (engine) => {
  it('answers after each step as the plainest store would: tallies, positions, gaps and charts', async () => {
    await fc.assert(
      fc.asyncProperty(walks, (steps) => walk(engine, steps)),
      { numRuns: RUNS },
    )
  }, 600_000)

  it('is found out where it answers otherwise', async () => {
    const at = START - 5_000
    const detail = { at, key: 1n, accountKey: 'ann', apiName: 'key-1', model: 'm', tokens: 1 }
    const once: Step = {
      kind: 'record',
      upstream: 'default',
      details: [{ ...detail, failed: false }],
      polled: false,
    }
    const forgetful: Engine = {
      ...engine,
      async create() {
        const own = await engine.create()
        return {
          ...own,
          async open() {
            const store = await own.open()
            const lose = async () => ({
              seen: 1,
              stored: 1,
              duplicate: 0,
              quarantined: 0,
              expired: 0,
            })
            return { ...store, usageOf: (of) => ({ ...store.usageOf(of), record: lose }) }
          },
        }
      },
    }
    await expect(walk(forgetful, [once])).rejects.toThrow(/step 0: record/)
  })
})
