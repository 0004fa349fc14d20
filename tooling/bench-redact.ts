import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { costOf } from './bench/process-cost.ts'
import { inFolder, top } from './top.ts'

/** Time and memory of the redaction of a large log: `npm run bench:redact -- --megabytes 1000 --program <main.js of another build>`. */
const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    program: { type: 'string', default: join(top, 'apps/cli/dist/main.js') },
  },
})

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

await inFolder(async (folder) => {
  const log = join(folder, 'large.log')
  writeLog(log, Number(values.megabytes) * 1_000_000)
  const { code, seconds, cpuSeconds, mb } = await costOf([
    ...[process.execPath, values.program, 'redact', '--config', 'off', log],
    ...['--output', join(folder, 'out')],
  ])
  const megabytes = statSync(log).size / 1_000_000
  console.log(
    `${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s (${(megabytes / seconds).toFixed(2)} MB/s), ${cpuSeconds.toFixed(1)} s of processor time, ${mb.toFixed(0)} MiB at most, exit code ${code}`,
  )
})
