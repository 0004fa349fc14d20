import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** How long a test waits before it gives up. Nobody waits that long for what does happen, so it says nothing about speed. */
const WAIT_MS_MAX = 150_000
const LOOK_EVERY_MS = 25

/** Waits until `check` answers true. Rejects, naming what, when that does not happen in time. */
export async function eventually(
  what: string,
  check: () => Promise<boolean> | boolean,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX
  while (performance.now() < deadline) {
    if (await check()) return
    await pause(LOOK_EVERY_MS)
  }
  throw new Error(`did not happen within ${WAIT_MS_MAX / 1000} s: ${what}`)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

const TURNS = 6
/** As many as Node's threads take at a time. */
const AT_ONCE = 4
const ROUNDS = 4

/** Lets everything that is under way in this process finish, but for what a thread does. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** The same for what is compressed by then: the threads take it in turn, so that ours comes after it, however busy the machine is. */
export async function settleCompressed(): Promise<void> {
  const compress = promisify(gzip)
  const large = Buffer.alloc(256 * 1024, 'settled ')
  for (let round = 0; round < ROUNDS; round += 1) {
    await settle()
    await Promise.all(Array.from({ length: AT_ONCE }, () => compress(large)))
  }
}

/** How long something took, for the table of what was seen; nothing is compared with it. */
export function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1)
}
