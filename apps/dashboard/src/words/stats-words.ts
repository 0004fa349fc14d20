import { byId } from './by-id.ts'

/** Words of the Stats view and of other charts. They load after the first view. */
export const statsWords = {
  range: 'Range',
  custom: 'Custom…',
  metric: 'Metric',
  metricFamilies: ['Usage', 'Tokens by kind', 'Speed', 'Failures'],
  by: 'By',
  top: 'Top',
  form: 'Form',
  forms: byId<'area' | 'line'>({ area: 'Areas', line: 'Lines' }),
  bars: 'Bars',
  mode: 'Mode',
  modes: (bucketSeconds: number) =>
    byId<'bucket' | 'rate'>({
      bucket: bucketSeconds === 0 ? 'As counted' : `Per ${eachOf(bucketSeconds)}`,
      rate: 'Per minute',
    }),
  moreControls: 'More',
  smooth: 'Smooth',
  compare: 'Compare',
  before: (value: string) => `before\u00a0${value}`,
  change: (what: string, percent: number, since: string) =>
    percent === 0
      ? `${what}: the same as in the same time before, from ${since} on. Thin dotted lines are that time.`
      : `${what}: ${Math.abs(percent)}% ${percent > 0 ? 'higher' : 'lower'} than in the same time before, from ${since} on. Thin dotted lines are that time.`,
  changeUnknown: (since: string) =>
    `No comparison: usage was not kept, or there was none, all the time from ${since} on.`,
  notCompared: 'Ranges longer than 7 days cannot be compared.',
  failedWord: 'failed',
  tokensWord: 'tokens',
  requestsWord: 'requests',
  sinceNote: (from: string, bucketSeconds: number) => `since ${from}, by ${eachOf(bucketSeconds)}`,
  keptSince: (moment: string, span: string) => `Usage is kept since ${moment}, for ${span}.`,
  nothingMissed: 'Nothing was missed in this range.',
  missed: (percent: number, span: string) =>
    `${percent}% of the time is covered; usage of ${span} may be missing.`,
  hatched: 'Hatched: not known.',
  perMinute: 'minute',
  perBucket: (bucketSeconds: number) => eachOf(bucketSeconds),
  notKeptBefore: (moment: string) => `not kept before ${moment}`,
  weekTooShort: 'The hours of the week are drawn once a day of usage is kept.',
  failedShare: (unit: string, bucketSeconds: number) =>
    `${unit}, percent of all by ${eachOf(bucketSeconds)}`,
  chartUnitBy: (unit: string, bucketSeconds: number) => `${unit}, by ${eachOf(bucketSeconds)}`,
  chartUnit: (unit: string, per: string) => `${unit} per ${per}`,
  bucketSpan: (day: string, from: string, to: string) => `${day}, ${from} – ${to}`,
  soFar: 'so far',
  bucketSoFar: (span: string) => `${span}, so far`,
  seconds: (seconds: number) => `${seconds.toFixed(seconds < 10 ? 1 : 0)}\u00a0s`,
  notKnown: 'not known',
  otherLine: 'Other',
  total: 'Total',
  accountDetails: 'Details',
  showAlone: 'Show this line alone, or all lines again',
  wholeRange: 'Whole range',
  notTold: 'Not known: the proxy told nothing of it in this range.',
  notOffered: {
    rows_deleted:
      'Not known: single requests of this range are no longer kept. Take a shorter one.',
    too_many_requests: 'Not worked out: this range has too many requests. Take a shorter one.',
  },
  chartAsTable: 'The chart as a table',
  bucketHead: 'Time',
  weekTitle: (unit: string) => `The last seven days by the hour: ${unit.toLowerCase()}`,
  weekNote: "The stronger, the more. Hours after now are last week's.",
  noHistory:
    'No usage history. Set `state_db = "history.db"` in the configuration, or start with `--state-db <path>`.',
  toHealth: 'What is set up, in Health',
  noRows: 'No usage in this range.',
  loading: 'Loading the chart.',
  chartKept: (range: string, group: string, moment: string) =>
    `No newer chart came. This is the last one: ${range} by ${group}, as of ${moment}.`,
  chartLabel: (metric: string, group: string, range: string) => `${metric} by ${group}, ${range}`,
  shareOf: byId<'tokens' | 'requests' | 'failed'>({
    tokens: 'Share of tokens',
    requests: 'Share of requests',
    failed: 'Share of failures',
  }),
  unpricedShare: (share: string) => `${share} unpriced`,
  rest: (count: number) => `${count} more`,
  savedName: 'usage',
  csv: 'CSV',
  json: 'JSON',
  apiQuestion: 'API names can be client keys. Show them on this screen?',
  apiShow: 'Show names',
  apiKeep: 'Keep hidden',
}

/** A length of time in words, as in `15 min`, `2 h`, `7 days`. */
function spanOf(seconds: number): string {
  if (seconds < 3_600) return `${seconds / 60} min`
  if (seconds < 86_400) return `${seconds / 3_600} h`
  return seconds === 86_400 ? 'day' : `${seconds / 86_400} days`
}

/** A length of time that is counted, as in `minute`, `15 min`, `hour`. */
function eachOf(seconds: number): string {
  return { 60: 'minute', 3600: 'hour' }[seconds] ?? spanOf(seconds)
}
