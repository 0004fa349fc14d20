import { byId } from './by-id.ts'

/** Texts of the filters and the chosen time of usage, loaded with the chart. */
export const questionWords = {
  andBy: 'and by',
  noSecond: 'nothing else',
  outcome: 'Result',
  outcomes: byId<'ok' | 'failed' | 'auth' | 'limit' | 'vendor' | 'other'>({
    ok: 'OK',
    failed: 'Failed',
    auth: '401, 403',
    limit: '429',
    vendor: '500–599',
    other: 'Other failures',
  }),
  anyOutcome: 'All',
  filters: byId<'account' | 'client' | 'model' | 'result' | 'status'>({
    account: 'Account',
    client: 'Client',
    model: 'Model',
    result: 'Result',
    status: 'Status',
  }),
  shownOnly: 'Only',
  remove: (what: string) => `Remove ${what}`,
  from: 'From',
  to: 'to',
  now: 'now',
  sinceFirst: 'Since the 1st',
  lastMonth: 'Last month',
  only: (name: string) => `Count only ${name}`,
  alone: (name: string) => `${name}: show this line alone, or all lines again`,
  coarser: 'Wider buckets: only these are kept for this.',
  widened: 'Begins and ends at whole buckets: only these are kept.',
  refused: byId<'rows_gone' | 'too_many_requests' | 'invalid_span'>({
    rows_gone:
      'Not known: only single requests tell this, and those of this time are no longer kept. Take a shorter time, or fewer filters.',
    too_many_requests:
      'Not worked out: only single requests tell this, and this time has more than a million. Take a shorter time, or fewer filters.',
    invalid_span: 'This time ends before it begins, or lies ahead. Choose another one.',
  }),
  shorten: (moment: string) => `Begin at ${moment}`,
  facets: 'The same usage, broken down otherwise',
  causes: 'Why requests failed',
  causeHeads: ['Status and code', 'Requests', 'Accounts', 'Last day'] as readonly string[],
  causesNote: (more: number, isOfAll: boolean) =>
    [
      ...(more > 0 ? [`${more} more ${more === 1 ? 'cause' : 'causes'}.`] : []),
      'Counted by whole days of UTC.',
      ...(isOfAll ? ['Of all clients and models: causes are not counted by these.'] : []),
    ].join(' '),
}
