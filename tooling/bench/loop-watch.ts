import { join } from 'node:path'
import { pause } from '../eventually.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { top } from '../top.ts'

/** Put before the file of a program, it has the program watch its own event loop. */
export const loopWatch = ['--import', join(top, 'tooling/dist/bench/loop-delay.js')]

/** Lines of its output that are JSON objects. */
export function jsonLinesOf(
  child: Pick<NodeProcess, 'stderr'>,
): readonly Record<string, unknown>[] {
  return child
    .stderr()
    .split('\n')
    .flatMap((line) =>
      line.startsWith('{') && line.endsWith('}')
        ? [JSON.parse(line) as Record<string, unknown>]
        : [],
    )
}

/** How late the event loop of a watched program has been since the last call. */
export async function loopDelayOf(
  child: NodeProcess,
): Promise<{ readonly p99Ms: number; readonly maxMs: number }> {
  const delays = () =>
    jsonLinesOf(child).flatMap((line) =>
      line.loopDelay === undefined ? [] : [line.loopDelay as { p99Ms: number; maxMs: number }],
    )
  const before = delays().length
  process.kill(child.pid, 'SIGWINCH')
  while (delays().length === before) await pause(5)
  return delays().at(-1) ?? { p99Ms: Number.NaN, maxMs: Number.NaN }
}
