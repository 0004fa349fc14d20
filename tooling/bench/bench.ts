import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import { measureFleet, measureWarm } from './evaluation.ts'
import { measureFootprint, measureStart } from './footprint.ts'
import { type Effort, type Finding, reportFindings, tableOf } from './goals.ts'
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

const parts: Readonly<Record<string, (effort: Effort) => Promise<readonly Finding[]>>> = {
  start: measureStart,
  reads: measureReads,
  footprint: measureFootprint,
  scale: measureScale,
  fleet: measureFleet,
  warm: measureWarm,
}

if (pinned) spawnSync('taskset', ['-pc', '1', String(process.pid)])

const findings: Finding[] = []
for (const name of values.only.split(',')) {
  const measure = parts[name]
  if (measure === undefined) throw new Error(`--only takes ${Object.keys(parts).join(', ')}`)
  const found = await measure(effort)
  console.log(`\n${tableOf(found)}`)
  findings.push(...found)
}

reportFindings(findings, values.json, { effort })
