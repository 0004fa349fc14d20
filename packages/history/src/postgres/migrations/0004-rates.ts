/** Frozen, as every step. What a request is priced by, sums of accounts and clients with it, and why requests failed. */
export const rates = `
ALTER TABLE svc_quota_monitor.usage ADD COLUMN tier smallint;
ALTER TABLE svc_quota_monitor.capacity_points ADD COLUMN usable_units double precision;

CREATE TABLE svc_quota_monitor.cells (
  id int PRIMARY KEY,
  kind smallint NOT NULL,
  member_id int NOT NULL,
  model_id int NOT NULL,
  upstream_id smallint NOT NULL,
  provider_id smallint NOT NULL,
  tier smallint NOT NULL,
  band smallint NOT NULL,
  CONSTRAINT cells_key UNIQUE (kind, member_id, model_id, upstream_id, provider_id, tier, band)
);

CREATE TABLE svc_quota_monitor.causes (
  id int PRIMARY KEY,
  provider_id smallint NOT NULL,
  status smallint NOT NULL,
  code text NOT NULL,
  CONSTRAINT causes_key UNIQUE (provider_id, status, code)
);

CREATE TABLE svc_quota_monitor.failure_causes (
  day int NOT NULL,
  provider_id smallint NOT NULL,
  upstream_id smallint NOT NULL,
  account_id int NOT NULL,
  cause_id int NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (day, provider_id, upstream_id, account_id, cause_id)
);

CREATE TABLE svc_quota_monitor.price_sources (
  id int PRIMARY KEY,
  kind text NOT NULL,
  sha256 text NOT NULL,
  read_at_ms bigint NOT NULL
);

CREATE TABLE svc_quota_monitor.prices (
  model_id int NOT NULL,
  tier smallint NOT NULL,
  band smallint NOT NULL,
  from_day int NOT NULL,
  rate_in bigint,
  rate_read bigint,
  rate_write bigint,
  rate_out bigint,
  source_id int NOT NULL,
  PRIMARY KEY (model_id, tier, band, from_day)
);
`
