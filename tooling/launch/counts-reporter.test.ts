import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { top } from '../top.ts'
import type { Counts, Failed } from './counts-reporter.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-counts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What the reporter makes of a run of vitest on these files. */
async function countsOf(files: Readonly<Record<string, string>>): Promise<{
  readonly ended: number
  readonly counts: Counts
  readonly failures: readonly Failed[]
}> {
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, `${name}.test.js`), text)
  const reporter = join(top, 'tooling/launch/counts-reporter.mjs')
  const args = ['run', '--root', folder, '--globals', '--passWithNoTests', `--reporter=${reporter}`]
  const child = fork(join(top, 'node_modules/vitest/vitest.mjs'), args, { stdio: 'ignore' })
  let ended = 0
  let counts: Counts | null = null
  let failures: readonly Failed[] = []
  child.on(
    'message',
    (message: {
      readonly ended?: number
      readonly counts?: Counts
      readonly failures?: readonly Failed[]
    }) => {
      ended = message.ended ?? ended
      counts = message.counts ?? counts
      failures = message.failures ?? failures
    },
  )
  await Promise.all([once(child, 'close'), once(child, 'disconnect')])
  if (counts === null) throw new Error('nothing was reported')
  return { ended, counts, failures }
}

describe('the reporter', () => {
  it('counts what passed and failed, and hands on why the others were skipped', async () => {
    const { ended, counts, failures } = await countsOf({
      mixed: `
        it('passes', () => {})
        it('fails', () => expect(1).toBe(2))
        it('is skipped', (context) => context.skip('skipped, because it rains'))
        it.skip('is left out', () => {})
        it.todo('is to come')
        describe('inside', () => it('passes too', () => {}))`,
    })

    expect({ ...counts, skipped: [...counts.skipped].sort() }).toEqual({
      passed: 2,
      failed: 1,
      skipped: ['no reason is given', 'no reason is given', 'skipped, because it rains'],
    })
    expect(failures).toEqual([{ file: 'mixed.test.js', name: 'fails' }])
    expect(ended).toBeGreaterThanOrEqual(4)
  })

  it('counts a file that cannot be loaded, a hook that fails and an error nobody caught as failures', async () => {
    const { counts, failures } = await countsOf({
      broken: `throw new Error('on loading')`,
      hook: `beforeAll(() => { throw new Error('before') }); it('never runs', () => {})`,
      uncaught: `it('passes', async () => { setTimeout(() => { throw new Error('later') }, 0); await new Promise((resolve) => setTimeout(resolve, 50)) })`,
    })

    expect(counts).toMatchObject({ passed: 1, failed: 3 })
    expect(failures).toContainEqual({
      file: 'uncaught.test.js',
      name: 'an error that nobody caught: later',
    })
  })
})
