import { createHash } from 'node:crypto'
import { type PriceFile, readPriceFile } from '@svc/core/money'
import type { KeyFileProblem } from '@svc/core/service'
import { readSecretFile } from '@svc/secret-files'
import { documentOf } from '../wire/wire-fields.ts'

/** Why a price file is not used. */
export type PriceFileFault = 'price_file_unreadable' | 'price_file_too_large' | 'price_file_shape'

export type ListPrices =
  | { readonly kind: 'prices'; readonly file: PriceFile; readonly sha256: string }
  /** `reason` is null where the file could be read. */
  | {
      readonly kind: 'fault'
      readonly code: PriceFileFault
      readonly reason: KeyFileProblem | null
    }

/** Largest price file. See docs/limits.md#files-with-secrets. */
const PRICE_FILE_BYTES_MAX = 16 * 1024 * 1024

const FAULTS: Readonly<Partial<Record<KeyFileProblem, PriceFileFault>>> = {
  too_large: 'price_file_too_large',
  empty: 'price_file_shape',
  utf16: 'price_file_shape',
  nul: 'price_file_shape',
}

/** Reads a file of list prices that none but its owner can change. */
export async function readListPrices(path: string): Promise<ListPrices> {
  const reading = await readSecretFile(path, PRICE_FILE_BYTES_MAX)
  if (reading.kind === 'problem') {
    const { reason } = reading
    return { kind: 'fault', code: FAULTS[reason] ?? 'price_file_unreadable', reason }
  }
  const file = readPriceFile(documentOf(reading.text))
  if (file === null) return { kind: 'fault', code: 'price_file_shape', reason: null }
  return { kind: 'prices', file, sha256: createHash('sha256').update(reading.text).digest('hex') }
}
