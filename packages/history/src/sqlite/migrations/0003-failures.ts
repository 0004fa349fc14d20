/** Frozen, as every step. The kind of earlier failures is unknown. */
export const failures = `
ALTER TABLE usage ADD COLUMN failure INTEGER;

ALTER TABLE rollups ADD COLUMN failed_auth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_vendor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_other INTEGER NOT NULL DEFAULT 0;
`
