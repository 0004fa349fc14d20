import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

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
