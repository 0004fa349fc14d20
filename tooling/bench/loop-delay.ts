import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into a measured program with `--import`: on SIGWINCH it writes how late the event loop has been since the last time, in milliseconds.
const RESOLUTION_MS = 1
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()

process.on('SIGWINCH', () => {
  const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  process.stderr.write(
    `${JSON.stringify({ loopDelay: { p99Ms: lateMs(delay.percentile(99)), maxMs: lateMs(delay.max) } })}\n`,
  )
  delay.reset()
})
