const COLUMNS = ['failed_auth', 'failed_limit', 'failed_vendor', 'failed_other']
  .map((column) => `ADD COLUMN ${column} bigint NOT NULL DEFAULT 0`)
  .join(', ')

/** Frozen, as every step. Of the failures before it is unknown what they failed with. */
export const failures = `
ALTER TABLE svc_quota_monitor.usage ADD COLUMN failure smallint;
ALTER TABLE svc_quota_monitor.rollup_60 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_900 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_7200 ${COLUMNS};
ALTER TABLE svc_quota_monitor.rollup_86400 ${COLUMNS};
`
