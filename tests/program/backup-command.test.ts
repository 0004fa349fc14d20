import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instantToIso, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { openHistory } from '@svc/history'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { program } from '../../tooling/service/built-program.ts'
import { testInstant } from '../../tooling/test-instant.ts'

const ROWS = 60_000
/** Whatever hangs or spins is ended after this, and fails. */
const LONGEST_MS = 60_000
let folder: string
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-backup-command-'))
  const command = `exec "${process.execPath}" "${program}" "$@" --start-instant=${instantToIso(testInstant)}`
  writeFileSync(at('sqm'), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  const now = testInstant
  const store = await openHistory(at('history.db'))
  const details = Array.from(
    { length: ROWS },
    (_, number): UsageDetail => ({
      at: plusMs(now, -number * 1_000),
      key: BigInt(number),
      accountKey: 'account',
      apiName: 'key',
      model: 'model',
      tokens: 1,
      failed: false,
    }),
  )
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record({ receivedAt: now, details, quarantined: [], saturatedCount: 0 })
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command line of a shell in which `$sqm` is the program. */
function shell(line: string) {
  const { status, signal, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${line}`], {
    cwd: folder,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', sqm: at('sqm') },
  })
  return { code: status ?? signal, stdout, stderr }
}
const oneLine = (text: string) =>
  text.trim().split('\n').length === 1 && text.startsWith('svc-quota-monitor: ')

describe('a backup', () => {
  it('goes through pipes, and comes back the same', () => {
    expect(
      shell('$sqm export-history --state-db history.db --output - | gzip -1 > piped.gz'),
    ).toMatchObject({ code: 0, stdout: '' })
    expect(shell('gzip -dc piped.gz | $sqm import-history --state-db piped.db -').stdout).toContain(
      `${ROWS} usage rows added`,
    )
    expect(shell('$sqm export-history --state-db piped.db --output piped.json').code).toBe(0)
    const checksum = (file: string) =>
      /"sha256":"(\w+)"/.exec(shell(`${file} | tail -c 100`).stdout)?.[1]
    expect(checksum('cat piped.json')).toBe(checksum('gzip -dc piped.gz'))
  })

  it('rewritten by another program is refused with the reason', () => {
    shell('$sqm export-history --state-db history.db --output plain.json')
    const document: unknown = JSON.parse(readFileSync(at('plain.json'), 'utf8'))
    for (const [name, spaces] of [
      ['compact.json', 0],
      ['pretty.json', 2],
    ] as const) {
      writeFileSync(at(name), JSON.stringify(document, null, spaces))
      const { code, stderr } = shell(`$sqm import-history --state-db other.db ${name}`)
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /another program \(such as jq or an editor\) has rewritten this backup/,
      )
    }
  })

  it('that is killed on its way is cleaned up by the next one', async () => {
    const unfinished = at('killed.json.unfinished')
    // A small backup may be whole before anybody sees that it has begun.
    await eventually('one is killed on its way', async () => {
      rmSync(at('killed.json'), { force: true })
      const killed = spawn(process.execPath, [
        program,
        ...['export-history', '--state-db', at('history.db'), '--output', at('killed.json')],
      ])
      const ended = once(killed, 'exit')
      while (killed.exitCode === null && !existsSync(unfinished)) await pause(1)
      killed.kill('SIGKILL')
      await ended
      return existsSync(unfinished)
    })
    expect(shell('$sqm export-history --state-db history.db --output next.json').code).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('.unfinished'))).toEqual([])
  })
})

describe('an answer in one line and exit code 1, never a hang', () => {
  it.each([
    ['export to a full device', '$sqm export-history --state-db history.db --output - > /dev/full'],
    [
      'the last words to a full device',
      '$sqm export-history --state-db history.db --output full.json > /dev/full',
    ],
    ['export onto a full device', '$sqm export-history --state-db history.db --output /dev/full'],
    ['export into /proc', '$sqm export-history --state-db history.db --output /proc/backup'],
    ['export onto a pipe', 'mkfifo out; $sqm export-history --state-db history.db --output out'],
    ['export from a pipe', 'mkfifo store; $sqm export-history --state-db store --output y.json'],
    ['export from /proc', '$sqm export-history --state-db /proc/self/maps --output y.json'],
    ['export from an endless device', '$sqm export-history --state-db /dev/zero --output y.json'],
    [
      'export from an empty file',
      'touch empty.db; $sqm export-history --state-db empty.db --output y.json',
    ],
    [
      'export for somebody who goes away',
      '$sqm export-history --state-db history.db --output - | head -c 10 > /dev/null',
    ],
    ['import from a pipe without a writer', 'mkfifo in; $sqm import-history --state-db new.db in'],
    ['import from an endless device', '$sqm import-history --state-db new.db /dev/zero'],
    ['import from /proc', '$sqm import-history --state-db new.db /proc/self/maps'],
    ['import from nothing', '$sqm import-history --state-db new.db - < /dev/null'],
    ['import into a pipe', 'mkfifo into; $sqm import-history --state-db into plain.json'],
    ['import into /proc', '$sqm import-history --state-db /proc/history.db plain.json'],
  ])('%s', (_, line) => {
    if (!existsSync(at('plain.json')))
      shell('$sqm export-history --state-db history.db --output plain.json')
    const { code, stderr } = shell(line)
    expect({ code, oneLine: oneLine(stderr), stderr }).toMatchObject({ code: 1, oneLine: true })
  })

  it('import from a pipe that never ends is ended by a signal', async () => {
    const child = spawn(
      process.execPath,
      [program, 'import-history', '--state-db', at('new.db'), '-'],
      {
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    )
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    // More than fits into the pipe.
    await new Promise((resolve) => child.stdin.write(`{"format"${' '.repeat(1 << 18)}`, resolve))
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number | null]
    expect([code, oneLine(stderr)]).toEqual([1, true])
  })
})

it('where files cannot be linked, a backup gets its name all the same', (context: TestContext) => {
  if (spawnSync('strace', ['-V']).status !== 0 && process.env.CI === undefined)
    context.skip('skipped, because strace is not installed')
  const inject = 'strace -f -qq -o /dev/null -e trace=link,linkat -e inject=link,linkat:error=EPERM'
  expect(
    shell(`${inject} $sqm export-history --state-db history.db --output unlinked.json`),
  ).toMatchObject({ code: 0, stderr: '' })
  expect(shell('$sqm import-history --state-db unlinked.db unlinked.json').stdout).toContain(
    `${ROWS} usage rows added`,
  )
  expect(readdirSync(folder).filter((name) => name.startsWith('unlinked.json'))).toEqual([
    'unlinked.json',
  ])
})
