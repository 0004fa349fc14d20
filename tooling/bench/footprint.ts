import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from '../top.ts'
import { startChild } from './child.ts'
import type { Effort, Finding } from './goals.ts'
import { saturate } from './load.ts'
import { pause, startMeasuredService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { readPaths, recordAnswers } from './recorded-answers.ts'

/** A faster clock at first; the larger the pool, the longer until all of it is sampled. The goal of P13 is set for 200 accounts. */
const POOLS = [
  { accounts: 10, samplingSeconds: 2, idleCpuSecondsMax: 10 },
  { accounts: 200, samplingSeconds: 5, idleCpuSecondsMax: 10 },
  { accounts: 1000, samplingSeconds: 12, idleCpuSecondsMax: null },
] as const
const SAMPLING_FACTOR = 10
const SAMPLED_MS_MAX = 25_000
/** Source: P13. */
const REFRESH_SECONDS = 30
const LOAD_ROUNDS = 3

/** P11 and P13: memory idle and under load beside a bare server, and processor time when nobody asks. */
export async function measureFootprint(effort: Effort, folder: string): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const pool of POOLS) findings.push(...(await measurePool(pool, effort, folder)))
  return findings
}

async function measurePool(
  { accounts, samplingSeconds, idleCpuSecondsMax }: (typeof POOLS)[number],
  { seconds, idleSeconds }: Effort,
  folder: string,
): Promise<readonly Finding[]> {
  const sampling = { factor: SAMPLING_FACTOR, seconds: samplingSeconds }
  const service = await startMeasuredService(accounts, sampling, { refreshSeconds: REFRESH_SECONDS })
  await pause(samplingSeconds * 1000)
  await untilSampled(service, SAMPLED_MS_MAX)
  const cpuBefore = cpuSeconds(service.pid)
  let idleMb = 0
  for (let second = 0; second < idleSeconds; second += 1) {
    await pause(1000)
    idleMb = Math.max(idleMb, rssMb(service.pid))
  }
  const cpuPerHour = ((cpuSeconds(service.pid) - cpuBefore) * 3600) / idleSeconds

  const file = join(folder, 'answers-footprint.json')
  writeFileSync(file, JSON.stringify(await recordAnswers(service.url)))
  const bare = await startChild([join(top, 'tooling/dist/bench/bare-server.js'), 'node', file])
  const bareIdleMb = rssMb(bare.pid)
  const peakMb = new Map([
    [service, 0],
    [bare, 0],
  ])
  for (let round = 0; round < LOAD_ROUNDS; round += 1) {
    for (const [child, peak] of peakMb) {
      for (const path of readPaths) await saturate({ url: child.url + path, headers: {}, connections: 32, seconds })
      peakMb.set(child, Math.max(peak, rssMb(child.pid)))
    }
  }
  await service.stop()
  await bare.stop()
  const loadedMb = peakMb.get(service) ?? Number.NaN
  const ofPool = (id: string, what: string, measured: number, unit: string, atMost: number | null): Finding => ({
    id,
    what: `${what}, ${accounts} accounts`,
    measured,
    unit,
    bound: atMost === null ? null : { atMost },
  })
  return [
    ofPool('P11', `memory idle, most of ${idleSeconds} s`, idleMb, 'MB', 75),
    ofPool('P11', 'memory idle ÷ bare', idleMb / bareIdleMb, '×', null),
    ofPool('P11', 'memory under load', loadedMb, 'MB', 110),
    ofPool('P11', 'memory under load ÷ bare', loadedMb / (peakMb.get(bare) ?? Number.NaN), '×', null),
    ofPool('P13', 'processor time of an idle hour', cpuPerHour, 's', idleCpuSecondsMax),
  ]
}
