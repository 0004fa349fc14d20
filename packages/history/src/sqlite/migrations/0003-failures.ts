/** Frozen, as every step. Of the failures before it is unknown what they failed with. */
export const failures = `
ALTER TABLE usage ADD COLUMN failure INTEGER;

ALTER TABLE rollups ADD COLUMN failed_auth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_vendor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_other INTEGER NOT NULL DEFAULT 0;
`
