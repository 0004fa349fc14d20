import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream } from '@svc/collector/testing'
import { epochMs } from '@svc/core'
import type { StatusSnapshot } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './live-service.ts'
import { readPaths } from './read-paths.ts'
import { serveFake } from './serve-fake.ts'
import { freePort, program, type StartedProgram, startProgram } from './started-program.ts'

/** Unique markers in every place a secret can come from. None of them may show up anywhere. */
const CANARIES = {
  managementKey: 'canary-management-key-1f6d',
  accessToken: 'canary-access-token-2c8e',
  fileToken: 'canary-file-token-3b7a',
  refreshToken: 'canary-refresh-token-4d9b',
  statusMessage: 'canary-status-message-5e0c',
  vendorBody: 'canary-vendor-body-6f1d',
  proxyBody: 'canary-proxy-body-7a2e',
  authPath: 'canary-auth-path-8b3f',
  apiKeyAccount: 'canary-api-key-account-9c4a',
  note: 'canary-note-0d5b',
} as const

const READS = [...readPaths, '/nope']

function occurrences(text: string): readonly string[] {
  const forms = (canary: string) => [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64').slice(0, -4),
    Buffer.from(canary).toString('hex'),
  ]
  return Object.entries(CANARIES).flatMap(([name, canary]) => (forms(canary).some((form) => text.includes(form)) ? [name] : []))
}

describe('no secret shows up in any output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-canary-'))
  const outputs = new Map<string, string>()
  let service: StartedProgram
  let close: () => Promise<void>

  beforeAll(async () => {
    const now = () => epochMs(Date.now())
    const accounts = [
      aFakeAccount({ name: 'good', token: CANARIES.accessToken, note: CANARIES.note }),
      aFakeAccount({ name: 'talkative', status: 'error', statusMessage: `{"error":{"message":"${CANARIES.statusMessage}","code":"odd"}}` }),
      aFakeAccount({ name: 'prose', statusMessage: `Post "https://chatgpt.com": ${CANARIES.statusMessage}` }),
      aFakeAccount({ name: 'broken', vendor: { kind: 'answer', status: 500, body: CANARIES.vendorBody } }),
      aFakeAccount({ name: 'refused', vendor: { kind: 'answer', status: 401, body: `{"error":{"message":"${CANARIES.vendorBody}"}}` } }),
      aFakeAccount({ name: 'garbled', vendor: { kind: 'answer', status: 200, body: `{"plan_type": ${CANARIES.vendorBody}` } }),
      aFakeAccount({
        name: 'keyed',
        entryOverrides: { account: CANARIES.apiKeyAccount, account_type: 'api_key', access_token: CANARIES.accessToken },
      }),
    ]
    const fake = createFakeUpstream({ now, managementKey: CANARIES.managementKey, accounts, authDir: `/srv/${CANARIES.authPath}` })
    const served = await serveFake(fake, 0)
    close = served.close
    const keyFile = join(folder, 'key')
    writeFileSync(keyFile, CANARIES.managementKey, { mode: 0o600 })
    writeFileSync(
      join(folder, accounts[0]?.fileName ?? ''),
      JSON.stringify({ access_token: CANARIES.fileToken, refresh_token: CANARIES.refreshToken }),
    )

    const flags = ['--config', 'off', '--upstream-url', served.url, '--management-key-file', keyFile, '--auth-dir', folder]
    service = await startProgram([...flags, '--refresh-seconds', '5', '--log-level', 'debug', '--port', String(await freePort())])
    const read = async (path: string) => (await fetch(service.url + path)).text()
    await eventually('every account was queried', 15_000, async () => {
      const { tabs } = JSON.parse(await read('/api/v1/status')) as StatusSnapshot
      return tabs.pool.accounts.length === accounts.length && fake.vendorCalls.length >= accounts.length + 1
    })
    fake.setFault('auth-files', { kind: 'status', status: 500, body: CANARIES.proxyBody })
    await eventually('a failed account list', 15_000, async () => (await read('/api/v1/health')).includes('"partial"'))
    fake.setFault('auth-files', { kind: 'body', body: `<html>${CANARIES.proxyBody}</html>`, contentType: 'text/html' })
    await new Promise((resolve) => setTimeout(resolve, 6_000))

    for (const path of READS) outputs.set(path, await read(path))
    outputs.set(
      'foreign host',
      await (await fetch(`${service.url}/healthz`, { headers: { origin: `http://${CANARIES.authPath}.example` } })).text(),
    )
    for (const args of [['print-config'], ['print-config', '--json'], ['--help'], ['--version']]) {
      const env = { PATH: process.env.PATH ?? '', HOME: folder, SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARIES.managementKey }
      outputs.set(args.join(' '), execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', env }))
    }
    await service.stop()
    outputs.set('stdout', service.stdout())
    // The guard logs what it refused, which is the point of that line.
    outputs.set('stderr', service.stderr().replaceAll(`http://${CANARIES.authPath}.example`, ''))
  }, 60_000)

  afterAll(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })

  it('collects every kind of output', () => {
    expect(outputs.size).toBe(READS.length + 7)
    expect(outputs.get('stderr')).toContain('source=partial')
    expect(outputs.get('/api/v1/recommendations')).toContain('good@example.com')
  })

  it('finds no marker in any of them', () => {
    const found = [...outputs].flatMap(([name, text]) => occurrences(text).map((canary) => `${canary} in ${name}`))

    expect(found).toEqual([])
  })

  it('finds a marker that is there, in any of its forms', () => {
    const { managementKey } = CANARIES

    for (const text of [managementKey, Buffer.from(managementKey).toString('base64'), Buffer.from(managementKey).toString('hex')]) {
      expect(occurrences(`before ${text} after`)).toEqual(['managementKey'])
    }
  })
})
