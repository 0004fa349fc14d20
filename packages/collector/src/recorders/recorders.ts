import type { Recorder } from '@svc/core/usage'
import { cpaManagerPlus } from './cpa-manager-plus.ts'
import { keeper } from './keeper.ts'
import { usageExport } from './usage-export.ts'

/** The programs whose records can be imported, by name. */
export const recorders = {
  keeper,
  'cpa-manager-plus': cpaManagerPlus,
  'usage-export': usageExport,
} as const satisfies Readonly<Record<string, Recorder>>

export type RecorderName = keyof typeof recorders
