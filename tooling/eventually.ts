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
