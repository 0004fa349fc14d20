import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { program } from '../../tooling/service/built-program.ts'
import { type LocalService, startService } from '../../tooling/service/start-service.ts'

let demo: LocalService
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-top-'))
  demo = await startService({ where: 'here', time: fixedClock(), demo: true })
})
afterAll(async () => {
  tmux('kill-server')
  await demo.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A server of its own, so that no session of the machine is met. */
function tmux(...args: readonly string[]): string {
  const { stdout } = spawnSync('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
  })
  return stdout ?? ''
}

it.for([
  { size: '80x24', ends: 'q', last: '1-18 of 24' },
  { size: '200x50', ends: 'C-c', last: '1-24 of 24' },
  // The answer takes three rows there.
  { size: '40x10', ends: 'SIGTERM', last: '1-3 of 24' },
])(
  'top on a terminal of $size has its table in place and leaves it by $ends',
  async ({ size, ends, last }, test) => {
    if (spawnSync('tmux', ['-V']).error !== undefined && process.env.CI === undefined)
      return test.skip('skipped, because tmux is not installed')
    const [columns = '', rows = ''] = size.split('x')
    const pidFile = join(folder, size)
    const top = `exec '${process.execPath}' '${program}' top --timeout 1m --url ${demo.url}`
    const run = `echo before; sh -c "echo \\$\\$ >'${pidFile}'; ${top}"; echo "ended $?"; stty -a; cat`
    tmux('new-session', '-d', '-s', size, '-x', columns, '-y', rows, run)
    const screen = () => tmux('capture-pane', '-p', '-t', size).split('\n').slice(0, -1)
    await eventually('the table is drawn', () => screen().at(-1)?.startsWith(last) === true)

    const lines = screen()
    expect(lines).toHaveLength(Number(rows))
    expect(lines[0]).toMatch(/^Yes\. /)
    expect(lines.slice(5).join('\n')).toContain('night-shift')
    const state = () => tmux('display-message', '-p', '-t', size, '#{alternate_on} #{cursor_flag}')
    expect(state().trim()).toBe('1 0')

    if (ends === 'SIGTERM') process.kill(Number(readFileSync(pidFile, 'utf8')), ends)
    else tmux('send-keys', '-t', size, ends)
    await eventually('it has ended', () => state().trim() === '0 1')
    const all = () => tmux('capture-pane', '-p', '-S', '-', '-t', size)
    await eventually('the modes are told', () => all().includes('icanon'))
    expect(all()).toMatch(/^before\nended 0\n/)
    expect(all().replaceAll('\n', ' ')).toMatch(/ icanon .* echo /)
  },
)
