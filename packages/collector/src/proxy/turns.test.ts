import { describe, expect, it } from 'vitest'
import { createTurns } from './management-access.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Turns with a changeable limit: `limit.inFlightMax` calls at a time. */
function aGate(inFlightMax: number) {
  const limit = { inFlightMax, refusal: null as Error | null }
  let pass = 'first'
  const turns = createTurns<string>(() => {
    if (limit.refusal !== null) throw limit.refusal
    return { pass, inFlightMax: limit.inFlightMax }
  })
  const taken: Awaited<ReturnType<typeof turns.take>>[] = []
  const refused: unknown[] = []
  return {
    limit,
    turns,
    taken,
    refused,
    usePass(next: string) {
      pass = next
    },
    async take(count: number) {
      for (let asked = 0; asked < count; asked += 1)
        void turns.take().then(
          (turn) => taken.push(turn),
          (error: unknown) => refused.push(error),
        )
      await settle()
    },
  }
}

describe('turns', () => {
  it('are given to no more than are admitted at a time', async () => {
    const gate = aGate(2)
    await gate.take(5)
    expect(gate.taken).toHaveLength(2)

    gate.taken[0]?.end()
    await settle()
    expect(gate.taken).toHaveLength(3)
  })

  it('take with them what was admitted when they began', async () => {
    const gate = aGate(1)
    await gate.take(2)
    gate.usePass('second')
    gate.taken[0]?.end()
    await settle()

    expect(gate.taken.map(({ pass }) => pass)).toEqual(['first', 'second'])
  })

  it('are refused to whoever waits once nothing is admitted any more', async () => {
    const gate = aGate(1)
    await gate.take(3)
    gate.limit.refusal = new Error('shut')
    gate.taken[0]?.end()
    await settle()

    expect(gate.taken).toHaveLength(1)
    expect(gate.refused).toEqual([gate.limit.refusal, gate.limit.refusal])
  })

  it('that were taken back are no longer current, and their end frees nothing', async () => {
    const gate = aGate(1)
    await gate.take(2)
    gate.turns.startOver()
    await settle()
    expect(gate.taken.map((turn) => turn.isCurrent())).toEqual([false, true])

    await gate.take(1)
    gate.taken[0]?.end()
    await settle()
    expect(gate.taken).toHaveLength(2)

    gate.taken[1]?.end()
    await settle()
    expect(gate.taken).toHaveLength(3)
  })

  it('become more at a time when the limit has grown by the end of one', async () => {
    const gate = aGate(1)
    await gate.take(4)
    gate.limit.inFlightMax = 3
    gate.taken[0]?.end()
    await settle()

    expect(gate.taken).toHaveLength(4)
  })
})
