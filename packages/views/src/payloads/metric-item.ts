import * as v from 'valibot'

export const metricItemSchema = v.pipe(
  v.object({ label: v.string(), value: v.string(), detail: v.optional(v.string()) }),
  v.description('One figure as a person reads it.'),
)

/** Figures in display order. */
export const itemsSchema = v.array(metricItemSchema)
