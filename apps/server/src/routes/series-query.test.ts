import { parseInstant } from '@svc/core'
import type { SeriesRequest } from '@svc/monitor'
import { createWording, seriesDefaults } from '@svc/views'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seriesRequestOf } from './series-query.ts'

const UTC = { offsetMs: () => 0 }
const parsed = (query: string) => seriesRequestOf(new URLSearchParams(query), UTC)

it.each([
  ['', {}],
  ['range=7d', { range: '7d' }],
  ['bucket=1h', { bucket: '1h' }],
  ['range=7d&bucket=1h', { range: '7d', bucket: '1h' }],
  ['metric=requests&group=client&mode=rate', { metric: 'requests', group: 'client', mode: 'rate' }],
  ['top=1', { top: 1 }],
  ['top=20', { top: 20 }],
  ['smooth=0', { smooth: false }],
  ['smooth=False', { smooth: false }],
  ['smooth=off', { smooth: false }],
  ['smooth=no', { smooth: false }],
  ['smooth=1', {}],
  ['compare=1', { compare: true }],
  ['compare=no', {}],
  ['range=&top=&smooth=&provider=', {}],
  ['provider=xai', { filter: { provider: ['xai'] } }],
  ['provider=xai,claude&provider= xai', { filter: { provider: ['claude', 'xai'] } }],
  ['provider=nobody', { filter: { provider: ['nobody'] } }],
  ['provider=claude,all', {}],
  ['client=b,a,b&model=%252Bone', { filter: { client: ['a', 'b'], model: ['+one'] } }],
  ['client=a,b&client=a,b', { filter: { client: ['a,b'] } }],
  ['result=failed&status=limit,auth', { filter: { result: 'failed', status: ['auth', 'limit'] } }],
  ['group=client,model', { group: 'client', second: 'model' }],
])('%j is taken as it is', (query, expected) => {
  expect(parsed(query)).toEqual({
    query: { ...seriesDefaults, ...expected },
    between: null,
    format: 'json',
    warnings: [],
  })
})

it('takes the format', () => {
  expect(parsed('format=csv')).toMatchObject({ format: 'csv', warnings: [] })
})

it.each([
  ['range=2h', {}, ['range: not one of 1h, 6h, 24h, 7d, 30d, all; 24h is shown']],
  [
    'group=__proto__',
    {},
    ['group: not one of total, account, client, model, api, provider, upstream; total is shown'],
  ],
  [
    'range=7d&bucket=15m',
    { range: '7d' },
    ['bucket: 7d by total has no buckets of 15m; auto is shown'],
  ],
  [
    'range=7d&bucket=1h&group=client',
    { range: '7d', group: 'client' },
    ['bucket: 7d by client has no buckets of 1h; auto is shown'],
  ],
  ['compare=week', {}, ['compare: neither on nor off; comparing stays off']],
  ['top=0', { top: 1 }, ['top: outside 1..20; 1 is shown']],
  ['top=-3', { top: 1 }, ['top: outside 1..20; 1 is shown']],
  ['top=21', { top: 20 }, ['top: outside 1..20; 20 is shown']],
  ['top=8.5', {}, ['top: not a whole number; 8 is shown']],
  ['top=99999999999999999999', { top: 20 }, ['top: outside 1..20; 20 is shown']],
  [`top=${'9'.repeat(400)}`, { top: 20 }, ['top: outside 1..20; 20 is shown']],
  ['top=-99999999999999999999', { top: 1 }, ['top: outside 1..20; 1 is shown']],
  [
    'unknown=1&constructor=2&unknown=3',
    {},
    ['unknown: no such parameter; it is ignored', 'constructor: no such parameter; it is ignored'],
  ],
  ['a%0d%0aX-Evil:1=1&%3Cb%3E=2', {}, ['2 more parameters are not known and ignored']],
  [
    `a=1&b=1&c=1&d=1&e=1&f=1`,
    {},
    [...'abcde']
      .map((name) => `${name}: no such parameter; it is ignored`)
      .concat('1 more parameter is not known and ignored'),
  ],
  [
    'group=client,api',
    {},
    ['group: not one of total, account, client, model, api, provider, upstream; total is shown'],
  ],
  [
    'group=model,model',
    {},
    ['group: not one of total, account, client, model, api, provider, upstream; total is shown'],
  ],
  ['Range=7d', {}, ['Range: no such parameter; it is ignored']],
  ['smooth=maybe', {}, ['smooth: neither on nor off; smoothing stays on']],
  ['format=xml', {}, ['format: not one of json, csv; json is shown']],
])('%j falls back and says so', (query, expected, warnings) => {
  expect(parsed(query)).toEqual({
    query: { ...seriesDefaults, ...expected },
    between: null,
    format: 'json',
    warnings,
  })
})

it('never throws, never leaves what is allowed, and never quotes a value', () => {
  const names = fc.constantFrom(
    'range',
    'metric',
    'group',
    'top',
    'smooth',
    'mode',
    'compare',
    'format',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.string())), (pairs) => {
      const { query, warnings } = seriesRequestOf(
        new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, `~${value}`])),
        UTC,
      ) as SeriesRequest

      expect(query).toEqual(seriesDefaults)
      expect(warnings.join()).not.toContain('~')
    }),
  )
})

describe('the time of a question', () => {
  const text = createWording('Europe/Berlin')
  const timeIn = (query: string) => seriesRequestOf(new URLSearchParams(query), text)

  it.each([
    ['from=2026-10-14', '2026-10-13T22:00:00Z', null],
    ['from=2026-10-25&to=2026-10-26', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['from=2026-10-14T08:00:59%2B02:00&range=7d', '2026-10-14T06:00:00Z', null],
    [
      'from=2026-10-14T08:00:00Z&to=2026-10-14T09:00:30.5Z',
      '2026-10-14T08:00:00Z',
      '2026-10-14T09:00:00Z',
    ],
  ])('%s', (query, from, to) => {
    expect(timeIn(query)).toMatchObject({
      query: { range: 'custom' },
      between: { from: parseInstant(from), to: to === null ? null : parseInstant(to) },
    })
  })

  it.each([
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-10-14T08:00:00', 'from'],
    ['from=2026-10-14&to=soon', 'to'],
    ['to=2026-10-14', 'from'],
    ['result=maybe', 'result'],
    ['result=ok,failed', 'result'],
    ['status=teapot', 'status'],
    ['facets=api', 'facets'],
  ])('%s is refused because of %s', (query, parameter) => {
    expect(timeIn(query)).toMatchObject({
      refusal: { slug: 'invalid_parameter', details: { parameter } },
    })
  })
})
