import type { EvaluatedAccount } from '@svc/core'
import * as v from 'valibot'
import { statusLabel, statusSign, statusSigns } from '../messages/statuses.ts'
import type { Wording } from '../messages/wording.ts'
import { instantSchema, optional, toneSchema } from './wire-schema.ts'

export const poolStatusSchema = v.object({
  text: v.string(),
  tone: toneSchema,
  sign: optional(
    v.picklist(statusSigns),
    'Marker shown in lists of accounts; omitted if equal to the tone.',
  ),
  until: v.nullable(instantSchema),
})

type PoolStatus = v.InferOutput<typeof poolStatusSchema>

export function poolStatus(account: EvaluatedAccount, text: Wording): PoolStatus {
  const { tone, until } = account.status
  const sign = statusSign(account)
  return {
    text: statusLabel(account, text),
    tone,
    ...(sign === tone ? {} : { sign }),
    until: until === null ? null : text.iso(until),
  }
}
