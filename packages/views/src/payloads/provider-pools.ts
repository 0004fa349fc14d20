import type { EvaluatedAccount, Snapshot, WindowId } from '@svc/core'
import { blockedModelsOf } from '@svc/core/account'
import {
  capacitiesOf,
  firstReadingsOf,
  type ProviderPool,
  type WindowCapacity,
} from '@svc/core/pool'
import * as v from 'valibot'
import { providerName } from '../messages/names/provider-name.ts'
import type { Wording } from '../messages/wording.ts'
import { capacityFigures, nextReturnSchema, nextReturnView } from './capacity.ts'
import { countSchema, described, instantSchema, percentSchema, unitsSchema } from './wire-schema.ts'

export const capacityUnitSchema = v.picklist(['plus', 'pro', 'accounts', 'mixed'] as const)

const poolWindowSchema = v.object({
  id: v.string(),
  label: v.string(),
  knownUnits: unitsSchema,
  trackedUnits: unitsSchema,
  unknownUnits: unitsSchema,
  staleUnits: unitsSchema,
  percent: described(
    v.nullable(percentSchema),
    'Known of tracked; null when nothing is tracked, or more than a fifth of it is unknown.',
  ),
  nextRecovery: v.nullable(nextReturnSchema),
})

export const providerPoolsSchema = described(
  v.array(
    v.object({
      provider: v.string(),
      label: described(v.string(), 'The provider as shown.'),
      unit: described(
        capacityUnitSchema,
        'What the units count; those of two providers never add up.',
      ),
      accounts: countSchema,
      routable: countSchema,
      blocked: countSchema,
      untracked: described(countSchema, 'Accounts whose plan is no part of the capacity.'),
      accountsRead: v.optional(
        described(countSchema, 'Accounts to be queried that were read at least once, or failed.'),
      ),
      accountsToRead: v.optional(described(countSchema, 'Accounts to be queried.')),
      windows: described(
        v.array(poolWindowSchema),
        'Windows that some account has, shortest first; empty where the vendor reports none.',
      ),
    }),
  ),
  'The accounts of each provider as a pool of their own, in display order.',
)

type ProviderPools = v.InferOutput<typeof providerPoolsSchema>

/** The pool of every provider, whichever one is asked for. */
export function providerPoolsView(snapshot: Snapshot, text: Wording): ProviderPools {
  return snapshot.pools.map((pool) => ({
    provider: pool.provider,
    label: providerName(pool.provider),
    unit: pool.unit,
    accounts: pool.routableCount + pool.blockedCount,
    routable: pool.routableCount,
    blocked: pool.blockedCount,
    untracked: pool.untrackedCount,
    ...readingsView(pool),
    windows: capacitiesOf(pool).map((capacity) => windowView(capacity, pool, snapshot, text)),
  }))
}

function readingsView({ accounts }: ProviderPool) {
  const { readCount, toReadCount } = firstReadingsOf(accounts)
  return { accountsRead: readCount, accountsToRead: toReadCount }
}

function windowView(
  capacity: WindowCapacity<WindowId>,
  { unit }: ProviderPool,
  { evaluatedAt }: Snapshot,
  text: Wording,
): ProviderPools[number]['windows'][number] {
  const { windowId: id } = capacity
  const { knownUnits, trackedUnits, unknownUnits, staleUnits, percent } = capacityFigures(capacity)
  return {
    id,
    label: text.words.windowLabel(id),
    knownUnits,
    trackedUnits,
    unknownUnits,
    staleUnits,
    percent,
    nextRecovery: nextReturnView({ unit, evaluatedAt }, [capacity], text),
  }
}

export const blockedModelsSchema = v.optional(
  described(
    v.array(
      v.object({
        scope: described(v.string(), 'Scope of the used-up window, as in its id.'),
        models: described(v.nullable(v.array(v.string())), 'Null where the vendor names none.'),
        until: v.nullable(instantSchema),
        reason: v.string(),
      }),
    ),
    'Models that the account cannot serve now; left out where it serves all.',
  ),
)

/** Models an account cannot serve now; undefined where it serves all. */
export function blockedModelsView(
  account: EvaluatedAccount,
  text: Wording,
): v.InferOutput<typeof blockedModelsSchema> {
  const blocked = blockedModelsOf(account)
  if (blocked.length === 0) return undefined
  return blocked.map(({ scope, models, until, reason }) => ({
    scope,
    models: models === null ? null : [...models],
    until: until === null ? null : text.iso(until),
    reason,
  }))
}
