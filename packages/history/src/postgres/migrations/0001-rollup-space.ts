/**
 * Sums of the present are added to with every batch. With a fifth of each page left free most of these updates stay on their page and need no new entry
 * in the index, so that tables and indexes of sums take about half of the bytes.
 */
export const rollupSpace = `
ALTER TABLE svc_quota_monitor.rollup_60 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_900 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_7200 SET (fillfactor = 80);
ALTER TABLE svc_quota_monitor.rollup_86400 SET (fillfactor = 80);
`
