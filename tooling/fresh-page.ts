import { afterAll, vi } from 'vitest'

/** A page without state for each file of tests, in a process that keeps the libraries: the modules of the file before are forgotten, and its intervals end. */
vi.resetModules()

const { setInterval } = globalThis
const intervals = new Set<ReturnType<typeof setInterval>>()
Object.assign(globalThis, {
  setInterval(...from: Parameters<typeof setInterval>) {
    const interval = setInterval(...from)
    intervals.add(interval)
    return interval
  },
})

afterAll(() => {
  for (const interval of intervals) clearInterval(interval)
  Object.assign(globalThis, { setInterval })
})
