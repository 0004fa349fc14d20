import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type EpochMs, epochMs } from '@svc/core'
import { createFakeUpstream, livePool } from '@svc/fake-proxy'
import { serveFake } from './serve-fake.ts'
import { spawnService } from './service/start-service.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4515' },
    accounts: { type: 'string', default: '25' },
    language: { type: 'string', default: 'en' },
  },
})
const accountCount = Number(values.accounts)
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
console.log(`service      http://127.0.0.1:${values.port}/`)

// In a process group of its own, so that Ctrl-C reaches it once, through here.
const service = spawnService(
  {
    where: 'program',
    time: 'real',
    args: ['--config', 'off'],
    flags: {
      'upstream-url': served.url,
      'management-key-file': keyFile,
      port: values.port,
      'display-language': values.language,
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
