import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import { type Finding, isMet } from './goals.ts'

/** Says which goals were missed, and writes all findings into a file. */
export function reportFindings(findings: readonly Finding[], file: string, more = {}): void {
  const missed = findings.filter((finding) => !isMet(finding))
  console.log(
    missed.length === 0
      ? '\nEvery goal is met.'
      : `\nMissed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}`,
  )
  writeFileSync(file, JSON.stringify({ machine: machine(), ...more, findings }, null, 2))
}

/** What figures were measured on, and of which commit. */
function machine() {
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: top,
    encoding: 'utf8',
  }).stdout.trim()
  return {
    processors: cpus().map(({ model }) => model),
    kernel: release(),
    node: process.version,
    pinned,
    commit,
  }
}
