import { performance } from 'node:perf_hooks'
import { stripVTControlCharacters } from 'node:util'

/** How often the line of a terminal is drawn anew, in milliseconds. */
const REDRAW_MS = 250

/**
 * A phase on the screen.
 * @typedef {{ note(text: string): void, done(): void, failed(): void, drop(): void }} Phase
 */

/** @typedef {ReturnType<typeof createScreen>} Screen */

/**
 * One line a phase. A terminal shows the phases that run in its last line; a pipe gets each line when its phase has ended.
 * @param {{ readonly isTTY?: boolean, readonly columns?: number, write(text: string): unknown }} out
 */
export function createScreen(out) {
  /** @type {Set<{ readonly label: string, readonly startedAt: number, note: string }>} */
  const running = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  let timer

  const draw = () => {
    if (out.isTTY !== true) return
    const text = [...running].map((phase) => lineOf(phase)).join('   ')
    // A terminal that does not know its width says 0.
    out.write(`\r\u001b[K${text.slice(0, (out.columns || 80) - 1)}`)
  }
  /** @param {string} text */
  const line = (text) => {
    if (out.isTTY === true) out.write('\r\u001b[K')
    out.write(`${out.isTTY === true ? text : stripVTControlCharacters(text)}\n`)
    if (running.size > 0) draw()
  }

  return {
    line,
    /**
     * @param {string} label
     * @returns {Phase}
     */
    begin(label) {
      const phase = { label, startedAt: performance.now(), note: '' }
      running.add(phase)
      if (out.isTTY === true) timer ??= setInterval(draw, REDRAW_MS).unref()
      draw()
      const end = (/** @type {string | null} */ text) => {
        if (!running.delete(phase)) return
        if (running.size === 0) {
          clearInterval(timer)
          timer = undefined
        }
        if (text === null) draw()
        else line(text)
      }
      return {
        note(text) {
          phase.note = text
        },
        done: () => end(lineOf(phase)),
        failed: () => end(`${label} … failed`),
        drop: () => end(null),
      }
    },
  }
}

/** @param {{ readonly label: string, readonly startedAt: number, readonly note: string }} phase */
function lineOf({ label, startedAt, note }) {
  const seconds = Math.max(1, Math.round((performance.now() - startedAt) / 1000))
  return `${label} … ${note === '' ? '' : `${note}, `}${seconds} s`
}
