import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'

/** Thrown if reading the input was stopped before its end. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/**
 * Copies the input to a file that can be read twice, and resolves with its descriptor. The file is unlinked at once, so that nothing is
 * left however the process ends. Rejects with InputError if stopped, and with the errors of the file system.
 */
export async function spooledInput(
  input: Readable,
  besides: string,
  stop: AbortSignal,
): Promise<number> {
  const path = `${besides}.${process.pid}.input`
  const file = openSync(path, 'wx+', 0o600)
  rmSync(path)
  const end = () => void input.destroy(new InputError('interrupted: nothing was imported'))
  stop.addEventListener('abort', end)
  try {
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      for (let written = 0; written < chunk.byteLength; ) written += writeSync(file, chunk, written)
    }
    return file
  } catch (error) {
    closeSync(file)
    throw error
  } finally {
    stop.removeEventListener('abort', end)
  }
}
