import { createCollectedValues } from '../known/collected-values.ts'
import { type RedactOptions, type RedactOutcome, redactFiles } from '../run/redact-run.ts'

type Changes = Partial<RedactOptions> & Pick<RedactOptions, 'inputs' | 'output'>

/** A run as nobody stops it, with values from the configuration. */
export function redactFolder(
  changes: Changes,
  configured: readonly string[] = [],
): Promise<RedactOutcome> {
  const collected = createCollectedValues()
  for (const value of configured) collected.addConfigured(value)
  return redactFiles({
    collected,
    keepMap: false,
    stop: new AbortController().signal,
    ...changes,
  })
}
