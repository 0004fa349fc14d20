import { isStoreError, storeErrorText } from '@svc/views/messages'
import { type CliContext, failure } from './cli-context.ts'

/**
 * Runs work on a store. Known failures, and failures of files and pipes, are reported in one line; a signal ends the work cleanly. Resolves
 * with the exit code.
 */
export async function runLongTask(
  context: CliContext,
  work: (stop: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  try {
    return await work(stop.signal)
  } catch (error) {
    const message = messageOf(error)
    if (message === null) throw error
    return failure(context, message)
  }
}

function messageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (isStoreError(error)) return storeErrorText(error)
  if (error.name === 'BackupError' || error.name === 'InputError') return error.message
  if (!('syscall' in error && 'code' in error)) return null
  return error.code === 'ENOSPC'
    ? 'there is no space left to write to'
    : `reading or writing failed (${String(error.code)})`
}
