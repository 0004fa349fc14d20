import { parseArgs } from 'node:util'
import { createFakeUpstream, livePool } from '@svc/collector/testing'
import { type EpochMs, epochMs } from '@svc/core'
import { serveFake } from './serve-fake.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8317' },
    accounts: { type: 'string', default: '25' },
    key: { type: 'string', default: 'fake-management-key' },
  },
})

const now = (): EpochMs => epochMs(Date.now())
const fake = createFakeUpstream({ now, managementKey: values.key, accounts: livePool(wholeNumber('accounts', values.accounts), now()) })
const served = await serveFake(fake, wholeNumber('port', values.port))
console.log(served.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close())

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) {
    console.error(`--${option} takes a whole number`)
    process.exit(2)
  }
  return Number(text)
}
