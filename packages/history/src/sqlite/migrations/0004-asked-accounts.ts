/** Frozen, as every step. The last query of each file's account, and what refused it: it is written before the query goes out. */
export const askedAccounts = `
CREATE TABLE asked_accounts (
  upstream TEXT NOT NULL,
  file TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (upstream, file)
) WITHOUT ROWID, STRICT;
`
