import { type Finding, findingsOf } from '../bench/goals.ts'
import type { Engine } from './engine.ts'

/** P10: what a request takes on the disk, with its share of keys and sums. */
export async function measureSize(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, what, bytesMax } = engine.goals.size
  const { bytes } = await engine.world(rows)
  const perRow = (await bytes()) / rows
  return findingsOf([[id, `${what}, ${rows / 1e6} M rows`, perRow, 'B', { atMost: bytesMax }]])
}
