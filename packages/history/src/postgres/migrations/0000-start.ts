/**
 * The first schema, frozen. Times are integers in milliseconds or seconds, as in SQLite, so both engines share their arithmetic.
 */
const ROLLUP_COLUMNS = `(
  grouping smallint NOT NULL,
  bucket_s bigint NOT NULL,
  member_id int NOT NULL,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  failed bigint NOT NULL,
  tokens_in bigint NOT NULL,
  tokens_cached bigint NOT NULL,
  tokens_written bigint NOT NULL,
  tokens_out bigint NOT NULL,
  PRIMARY KEY (grouping, bucket_s, member_id)
)`

export const start = `
CREATE TABLE svc_quota_monitor.upstreams (id smallint PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE svc_quota_monitor.providers (id smallint PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE svc_quota_monitor.accounts (
  id int PRIMARY KEY,
  instance text NOT NULL,
  key text NOT NULL,
  title text NOT NULL,
  UNIQUE (instance, key)
);
CREATE TABLE svc_quota_monitor.api_names (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE svc_quota_monitor.models (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE svc_quota_monitor.usage (
  at_ms bigint NOT NULL,
  key bigint NOT NULL,
  account_id int NOT NULL,
  api_name_id int NOT NULL,
  model_id int NOT NULL,
  upstream_id smallint NOT NULL,
  provider_id smallint,
  failed boolean NOT NULL,
  tokens bigint NOT NULL,
  tokens_in bigint,
  tokens_cached bigint,
  tokens_written bigint,
  tokens_out bigint,
  latency_ms int,
  first_token_ms int,
  PRIMARY KEY (at_ms, key)
) PARTITION BY RANGE (at_ms);
CREATE TABLE svc_quota_monitor.rollup_60 ${ROLLUP_COLUMNS};
CREATE TABLE svc_quota_monitor.rollup_900 ${ROLLUP_COLUMNS};
CREATE TABLE svc_quota_monitor.rollup_7200 ${ROLLUP_COLUMNS};
CREATE TABLE svc_quota_monitor.rollup_86400 ${ROLLUP_COLUMNS};
CREATE TABLE svc_quota_monitor.quota_samples (
  account_id int NOT NULL,
  window_id text NOT NULL,
  at_ms bigint NOT NULL,
  percent double precision NOT NULL,
  reset_at_ms bigint,
  origin text,
  sampled_at_ms bigint,
  PRIMARY KEY (account_id, window_id, at_ms)
);
CREATE TABLE svc_quota_monitor.capacity_points (
  window_id text NOT NULL,
  at_ms bigint NOT NULL,
  known_units double precision NOT NULL,
  tracked_units double precision NOT NULL,
  unknown_units double precision NOT NULL,
  burned_units double precision NOT NULL,
  PRIMARY KEY (window_id, at_ms)
);
CREATE TABLE svc_quota_monitor.recent_changes (
  id bigint PRIMARY KEY,
  at_ms bigint NOT NULL,
  tone text NOT NULL,
  detail text NOT NULL
);
CREATE TABLE svc_quota_monitor.gaps (
  upstream_id smallint NOT NULL,
  from_ms bigint NOT NULL,
  to_ms bigint NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (upstream_id, from_ms, to_ms, reason)
);
CREATE TABLE svc_quota_monitor.quarantine (
  id bigint PRIMARY KEY,
  at_ms bigint NOT NULL,
  reason text NOT NULL,
  shape text NOT NULL,
  upstream_id smallint NOT NULL
);
CREATE TABLE svc_quota_monitor.feeds (
  upstream_id smallint PRIMARY KEY,
  last_poll_ms bigint,
  pop_mark_ms bigint,
  tree_requests bigint
);
CREATE TABLE svc_quota_monitor.leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  term bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
`
