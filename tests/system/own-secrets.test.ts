import { aFakeAccount } from '@svc/fake-proxy'
import type { Recommendations } from '@svc/views'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import {
  MANAGEMENT_KEY,
  type ProxiedProcess,
  startService,
} from '../../tooling/service/start-service.ts'
import { jsonPaths } from '../contract.ts'

const PASSWORD = 'password-of-the-database-77'
let service: ProxiedProcess | null = null

afterAll(async () => {
  await service?.stop()
})

it('a secret of ours that stands as a label or name at the proxy is in no answer, metric or line of the log', async () => {
  const named = (name: string, entryOverrides: Readonly<Record<string, unknown>>) =>
    aFakeAccount({ name, entryOverrides })
  const live = await startService({
    where: 'child',
    time: { factor: 1 },
    accounts: [
      named('alice', { label: MANAGEMENT_KEY }),
      named('bob', { label: ` ${PASSWORD} ` }),
      named('carol', { name: MANAGEMENT_KEY, id: MANAGEMENT_KEY, label: '', email: '' }),
    ],
    env: { PGPASSWORD: PASSWORD },
    flags: {
      'state-db': `postgres://monitor@127.0.0.1:${await freePort()}/none`,
      'log-level': 'debug',
    },
  })
  service = live
  const items = async () => (await live.json<Recommendations>('/api/v1/recommendations')).items
  await eventually('the list', async () => (await items()).length === 3)
  // What has changed is said in the log and in the status.
  live.fake.disable(live.fake.accounts[0] ?? aFakeAccount({ name: 'none' }))
  await eventually('the change', async () => (await items()).some((item) => !item.routingEligible))

  const bodies = await Promise.all(
    [...jsonPaths, '/metrics'].map(async (path) => await (await fetch(live.url + path)).text()),
  )
  const everything = [...bodies, live.output()].join('\n')
  expect((await items()).map(({ title }) => title.replace(/ .*/, ''))).toEqual([
    '[secret]',
    '[secret]',
    '[secret]',
  ])
  expect(everything).not.toContain(MANAGEMENT_KEY)
  expect(everything).not.toContain(PASSWORD)
})
