import { printableJson, printableLines } from '@svc/views/format'
import { type CliContext, failure } from './cli-context.ts'
import { isOn, type ParsedOptions } from './flags.ts'

/** Result of a command. */
export interface Outcome {
  readonly exit: number
  /** JSON value printed with --json. */
  readonly document?: unknown
  /** Text printed without --json. */
  readonly text?: () => string
  /** One or more lines for stderr after the output. */
  readonly problem?: string | readonly [string, ...string[]] | false
}

/** Prints an outcome and returns its exit code. */
export function printed(outcome: Outcome, options: ParsedOptions, context: CliContext): number {
  const { exit, document, text, problem = false } = outcome
  if (isOn(options.json) && document !== undefined)
    context.stdout(`${printableJson(document, 2)}\n`)
  else if (text !== undefined) context.stdout(printableLines(text()))
  if (typeof problem === 'string') failure(context, problem)
  else if (problem !== false) failure(context, ...problem)
  return exit
}
