import { setFlagsFromString } from 'node:v8'

/**
 * Memory before speed: no young generation grows, and an old one by a fifth at most before it is collected. The flags are those of the whole process,
 * and V8 resets them whenever a thread starts.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
}

/** An evaluation of a large pool fills the smallest young generation dozens of times, and each collection copies what it still needs. */
const LARGE_POOL_ACCOUNTS = 500

/** Speed before memory for a large pool: its young generations may grow. To be called for every evaluation, since a new thread resets it. */
export function fitHeapsTo(accountCount: number): void {
  if (accountCount >= LARGE_POOL_ACCOUNTS) setFlagsFromString('--semi-space-growth-factor=2')
}
