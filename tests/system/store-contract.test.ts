import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, walk } from '../store-contract.ts'
import { testedEngines } from '../store-engines.ts'
import { START, type Step, walks } from '../store-steps.ts'

const engines = testedEngines()
afterAll(() => Promise.all(engines.map(({ end }) => end())))

/** `STORE_RUNS=5000` for more. A run with a database server takes several times as long. */
const runsOf = ({ name }: Engine): number =>
  Number(process.env.STORE_RUNS ?? (name === 'sqlite' ? 200 : 60))

describe.each(engines)('a store of $name', (engine) => {
  beforeEach((context) => {
    if (engine.whyNot !== null) context.skip(engine.whyNot)
  })

  it('answers after each step as the plainest store would: tallies, positions, gaps and charts', async () => {
    await fc.assert(
      fc.asyncProperty(walks, (steps) => walk(engine, steps)),
      { numRuns: runsOf(engine) },
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
