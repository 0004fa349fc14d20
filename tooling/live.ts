import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs } from '@svc/core'
import { createFakeUpstream, livePool } from '@svc/fake-proxy'
import { LIVE_HELP, liveOptions } from './live-options.ts'
import { serveFake } from './serve-fake.ts'
import { spawnService } from './service/start-service.ts'

const options = liveOptions(process.argv.slice(2))
if (options.kind === 'help') {
  process.stdout.write(LIVE_HELP)
  process.exit(0)
}
if (options.kind === 'refused') {
  process.stderr.write(`live: ${options.why}; --help lists the options\n`)
  process.exit(2)
}
const { accountCount, port, language } = options
const now = (): EpochMs => epochMs(Date.now())
const managementKey = randomBytes(24).toString('base64url')

const fake = createFakeUpstream({ now, managementKey, accounts: livePool(accountCount, now()) })
const served = await serveFake(fake, 0)

const folder = mkdtempSync(join(tmpdir(), 'svc-quota-monitor-live-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const keyFile = join(folder, 'management-key')
writeFileSync(keyFile, managementKey, { mode: 0o600 })

console.log(
  `fake proxy   ${served.url} (${accountCount} accounts; POST ${served.url}/__control/fault and others change it)`,
)
console.log(`service      http://127.0.0.1:${port}/`)

// In a process group of its own, so that Ctrl-C reaches it once, through here.
const service = spawnService(
  {
    where: 'program',
    time: 'real',
    args: ['--config', 'off'],
    flags: {
      'upstream-url': served.url,
      'management-key-file': keyFile,
      port,
      'display-language': language,
      'state-db': join(folder, 'history.db'),
    },
    env: process.env,
  },
  { stdio: 'inherit', detached: true },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => service.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal))
service.once('error', (error) => {
  console.error(`the service did not start: ${error.message}`)
  process.exit(1)
})
service.once('exit', (code) => process.exit(code ?? 1))
