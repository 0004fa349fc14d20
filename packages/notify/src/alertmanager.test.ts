import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOW } from '@svc/core/testing'
import { afterEach, expect, it } from 'vitest'
import { webhook } from './kinds/webhook.ts'
import { worded } from './notifier.ts'
import { aToldNotice, closeReceivers, words } from './testing/receivers.ts'

afterEach(closeReceivers)

const PROGRAM = ['prometheus-alertmanager', 'alertmanager'].find(
  (program) => spawnSync(program, ['--version']).error === undefined,
)

it('Alertmanager takes the alerts of the webhook', async (context) => {
  if (PROGRAM === undefined && process.env.CI === undefined)
    return context.skip('skipped, because alertmanager is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'alertmanager-'))
  writeFileSync(join(folder, 'a.yml'), 'route: { receiver: none }\nreceivers: [{ name: none }]\n')
  const port = await aFreePort()
  const at = `http://127.0.0.1:${port}`
  const options = {
    'config.file': join(folder, 'a.yml'),
    'storage.path': folder,
    'web.listen-address': `127.0.0.1:${port}`,
    'cluster.listen-address': '',
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const running = spawn(PROGRAM ?? 'alertmanager', args, { stdio: 'ignore' })
  try {
    await expect
      .poll(() =>
        fetch(`${at}/-/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
    const ready = await fetch(`${at}/-/ready`)
    const now = Date.parse(ready.headers.get('date') ?? '')
    const notices = [
      aToldNotice('gateway_down@tokyo', {
        code: 'gateway_down',
        upstream: 'tokyo',
        remedy: 'Start it.',
      }),
      aToldNotice('auth_invalid:key-a'),
      aToldNotice('auth_invalid:key-b', { title: '配额 “x”' }),
      aToldNotice('capacity_low:week', { endsAt: (now - 1000) as typeof NOW, times: 2 }),
    ].map((notice) => ({ ...notice, startsAt: (now - 60_000) as typeof NOW }))
    const message = worded({ id: 'm', at: NOW, notices, omittedCount: 0 }, 'phone', words)
    const { alerts } = webhook.post(message, new URL(at)).json as {
      readonly alerts: readonly object[]
    }

    const answer = await fetch(`${at}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect([answer.status, await answer.text()]).toEqual([200, ''])

    const known = async () => {
      const read = await fetch(`${at}/api/v2/alerts`)
      const open = (await read.json()) as readonly { readonly labels: { readonly id: string } }[]
      return open.map(({ labels }) => labels.id).sort()
    }
    await expect
      .poll(known)
      .toEqual(['auth_invalid:key-a', 'auth_invalid:key-b', 'gateway_down@tokyo'])
  } finally {
    running.kill()
    await once(running, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
})

async function aFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
