/** Frozen, as every step. Null for earlier readings and for readings from a backup. */
export const readingOrigin = `
ALTER TABLE quota_samples ADD COLUMN origin TEXT;
ALTER TABLE quota_samples ADD COLUMN sampled_at_ms INTEGER;
`
