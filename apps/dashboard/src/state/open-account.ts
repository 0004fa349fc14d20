import { computed } from '@preact/signals'
import type { PoolAccount } from './live-data.ts'
import { accountKeyOf, files } from './pool.ts'
import { route } from './route.ts'

/** The account whose details are open; null if none are open, or if the account is not listed. */
export const openAccount = computed<PoolAccount | null>(
  () => files.value.find((account) => accountKeyOf(account) === route.value.account) ?? null,
)
