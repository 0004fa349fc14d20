import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount } from '@svc/fake-proxy'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../../tooling/eventually.ts'
import { freePort, ownConnection } from '../../../tooling/service/built-program.ts'
import { top } from '../../../tooling/top.ts'
import { type MonitorPair, monitorPair, type PairedMonitor } from './monitor-pair.ts'

const databases = ownDatabases()
const folders: string[] = []
let pair: MonitorPair | null = null
let nginx: ChildProcess | null = null
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  if (spawnSync('nginx', ['-v']).error !== undefined && process.env.CI === undefined)
    return context.skip('skipped, because nginx is not installed')
})
afterEach(async () => {
  if (nginx?.exitCode === null) {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
  }
  await pair?.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
afterAll(() => databases.remove())

/** The recipe of the manual, for these monitors, on a port of this machine without TLS. */
function recipeFor(monitors: readonly PairedMonitor[], port: number): string {
  const manual = readFileSync(join(top, 'docs/operating.md'), 'utf8')
  const recipe = /```\n(upstream quota[\s\S]*?)```/.exec(manual)?.[1]
  if (recipe === undefined) throw new Error('the manual has no recipe for nginx')
  const [first, second] = monitors.map(({ service }) => new URL(service.url).host)
  return recipe
    .replace('10.0.0.5:4515', first ?? '')
    .replace('10.0.0.6:4515', second ?? '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace('quota.example.com', 'localhost')
}

/** Starts nginx with the recipe, and resolves with its address. */
async function startNginx(monitors: readonly PairedMonitor[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'))
  folders.push(folder)
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'errors')};
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     events {}
     http { access_log off; ${paths.join(' ')} ${recipeFor(monitors, port)} }`,
  )
  nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const url = `http://localhost:${port}`
  await eventually('nginx answers', async () => (await statusAt(url, '/healthz')) === 200)
  return url
}

async function statusAt(url: string, path: string): Promise<number | null> {
  try {
    const answer = await fetch(url + path, ownConnection)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return null
  }
}

it('behind one nginx, page and wrappers keep getting answers when a monitor is killed', async ({
  task,
}) => {
  const server = await databases.server()
  const accounts = ['ana', 'ben'].map((name) => aFakeAccount({ name }))
  pair = await monitorPair(server, await server.createDatabase(), accounts)
  const first = await pair.start()
  await pair.acts(first)
  const second = await pair.start()
  await eventually('the second is ready', async () => {
    return (await statusAt(second.service.url, '/readyz')) === 200
  })
  const url = await startNginx([first, second])

  const seen = new Map<number | null, number>()
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      for (const path of ['/', '/api/v1/status', '/api/v1/recommendations']) {
        const status = await statusAt(url, path)
        seen.set(status, (seen.get(status) ?? 0) + 1)
      }
    }
  })()
  await eventually('it is asked', () => (seen.get(200) ?? 0) > 10)
  await first.service.stop('SIGKILL')
  await pair.acts(second)
  const before = seen.get(200) ?? 0
  await eventually('it is asked on', () => (seen.get(200) ?? 0) > before + 10)
  isOver = true
  await asking

  expect([...seen.keys()]).toEqual([200])
  task.meta.observed = `${seen.get(200)} answers while one of two monitors is killed, each 200`
})
