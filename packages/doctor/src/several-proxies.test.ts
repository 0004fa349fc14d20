import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, fetchOf } from '@svc/fake-proxy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examineWith } from './testing/world.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-doctor-fleet-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The findings about a proxy that accepts its key and one that refuses it. */
async function examinedFleet() {
  const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
  const tables: string[] = []
  const fakes = new Map(
    ['tokyo', 'berlin'].map((name) => {
      const key = `canary-of-${name}`
      const file = join(folder, name)
      writeFileSync(file, name === 'tokyo' ? key : 'canary-that-is-wrong', { mode: 0o600 })
      tables.push(
        `[[upstream]]\nname = "${name}"\nurl = "https://${name}.test"\nmanagement_key_file = "${file}"\n`,
      )
      const accounts = [aFakeAccount({ name })]
      return [`${name}.test`, createFakeUpstream({ now: clock.now, managementKey: key, accounts })]
    }),
  )
  const checks = await examineWith(['--config', 'fleet.toml'], {
    clock,
    fetch(input, init) {
      const fake = fakes.get(new URL(input instanceof Request ? input.url : input).hostname)
      return fake === undefined
        ? Promise.reject(new TypeError('fetch failed'))
        : fetchOf(fake)(input, init)
    },
    cwd: folder,
    readTextFile: () => tables.join(''),
  })
  return { output: JSON.stringify(checks), checks, fakes }
}

it('every proxy is examined, says which it is, and is refused at most once', async () => {
  const { output, checks, fakes } = await examinedFleet()
  const found = (id: string) =>
    checks.filter((one) => one.id === id).map((one) => `${one.upstream} ${one.status} ${one.code}`)

  expect(found('upstream.management')).toEqual(['tokyo ok ok', 'berlin fail unauthorized'])
  expect(found('upstream.health')).toEqual(['tokyo ok ok', 'berlin ok ok'])
  expect(found('upstream.version')).toEqual(['tokyo ok ok', 'berlin skip not_judged'])
  expect(found('bind')).toHaveLength(1)
  expect(found('bind')[0]).toMatch(/^undefined /)
  expect(checks.find(({ upstream }) => upstream === 'berlin')?.title).toMatch(/ · berlin$/)
  expect(fakes.get('berlin.test')?.stats.refusedRequests).toBe(1)
  expect(fakes.get('tokyo.test')?.stats.refusedRequests).toBe(0)
  expect(output).not.toContain('canary')
})
