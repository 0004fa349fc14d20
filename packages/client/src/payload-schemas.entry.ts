// Payloads of the client as JSON Schema, of which the build makes types that need no other package.
import {
  accountDetailSchema,
  capacityPartsSchema,
  eventSchemas,
  healthSchema,
  pickSchema,
  pricesSchema,
  recommendationsSchema,
  statsSeriesSchema,
  statusSnapshotSchema,
} from '@svc/views'
import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'

const events = Object.entries(eventSchemas).map(([name, data]) =>
  v.object({ event: v.literal(name), data }),
)

/** Schemas by the names of their types in `@svc/views`. */
export const payloadSchemas = toJsonSchemaDefs({
  AccountDetail: accountDetailSchema,
  CapacityParts: capacityPartsSchema,
  Health: healthSchema,
  Pick: pickSchema,
  PoolEvent: v.union(events),
  Prices: pricesSchema,
  Recommendations: recommendationsSchema,
  StatsSeries: statsSeriesSchema,
  StatusSnapshot: statusSnapshotSchema,
})
