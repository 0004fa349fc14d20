// Stands in the bundle for libraries of prom-client that nothing here calls: exemplars need the first, summaries the other.
export const trace = undefined
export const TDigest = undefined
