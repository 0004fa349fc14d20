import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import { measureFleet } from './fleet.ts'
import { measureFootprint, measureStart } from './footprint.ts'
import { chosenParts, type Effort, reportFindings } from './goals.ts'
import { measureReads } from './reads.ts'
import { measureScale } from './scale.ts'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string', default: 'start,reads,footprint,scale' },
    json: { type: 'string', default: join(top, 'bench-results.json') },
  },
})

const effort: Effort = values.full
  ? { rounds: 7, seconds: 10, warmUpSeconds: 3, idleSeconds: 30 * 60 }
  : { rounds: 5, seconds: 0.3, warmUpSeconds: 0.3, idleSeconds: 60 }

const chosen = chosenParts(values.only, {
  start: measureStart,
  reads: measureReads,
  footprint: measureFootprint,
  scale: measureScale,
  fleet: measureFleet,
})

if (pinned) spawnSync('taskset', ['-pc', '1', String(process.pid)])

async function* measured() {
  for (const [, measure] of chosen) yield await measure(effort)
}

await reportFindings(measured(), values.json, { effort })
