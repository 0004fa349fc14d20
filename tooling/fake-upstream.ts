import { parseArgs } from 'node:util'
import { createFakeUpstream, fakeGenerations, livePool, mixedPool } from '@svc/fake-proxy'
import { serveFake } from './serve-fake.ts'
import { acceleratedClock, paceFrom, paceOption } from './test-instant.ts'

if (process.argv.includes('--help')) {
  console.log(
    `Options: --port 8317, --accounts 25 or --mixed 50 (of each provider), --generation ${fakeGenerations.join('|')}, --key, --pace`,
  )
  process.exit()
}
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8317' },
    accounts: { type: 'string', default: '25' },
    /** Uses a mixed pool with this many accounts of each provider instead. */
    mixed: { type: 'string' },
    generation: { type: 'string', default: 'v7' },
    key: { type: 'string', default: 'fake-management-key' },
    ...paceOption,
  },
})

const { now, schedule } = acceleratedClock(paceFrom(values.pace))
const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => void schedule(milliseconds, resolve))
const fake = createFakeUpstream({
  now,
  sleep,
  managementKey: values.key,
  accounts:
    values.mixed === undefined
      ? livePool(wholeNumber('accounts', values.accounts), now())
      : mixedPool(wholeNumber('mixed', values.mixed), now()),
})
const generation = fakeGenerations.find((one) => one === values.generation)
if (generation === undefined) {
  console.error(`--generation: one of ${fakeGenerations.join(', ')}`)
  process.exit(2)
}
if (generation !== fake.settings.generation) fake.become(generation)
// A Home refuses RESP; the earliest version in use here pops by it.
fake.settings.resp = generation === 'home' ? 'refused' : 'open'
const served = await serveFake(fake, wholeNumber('port', values.port))
console.log(served.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void served.close().then(() => process.exit()))

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) {
    console.error(`--${option} takes a whole number`)
    process.exit(2)
  }
  return Number(text)
}
