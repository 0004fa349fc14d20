import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOUR_MS, plusMs } from '@svc/core'
import { aFakeAccount, aFakeQuota, type FakeAccount } from '@svc/fake-proxy'
import type { Recommendations } from '@svc/views'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { program, startInstantFlags } from '../../tooling/service/built-program.ts'
import { runNode } from '../../tooling/service/node-process.ts'
import {
  MANAGEMENT_KEY,
  type ProxiedService,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../tooling/test-instant.ts'

let folder = ''
let live: ProxiedService | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-plan-'))
})
afterEach(async () => {
  await live?.stop()
  live = null
  rmSync(folder, { recursive: true, force: true })
})

it('plan --sh, run by sh, switches exactly the used-up accounts off and, after their reset, on again', async (test) => {
  if (spawnSync('curl', ['--version']).error !== undefined && process.env.CI === undefined)
    return test.skip('skipped, because curl is not installed')
  const used = (name: string, changes: Partial<FakeAccount> = {}) =>
    aFakeAccount({ name, quota: aFakeQuota('exhausted_5h'), ...changes })
  const accounts = [
    aFakeAccount({ name: 'healthy' }),
    used('used'),
    used('hostile', { fileName: `codex-o'brien "$(id)" \`x\` é.json` }),
    used('kept-off', { disabled: true }),
    aFakeAccount({ name: 'operators', disabled: true }),
  ]
  const clock = acceleratedClock({ factor: 10 })
  let aheadMs = 0
  const time = { ...clock, now: () => plusMs(clock.now(), aheadMs) }
  live = await startService({
    where: 'here',
    time,
    accounts,
    flags: { 'refresh-seconds': '5' },
  })
  const { fake, served, url } = live
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${MANAGEMENT_KEY}\r\n`, { mode: 0o600 })
  const ask = async (...args: readonly string[]) => {
    const given = [program, 'plan', '--url', url, ...args]
    const start = startInstantFlags({ startsAt: time.now() })
    return await runNode([...given, ...start], { env: { XDG_STATE_HOME: folder } })
  }
  const run = async (script: string, key = keyFile) => {
    const path = join(folder, 'plan.sh')
    writeFileSync(path, script)
    const env = { PATH: process.env.PATH ?? '', KEY_FILE: key, PROXY_URL: served.url }
    return await new Promise<number | null>((resolve) =>
      spawn('sh', [path], { env, stdio: 'ignore' }).once('exit', resolve),
    )
  }
  const off = () => accounts.filter(({ disabled }) => disabled).map(({ email }) => email)
  const eventuallySeen = async (what: string, seen: (items: Recommendations['items']) => boolean) =>
    await eventually(what, async () =>
      seen((await live?.json<Recommendations>('/api/v1/recommendations'))?.items ?? []),
    )
  const offIn = (items: Recommendations['items']) =>
    items.filter((item) => item.routingBlockedReasons.includes('operator_disabled')).length

  await eventuallySeen(
    'the used-up accounts are known',
    (items) =>
      items.filter((item) => item.routingBlockedReasons.includes('quota_exhausted_5h')).length >= 2,
  )
  const first = await ask('--sh')
  expect([first.code, first.stderr]).toEqual([1, ''])
  expect(first.stdout.match(/^change /gm)).toHaveLength(2)
  expect(first.stdout).not.toContain(MANAGEMENT_KEY)
  expect(statSync(join(folder, 'svc-quota-monitor/plan.json')).mode & 0o777).toBe(0o600)

  // A wrong key is tried once, and changes nothing.
  const wrongKey = join(folder, 'wrong')
  writeFileSync(wrongKey, 'not-the-key\n')
  expect(await run(first.stdout, wrongKey)).not.toBe(0)
  expect([fake.stats.failedAttempts, off()]).toEqual([
    1,
    ['kept-off@example.com', 'operators@example.com'],
  ])

  expect(await run(first.stdout)).toBe(0)
  const switched = [
    'used@example.com',
    'hostile@example.com',
    'kept-off@example.com',
    'operators@example.com',
  ]
  expect(off()).toEqual(switched)
  await eventuallySeen('four are off', (items) => offIn(items) === 4)
  expect(await ask()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing to change at the proxy\.\n(?:off .* since .*\n){2}$/),
  })
  expect(await ask('--sh')).toMatchObject({ code: 0, stdout: '' })

  aheadMs = 6 * HOUR_MS
  let back = await ask('--sh')
  await eventually('the reset has passed', async () => {
    back = await ask('--sh')
    return back.code === 1
  })
  expect(await run(back.stdout)).toBe(0)
  expect(off()).toEqual(['kept-off@example.com', 'operators@example.com'])
  await eventuallySeen('two are off', (items) => offIn(items) === 2)
  expect(await ask()).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'svc-quota-monitor/plan.json'), 'utf8')).not.toContain(
    'used@example.com',
  )
})
