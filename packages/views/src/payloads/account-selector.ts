import type { EvaluatedAccount } from '@svc/core'
import * as v from 'valibot'
import { described } from './wire-schema.ts'

/** Identifies one account. A closed object, so that it can never contain a path, a token or a key. */
export const accountSelectorSchema = described(
  v.strictObject({ authName: v.string(), authIndex: v.string(), accountKey: v.string() }),
  'Identity of one account, without file paths, tokens or keys. Closed object. `accountKey` is the stable identity.',
)

/** Copies field by field, so that nothing else can get in. */
export function accountSelector({
  selector,
}: EvaluatedAccount): v.InferOutput<typeof accountSelectorSchema> {
  return {
    authName: selector.authName,
    authIndex: selector.authIndex,
    accountKey: selector.accountKey,
  }
}
