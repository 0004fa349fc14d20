/** Frozen, as every step. Null in what was recorded before, and in what comes from a backup. */
export const readingOrigin = `
ALTER TABLE quota_samples ADD COLUMN origin TEXT;
ALTER TABLE quota_samples ADD COLUMN sampled_at_ms INTEGER;
`
