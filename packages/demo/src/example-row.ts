import type { PlanKind, ProviderId } from '@svc/core'
import type { MovingWindow } from './moving-windows.ts'

/** One account of the pool: its identity, and its state at every moment. */
export interface ExampleRow {
  readonly title: string
  readonly provider: ProviderId
  readonly authName: string
  readonly authIndex: string
  readonly accountKey: string
  /** Plan in the vendor's answers; null if unknown. */
  readonly plan: PlanKind | null
  /** Plan inside the login token, if it differs from `plan`. */
  readonly claimedPlan?: PlanKind
  readonly condition: Condition
  readonly sampling: Sampling
  /** Windows listed in an answer. */
  readonly windows: readonly MovingWindow[]
  readonly requestsPerSlot: number
  /** Whether the paid month always ends in three days. */
  readonly isPaidBriefly?: true
  /** Days until each reset lapses that its owner may spend. */
  readonly bankedInDays?: readonly number[]
  /** Share of failed requests, 0..1. */
  readonly failedRatio?: number
}

/** State or fault of an account of the pool. */
export type Condition =
  | 'active'
  | 'pending'
  | 'degraded'
  | 'ready_unproven'
  | 'used_up'
  | 'spend_reached'
  | 'retry_after'
  | 'cooldown'
  /** Requests were refused recently, and the proxy's list no longer shows it. */
  | 'resting'
  /** The vendor refuses requests because the plan's allowance is spent. */
  | 'plan_used_up'
  | 'auth_invalid'
  /** The login is refused in the same way as an expired one. */
  | 'login_refused'
  | 'deactivated'
  | 'unavailable'
  | 'disabled'

/** Method of reading an account's quota, and its result. */
export type Sampling =
  | 'primary'
  | 'primary_and_headers'
  | 'discovery'
  | 'discovery_and_headers'
  | 'failing'
  | 'refused'
  | 'disabled_probe'
  /** As often as the vendor's budget allows. */
  | 'budgeted'
  /** Read mostly from response headers, so that the vendor is queried less often than its budget allows. */
  | 'budgeted_and_headers'
  | 'budgeted_refused'
  /** Read from response headers, because the vendor's answer contains no limits. */
  | 'headers'
  /** The vendor answers without limits. */
  | 'reports_none'
  | 'never'

type Rest = Partial<Omit<ExampleRow, 'provider' | 'plan'>>

const IDLE = { condition: 'active', windows: [], requestsPerSlot: 0 } as const

/** A Codex account. `ids`: the hash in its file name, its auth index and its account key. */
export function codex(address: string, plan: PlanKind | null, ids: string, rest: Rest): ExampleRow {
  const [hash = '', authIndex = '', accountKey = ''] = ids.split(' ')
  const file = [hash, address, rest.claimedPlan ?? plan].filter((part) => part !== null).join('-')
  const authName = `codex-${file}.json`
  const named = {
    provider: 'codex',
    title: address,
    authName,
    authIndex,
    accountKey,
    plan,
  } as const
  return { ...IDLE, sampling: 'primary', ...named, ...rest }
}

/** An account of another provider. */
export function other(
  provider: ProviderId,
  name: string,
  plan: PlanKind | null,
  ids: string,
  rest: Rest,
): ExampleRow {
  const [authIndex = '', accountKey = ''] = ids.split(' ')
  const authName = `${provider}-${name}.json`
  const named = { provider, title: name, authName, authIndex, accountKey, plan }
  return { ...IDLE, sampling: 'budgeted', ...named, ...rest }
}
