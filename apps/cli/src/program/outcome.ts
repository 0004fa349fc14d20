import { type CliContext, failure } from './cli-context.ts'
import { isOn, type ParsedOptions } from './flags.ts'

/** What a command has to say. */
export interface Outcome {
  readonly exit: number
  /** Printed with --json. */
  readonly document?: unknown
  /** Printed otherwise. */
  readonly text?: () => string
  /** A line on stderr after that. */
  readonly problem?: string | false
}

/** Prints an outcome, and gives its exit code. */
export function printed(outcome: Outcome, options: ParsedOptions, context: CliContext): number {
  const { exit, document, text, problem = false } = outcome
  if (isOn(options.json) && document !== undefined)
    context.stdout(`${JSON.stringify(document, null, 2)}\n`)
  else if (text !== undefined) context.stdout(text())
  if (problem !== false) failure(context, problem)
  return exit
}
