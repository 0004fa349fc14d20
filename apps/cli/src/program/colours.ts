import type { CliContext } from './cli-context.ts'

/** Foreground colours by their ANSI number; `bold` and `dim` are none, but are written alike. */
const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, grey: 90 } as const
export type Colour = keyof typeof COLOURS
export type Paint = (text: string, colour: Colour) => string

/** Creates the function that colours a text on a terminal, and nowhere else. See https://no-color.org. */
export function colouring({
  stdoutIsTerminal,
  env,
}: Pick<CliContext, 'stdoutIsTerminal' | 'env'>): Paint {
  const isColoured = stdoutIsTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  return (text, colour) => (isColoured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text)
}
