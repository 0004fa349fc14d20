import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Longest wait of a test before it gives up, far above any usual time, so that it says nothing about speed. */
const WAIT_MS_MAX = 150_000
/** Shortest and longest pause between two looks; in between a twentieth of the wait so far, for a look may start a program of the database. */
const LOOK_MS = { min: 25, max: 250 } as const

/** Waits until `check` returns true. Rejects with `what` in the message if that does not happen in time. */
export async function eventually(
  what: string,
  check: () => Promise<boolean> | boolean,
): Promise<void> {
  const startedMs = performance.now()
  for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs = performance.now() - startedMs) {
    if (await check()) return
    await pause(Math.min(Math.max(waitedMs / 20, LOOK_MS.min), LOOK_MS.max))
  }
  throw new Error(`did not happen within ${WAIT_MS_MAX / 1000} s: ${what}`)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

const TURNS = 6
/** Number of tasks that Node's threads take at a time. */
const AT_ONCE = 4
const ROUNDS = 4

/** Lets all work under way in this process finish, except work on threads. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Also lets compressions under way finish: the threads take tasks in turn, so that a later one of ours ends after them, however busy the machine is.
 */
export async function settleCompressed(): Promise<void> {
  const compress = promisify(gzip)
  const large = Buffer.alloc(256 * 1024, 'settled ')
  for (let round = 0; round < ROUNDS; round += 1) {
    await settle()
    await Promise.all(Array.from({ length: AT_ONCE }, () => compress(large)))
  }
}

/** Elapsed time for the table of observations; it is compared with no limit. */
export function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1)
}
