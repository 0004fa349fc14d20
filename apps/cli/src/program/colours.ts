import type { CliContext } from './cli-context.ts'

/** Foreground colours by their ANSI number; `bold` is none, but is written alike. */
const COLOURS = { bold: 1, red: 31, green: 32, yellow: 33, grey: 90 } as const
export type Colour = keyof typeof COLOURS

/** Creates the function that colours a text on a terminal, and nowhere else. See https://no-color.org. */
export function colouring({
  stdoutIsTerminal,
  env,
}: Pick<CliContext, 'stdoutIsTerminal' | 'env'>): (text: string, colour: Colour) => string {
  const isColoured = stdoutIsTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  return (text, colour) => (isColoured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text)
}
