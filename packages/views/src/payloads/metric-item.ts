import * as v from 'valibot'
import { described } from './wire-schema.ts'

export const metricItemSchema = described(
  v.object({ label: v.string(), value: v.string(), detail: v.optional(v.string()) }),
  'One figure, formatted for display.',
)

/** Figures in display order. */
export const itemsSchema = v.array(metricItemSchema)
