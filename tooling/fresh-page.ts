import { afterAll, vi } from 'vitest'

/** A page without state for each file of tests, in a process that keeps the libraries: the modules of the file before are forgotten, and what it began to import or repeats ends with it. */
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

afterAll(async () => {
  // A view that is still loading would go on among the modules of the next file, which then has two of one.
  await vi.dynamicImportSettled()
  for (const interval of intervals) clearInterval(interval)
  Object.assign(globalThis, { setInterval })
})
