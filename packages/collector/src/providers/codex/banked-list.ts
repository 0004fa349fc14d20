import type { EpochMs } from '@svc/core'
import { BANKED_EXPIRIES_MAX } from '@svc/core/account'
import { instantFrom, isRecord } from '../../wire/wire-fields.ts'
import { snakeKeys } from './usage-document.ts'

const CREDITS_MAX = 100

/** Expiries of the banked resets that can be spent, soonest first; null for anything but a list of them. A reset that is listed twice counts once. */
export function expiriesIn(document: unknown): readonly EpochMs[] | null {
  if (!isRecord(document)) return null
  const { credits, available_count } = snakeKeys(document)
  if (!Array.isArray(credits)) return available_count === undefined ? null : []
  const expiries = new Map<unknown, EpochMs>()
  for (const credit of credits.slice(0, CREDITS_MAX)) {
    const { id, status, expires_at } = snakeKeys(credit)
    const at = instantFrom(expires_at)
    const isAvailable = typeof status === 'string' && status.toLowerCase() === 'available'
    if (isAvailable && at !== null) expiries.set(id ?? credit, at)
  }
  return [...expiries.values()].sort((one, other) => one - other).slice(0, BANKED_EXPIRIES_MAX)
}
