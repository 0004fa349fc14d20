import { promises as fs } from 'node:fs'
import type { LeakFinder } from './leak-finder.ts'

const PIECE_BYTES = 128 * 1024

/** Shapes no redacted file holds, whatever is known. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\\nr]{1,8}[A-Za-z0-9+/=]{40}/,
  /(?<![\w-])eyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/,
  /(?<![\w-])sk-(?:ant|proj|svcacct|admin)-[A-Za-z0-9_-]{24,}/,
  /(?<![\w-])gh[pousr]_[A-Za-z0-9]{36}(?!\w)/,
]

export interface Leak {
  /** Bytes from the beginning of the file. */
  readonly offset: number
}

export interface Verifying {
  readonly finder: LeakFinder
  readonly stop: AbortSignal
  readonly onRead?: (bytes: number) => void
}

/** Reads a file from its first byte to its last. Resolves with the first leak, null when there is none. */
export async function verifyFile(
  path: string,
  { finder, stop, onRead }: Verifying,
): Promise<Leak | null> {
  const file = await fs.open(path, 'r')
  try {
    const pieceBytes = Math.max(1, Math.min(PIECE_BYTES, (await file.stat()).size))
    const overlap = finder.reach + 256
    let held = Buffer.alloc(0)
    let base = 0
    for (;;) {
      stop.throwIfAborted()
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(pieceBytes),
        0,
        pieceBytes,
        base + held.length,
      )
      if (bytesRead === 0) return null
      held = Buffer.concat([held, buffer.subarray(0, bytesRead)])
      const offset = finder.find(held) ?? shapeIn(held)
      if (offset !== null) return { offset: base + offset }
      onRead?.(bytesRead)
      const from = Math.max(0, held.length - overlap)
      held = Buffer.from(held.subarray(from))
      base += from
    }
  } finally {
    await file.close()
  }
}

function shapeIn(bytes: Buffer): number | null {
  const text = bytes.toString('latin1')
  for (const shape of SHAPES) {
    const found = shape.exec(text)
    if (found !== null) return found.index
  }
  return null
}
