import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type EpochMs, epochMs } from '@svc/core'
import { createFakeUpstream, livePool } from '@svc/fake-proxy'
import { serveFake } from './serve-fake.ts'
import { spawnService } from './service/start-service.ts'

const HELP = `npm run live -- [options]: the service before a simulated proxy whose quota moves

  --accounts <count>  accounts of the proxy, 25 unless told
  --port <port>       where the dashboard is, 4515 unless told
  --language <tag>    en or zh-CN
  --help              this text
`
const { accounts, port, language, help } = given()
if (help) {
  process.stdout.write(HELP)
  process.exit(0)
}
if (!/^[1-9]\d*$/.test(accounts)) refuse(`--accounts must be a count, not ${accounts}`)
const now = (): EpochMs => epochMs(Date.now())
const managementKey = randomBytes(24).toString('base64url')

const fake = createFakeUpstream({ now, managementKey, accounts: livePool(Number(accounts), now()) })
const served = await serveFake(fake, 0)

const folder = mkdtempSync(join(tmpdir(), 'svc-quota-monitor-live-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const keyFile = join(folder, 'management-key')
writeFileSync(keyFile, managementKey, { mode: 0o600 })

console.log(
  `fake proxy   ${served.url} (${accounts} accounts; POST ${served.url}/__control/setFault and other methods change it)`,
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

function given() {
  const options = {
    port: { type: 'string', default: '4515' },
    accounts: { type: 'string', default: '25' },
    language: { type: 'string', default: 'en' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}

function refuse(why: string): never {
  process.stderr.write(`live: ${why}; --help lists the options\n`)
  process.exit(2)
}
