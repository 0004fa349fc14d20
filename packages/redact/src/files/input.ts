import { constants, promises as fs } from 'node:fs'
import { RedactError } from '../redact-error.ts'

/** A regular file that is open for reading, up to the length it had when it was opened; later additions are not read. */
export interface Input {
  readonly size: number
  /** Pieces in order, from the first byte to `size`. Throws RedactError when the file has become shorter. */
  pieces(stop: AbortSignal): AsyncGenerator<Buffer>
  close(): Promise<void>
}

const PIECE_BYTES = 64 * 1024
/** Flags for opening a file. Without O_NONBLOCK, opening a pipe would wait for its writer. Windows has neither flag and needs neither. */
const OPEN_FLAGS =
  constants.O_RDONLY |
  ((constants.O_NONBLOCK as number | undefined) ?? 0) |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0)

/** Opens a file. Throws RedactError for pipes, devices, sockets, and files without a meaningful size such as those below /proc. */
export async function openInput(path: string): Promise<Input> {
  const file = await fs.open(path, OPEN_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENXIO') throw new RedactError('is not a regular file')
    if (error.code === 'ELOOP') throw new RedactError('is a link')
    throw error
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new RedactError('is not a regular file')
    if (stats.size === 0 && (await file.read(Buffer.alloc(1), 0, 1, 0)).bytesRead > 0)
      throw new RedactError('has no size: it is made by the system while it is read')
    return {
      size: stats.size,
      async *pieces(stop) {
        for (let at = 0; at < stats.size; ) {
          stop.throwIfAborted()
          const length = Math.min(PIECE_BYTES, stats.size - at)
          const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
          if (bytesRead === 0) throw new RedactError('became shorter while it was read')
          at += bytesRead
          yield buffer.subarray(0, bytesRead)
        }
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
