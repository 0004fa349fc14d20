import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { top } from './top.ts'

/** Time and memory of the redaction of a large log: `npm run bench:redact -- --megabytes 1000 --program <main.js of another build>`. */
const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    program: { type: 'string', default: join(top, 'apps/cli/dist/main.js') },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-redact-'))
const SAMPLE_EVERY_MS = 50

function writeLog(path: string, bytes: number): void {
  const file = openSync(path, 'wx')
  for (let written = 0, index = 0; written < bytes; ) {
    let text = ''
    for (; text.length < 1_000_000; index += 1) {
      const second = String(index % 60).padStart(2, '0')
      text += `2026-11-21T17:31:${second}.124Z info  snapshot source=live health=good accounts=${index} routable=14 failing=""\n`
      if (index % 7 === 0)
        text += `{"at":"2026-11-21T17:31:${second}Z","route":"/api/v1/status","requests":${index},"note":"quota \\"week\\" read"}\n`
      if (index % 50 === 0)
        text += `login of someone${index % 900}@mail.example from 203.0.113.${index % 250} with token=tk${index % 700}Ab3dEf6hIj9kLm2\n`
    }
    written += writeSync(file, text)
  }
  closeSync(file)
}

try {
  const log = join(folder, 'large.log')
  writeLog(log, Number(values.megabytes) * 1_000_000)
  const startedMs = performance.now()
  const child = spawn(
    process.execPath,
    [values.program, 'redact', '--config', 'off', log, '--output', join(folder, 'out')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  let most = 0
  let ticks = 0
  const timer = setInterval(() => {
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks = Math.max(ticks, Number(stat[11]) + Number(stat[12]))
      most = Math.max(
        most,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0),
      )
    } catch {
      // It has just ended.
    }
  }, SAMPLE_EVERY_MS)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearInterval(timer)
  const seconds = (performance.now() - startedMs) / 1000
  const megabytes = statSync(log).size / 1_000_000
  console.log(
    `${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s (${(megabytes / seconds).toFixed(2)} MB/s), ${(ticks / 100).toFixed(1)} s of processor time, ${(most / 1024).toFixed(0)} MiB at most, exit code ${code}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
