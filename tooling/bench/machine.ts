import { spawnSync } from 'node:child_process'
import { cpus, release } from 'node:os'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'

/** What figures were measured on, and of which commit. */
export function machine() {
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
