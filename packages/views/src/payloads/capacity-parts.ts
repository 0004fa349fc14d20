import type { Snapshot, WindowId } from '@svc/core'
import {
  type CapacityPart,
  capacitiesOf,
  capacityPartsOf,
  poolsInScope,
  sharedWindowsOf,
  type WindowCapacity,
} from '@svc/core/pool'
import * as v from 'valibot'
import { apportionedUnits, heldTenths, partsText } from '../format/format.ts'
import type { Wording } from '../messages/wording.ts'
import { type Capacity, capacitySchema, capacityView } from './capacity.ts'
import { capacityUnitSchema, sharedBySchema } from './provider-pools.ts'
import type { ViewContext } from './view-context.ts'
import { described, instantSchema, unitsSchema } from './wire-schema.ts'

const stateSchema = v.picklist(['usable', 'held', 'unknown'] as const)

/** Answer of `/api/v1/capacity`. */
export const capacityPartsSchema = described(
  v.object({
    provider: described(v.string(), 'Provider: one, several separated by commas, or `all`.'),
    sampledAt: v.nullable(instantSchema),
    windows: v.array(
      v.object({
        provider: v.string(),
        id: v.string(),
        label: v.string(),
        unit: capacityUnitSchema,
        ...capacitySchema.entries,
        sharedBy: sharedBySchema,
        parts: described(
          v.array(
            v.object({
              accountKey: v.string(),
              title: described(v.string(), 'Label of the account; may be an e-mail address.'),
              badge: described(v.string(), 'Display name of the plan.'),
              state: described(
                stateSchema,
                'Figure that the units are part of: `usableUnits`, `heldUnits` or `unknownUnits`.',
              ),
              stale: described(v.boolean(), 'True if the units rest on a stale reading.'),
              units: unitsSchema,
              text: described(
                v.string(),
                'The units with one decimal; the texts of a state add up to the text of its figure.',
              ),
            }),
          ),
          'One entry per counted account: usable first, then held, then unknown, each with the largest first. The units of a state add up to its figure.',
        ),
      }),
    ),
  }),
  'Quota left in each window, account by account.',
)

/** Answer of `/api/v1/capacity`. */
export type CapacityParts = v.InferOutput<typeof capacityPartsSchema>
type WirePart = CapacityParts['windows'][number]['parts'][number]

/** The figures of each window of the pool, with the accounts that they are the sums of. */
export function capacityPartsView(snapshot: Snapshot, { text }: ViewContext): CapacityParts {
  return {
    provider: snapshot.provider,
    sampledAt: snapshot.sampledAt === null ? null : text.iso(snapshot.sampledAt),
    windows: poolsInScope(snapshot).flatMap((pool) => {
      const shared = sharedWindowsOf(pool)
      return capacitiesOf(pool).map((capacity) => {
        const { windowId: id } = capacity
        const figures = capacityView(capacity, { ...snapshot, ...pool }, text)
        return {
          provider: pool.provider,
          id,
          label: text.words.windowLabel(id),
          unit: pool.unit,
          ...figures,
          sharedBy: shared.get(id)?.slice(),
          parts: partsView(capacityPartsOf(pool, id), { capacity, figures, text }),
        }
      })
    }),
  }
}

interface Sums {
  readonly capacity: WindowCapacity<WindowId>
  readonly figures: Capacity
  readonly text: Wording
}

function partsView(
  parts: readonly CapacityPart[],
  { capacity, figures, text }: Sums,
): readonly WirePart[] & WirePart[] {
  const { usableUnits = 0, heldUnits = 0, unknownUnits } = figures
  const sums = {
    usable: [usableUnits, usableUnits],
    held: [heldUnits, heldTenths(capacity) / 10],
    unknown: [unknownUnits, unknownUnits],
  } as const
  return stateSchema.options.flatMap((state) => {
    const own = parts.filter((part) => part.state === state).sort((a, b) => b.units - a.units)
    const raw = own.map(({ units }) => units)
    const [whole, shown] = sums[state]
    const units = apportionedUnits(raw, whole)
    const texts = partsText(raw, shown)
    return own.map(({ account, stale }, index) => ({
      accountKey: account.selector.accountKey,
      title: account.title,
      badge: text.words.planName(account.plan, account.planName),
      state,
      stale,
      units: units[index] ?? 0,
      text: texts[index] ?? '',
    }))
  })
}
