import { emitKeypressEvents, type Key } from 'node:readline'

/** ANSI codes of the foreground colours; `bold` and `dim` are styles with the same syntax. */
const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, grey: 90 } as const
export type Colour = keyof typeof COLOURS
export type Paint = (text: string, colour: Colour) => string

/** Creates a function that colours text on a terminal and leaves it unchanged elsewhere. See https://no-color.org. */
export function colouring({
  stdoutIsTerminal,
  env,
}: {
  readonly stdoutIsTerminal: boolean
  readonly env: NodeJS.ProcessEnv
}): Paint {
  const isColoured = stdoutIsTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  return (text, colour) => (isColoured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text)
}

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** A key: its name, such as `pageup` or `ctrl-c`, and the text it types, `''` if none. */
export interface PressedKey {
  readonly name: string
  readonly text: string
}

/** The terminal that is both stdin and stdout. */
export interface Terminal {
  size(): ScreenSize
  write(text: string): void
  /** Shows an empty alternate screen and reports every key, until the returned function is called or the process ends. Both restore the terminal. */
  open(on: { readonly key: (key: PressedKey) => void; readonly resize: () => void }): () => void
}

/** Enters the alternate screen and hides the cursor, and the reverse. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?25h\u001b[?1049l'

/** The terminal of this process; null if stdin or stdout is not a terminal. */
export function processTerminal(): Terminal | null {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return null
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write: (text) => void stdout.write(text),
    open({ key, resize }) {
      const pressed = (text: string | undefined, { name = '', ctrl }: Key) =>
        key({ name: ctrl === true ? `ctrl-${name}` : name, text: text ?? '' })
      const close = () => {
        process.off('exit', close)
        stdout.off('resize', resize)
        stdin.off('keypress', pressed)
        try {
          stdout.write(LEAVE)
          stdin.setRawMode(false)
        } catch {
          // A terminal that is gone has nothing to restore.
        }
        stdin.pause()
      }
      process.on('exit', close)
      emitKeypressEvents(stdin)
      stdin.setRawMode(true)
      stdin.on('keypress', pressed).resume()
      stdout.on('resize', resize)
      stdout.write(ENTER)
      return close
    },
  }
}
