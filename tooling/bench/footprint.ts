import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from '../top.ts'
import { startChild } from './child.ts'
import type { Effort, Finding } from './goals.ts'
import { saturate } from './load.ts'
import { pause, startMeasuredService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { readPaths, recordAnswers } from './recorded-answers.ts'

const ACCOUNTS = 200
const SAMPLED_MS_MAX = 25_000
/** Source: P13. */
const REFRESH_SECONDS = 30
const SAMPLING = { factor: 10, seconds: 5 }
const LOAD_ROUNDS = 3

/** P11 and P13: memory idle and under load beside a bare server, and processor time when nobody asks. */
export async function measureFootprint({ seconds, idleSeconds }: Effort, folder: string): Promise<readonly Finding[]> {
  const service = await startMeasuredService(ACCOUNTS, SAMPLING, { refreshSeconds: REFRESH_SECONDS })
  await pause(SAMPLING.seconds * 1000)
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
  return [
    { id: 'P11', what: `memory idle, most of ${idleSeconds} s`, measured: idleMb, unit: 'MB', bound: { atMost: 75 } },
    { id: 'P11', what: 'memory idle ÷ bare', measured: idleMb / bareIdleMb, unit: '×', bound: null },
    { id: 'P11', what: 'memory under load', measured: loadedMb, unit: 'MB', bound: { atMost: 110 } },
    { id: 'P11', what: 'memory under load ÷ bare', measured: loadedMb / (peakMb.get(bare) ?? Number.NaN), unit: '×', bound: null },
    { id: 'P13', what: 'processor time of an idle hour', measured: cpuPerHour, unit: 's', bound: { atMost: 10 } },
  ]
}
