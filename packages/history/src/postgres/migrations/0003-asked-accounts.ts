/** Frozen, as every step. The last query of each file's account, and what refused it: it is written before the query goes out. */
export const askedAccounts = `
CREATE TABLE svc_quota_monitor.asked_accounts (
  upstream text NOT NULL,
  file text NOT NULL,
  at_ms bigint NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (upstream, file)
);
`
