const PREFIX = 'svc_quota_monitor'

interface Panel {
  readonly title: string
  readonly kind: 'stat' | 'timeseries'
  readonly unit: string
  readonly width: number
  /** Whether Grafana draws one panel for each provider. */
  readonly perProvider?: boolean
  readonly queries: readonly (readonly [expr: string, legend: string])[]
}

const HEIGHT = 7
const COLUMNS = 24

/** Panels in rows of 24 columns. A new panel is one entry here. */
const panels: readonly Panel[] = [
  stat(
    '5h quota that can be used',
    'percentunit',
    `${PREFIX}_capacity_usable_plus_units{window="5h"} / ${PREFIX}_capacity_tracked_plus_units{window="5h"}`,
  ),
  stat(
    'Week quota that can be used',
    'percentunit',
    `${PREFIX}_capacity_usable_plus_units{window="week"} / ${PREFIX}_capacity_tracked_plus_units{window="week"}`,
  ),
  stat(
    'Accounts that may be used',
    'short',
    `${PREFIX}_provider_routable_accounts`,
    '{{provider}}',
  ),
  stat('To act on', 'short', `${PREFIX}_health_action_count`),
  {
    title: 'Quota in Plus units',
    kind: 'timeseries',
    unit: 'short',
    width: 12,
    queries: [
      [`${PREFIX}_capacity_known_plus_units`, '{{window}} known'],
      [`${PREFIX}_capacity_usable_plus_units`, '{{window}} usable'],
      [`${PREFIX}_capacity_tracked_plus_units`, '{{window}} when full'],
      [`${PREFIX}_capacity_stale_plus_units`, '{{window}} of it stale'],
    ],
  },
  {
    title: 'Runs dry and comes back in',
    kind: 'timeseries',
    unit: 's',
    width: 12,
    queries: [
      [`${PREFIX}_capacity_runs_dry_timestamp_seconds - time()`, '{{window}} runs dry'],
      [`${PREFIX}_capacity_next_recovery_timestamp_seconds - time()`, '{{window}} next reset'],
    ],
  },
  series(
    'Blocked accounts by reason',
    'short',
    `${PREFIX}_provider_blocked_accounts > 0`,
    '{{provider}} {{reason}}',
  ),
  series(
    'Burn, Plus units an hour',
    'short',
    `${PREFIX}_capacity_burn_plus_units_per_hour`,
    '{{window}}',
  ),
  series(
    'Age of each source',
    's',
    `time() - ${PREFIX}_last_success_timestamp_seconds`,
    '{{source}}',
  ),
  series(
    'Direct quota queries a minute',
    'short',
    `sum by (result) (rate(${PREFIX}_direct_quota_probes_total[5m])) * 60`,
    '{{result}}',
  ),
  series(
    'Usage rows a minute',
    'short',
    `sum(rate(${PREFIX}_usage_rows_ingested_total[5m])) * 60`,
    'stored',
  ),
  series(
    'Errors of the proxy a minute',
    'short',
    `sum by (endpoint) (rate(${PREFIX}_upstream_errors_total[5m])) * 60`,
    '{{endpoint}}',
  ),
  series(
    'Usage: requests a minute by model',
    'short',
    `sum by (provider, model) (rate(${PREFIX}_usage_requests_total[5m])) * 60`,
    '{{provider}} {{model}}',
  ),
  series(
    'Usage: tokens a minute by class',
    'short',
    `sum by (class) (rate(${PREFIX}_usage_tokens_total[5m])) * 60`,
    '{{class}}',
  ),
  series(
    'Usage: requests a minute by client',
    'short',
    `sum by (client) (rate(${PREFIX}_client_requests_total[5m])) * 60`,
    '{{client}}',
  ),
  series(
    'Usage: 9 of 10 first tokens within',
    's',
    `histogram_quantile(0.9, sum by (provider, le) (rate(${PREFIX}_usage_first_token_seconds_bucket[5m])))`,
    '{{provider}}',
  ),
  series(
    'Usage: dollars an hour by model, at the list price',
    'currencyUSD',
    `sum by (provider, model) (rate(${PREFIX}_usage_cost_usd_total[5m])) * 3600`,
    '{{provider}} {{model}}',
  ),
  series(
    'Usage: dollars an hour by client, at the list price',
    'currencyUSD',
    `sum by (client) (rate(${PREFIX}_client_cost_usd_total[5m])) * 3600`,
    '{{client}}',
  ),
  series(
    'Providers whose queries wait',
    'short',
    `${PREFIX}_provider_probes_paused`,
    '{{provider}}',
  ),
  // Last, because its panels take as many rows as there are providers.
  {
    ...series(
      'Quota left of $provider',
      'percentunit',
      `${PREFIX}_provider_capacity_known_units{provider="$provider"} / (${PREFIX}_provider_capacity_tracked_units > 0)`,
      '{{window}}',
    ),
    perProvider: true,
  },
]

function stat(title: string, unit: string, expr: string, legend = ''): Panel {
  return { title, kind: 'stat', unit, width: 6, queries: [[expr, legend]] }
}

function series(title: string, unit: string, expr: string, legend: string): Panel {
  return { title, kind: 'timeseries', unit, width: 12, queries: [[expr, legend]] }
}

/** A dashboard for Grafana's import dialog, which asks for the data source. */
export function grafanaDashboard(): string {
  const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }
  let column = 0
  let row = 0
  const placed = panels.map(({ title, kind, unit, width, queries, perProvider }, index) => {
    if (column + width > COLUMNS) {
      column = 0
      row += HEIGHT
    }
    const gridPos = { x: column, y: row, w: width, h: HEIGHT }
    column += width
    return {
      id: index + 1,
      type: kind,
      title,
      datasource,
      gridPos,
      ...(perProvider === true && { repeat: 'provider', repeatDirection: 'h', maxPerRow: 2 }),
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr,
        legendFormat,
      })),
    }
  })
  const dashboard = {
    title: 'Quota monitor',
    uid: 'svc-quota-monitor',
    tags: ['quota'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-24h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'provider',
          label: 'Provider',
          type: 'query',
          datasource,
          query: `label_values(${PREFIX}_provider_accounts, provider)`,
          // At each change of the time range: a provider may come or go.
          refresh: 2,
          multi: true,
          includeAll: true,
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: placed,
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}
