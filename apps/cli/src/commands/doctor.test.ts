import { describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const RANK = (status = '') => ['ok', 'skip', 'warn', 'fail'].indexOf(status)

describe('doctor', () => {
  it('prints one line per check that was done, failures last, coloured on a terminal unless NO_COLOR is set', async () => {
    const shown = async (context: Parameters<typeof cli>[1], ...more: readonly string[]) =>
      (
        await cli(
          ['doctor', '--config', 'off', '--upstream-url', 'http://127.0.0.1:1', ...more],
          context,
        )
      ).stdout
    const statusesIn = (text: string) =>
      [...text.matchAll(/^(ok|warn|fail|skip)\s/gm)].map(([, status]) => status)
    const plain = await shown({})
    const statuses = statusesIn(plain)

    expect(statuses).toEqual([...statuses].sort((one, other) => RANK(one) - RANK(other)))
    expect(plain).toMatch(/^ok {4}node {2,}\d/m)
    expect(plain).not.toMatch(/Node:|Gateway|Management key/)
    expect(statuses).toContain('fail')
    expect(statuses).not.toContain('skip')
    expect(plain.trimEnd().split('\n').at(-1)).toMatch(
      /^\d+ failed, \d+ warnings?, \d+ ok, [1-9]\d* skipped \(--verbose names them\)$/,
    )
    const verbose = await shown({}, '--verbose')
    const { checks } = JSON.parse(await shown({}, '--json'))
    expect(statusesIn(verbose)).toHaveLength(checks.length)
    expect(verbose).toMatch(/ skipped$/m)
    expect(plain).not.toContain('\u001b')
    expect(await shown({ stdoutIsTerminal: true })).toContain('\u001b[31mfail\u001b[0m')
    expect(await shown({ stdoutIsTerminal: true, env: { NO_COLOR: '1' } })).toBe(plain)
  })

  it('breaks its lines between words where a terminal is narrow', async () => {
    const argv = ['doctor', '--config', 'off', '--upstream-url', 'http://127.0.0.1:1']
    const wide = (await cli(argv)).stdout
    const lines = (await cli(argv, { stdoutColumns: 60 })).stdout.split('\n')

    expect(wide.split('\n').some((line) => line.length > 60)).toBe(true)
    expect(lines.filter((line) => line.length > 60 && !/ skipped/.test(line))).toEqual([])
    expect(lines.join(' ').replace(/\s+/g, ' ')).toBe(wide.replace(/\s+/g, ' '))
  })
})
