import { describe, expect, it } from 'vitest'
import { openApiDocument } from './openapi.ts'

const document = openApiDocument()
const text = JSON.stringify(document)

describe('openApiDocument', () => {
  it('is the same on every call', () => {
    expect(JSON.stringify(openApiDocument())).toBe(text)
  })

  it('is OpenAPI 3.1 with the contract version of the specification', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
    expect(Object.keys(document.paths)).toEqual([
      '/healthz',
      '/readyz',
      '/api/v1/status',
      '/api/v1/recommendations',
      '/api/v1/capacity',
      '/api/v1/pick',
      '/api/v1/health',
      '/api/v1/health/history',
      '/api/v1/events',
      '/api/v1/stats',
      '/api/v1/stats/series',
      '/api/v1/stats/windows',
      '/api/v1/accounts/{accountKey}',
      '/api/v1/usage/rows',
      '/api/v1/usage/failures',
      '/api/v1/prices',
      '/api/v1/accounts/{accountKey}/quota',
      '/api/v1/resets.ics',
      '/metrics',
      '/api/v1/openapi.json',
      '/api/v1/quota/refresh',
    ])
    expect(Object.entries(document.paths).filter(([, path]) => !('get' in path))).toEqual([
      ['/api/v1/quota/refresh', { post: expect.objectContaining({ operationId: 'refreshQuota' }) }],
    ])
  })

  it('resolves every reference and uses every component', () => {
    const targets = [
      ...new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map((match) => match[1])),
    ].sort()
    const { securitySchemes: _, ...components } = document.components
    const named = Object.entries(components).flatMap(([kind, entries]) =>
      Object.keys(entries).map((name) => `${kind}/${name}`),
    )

    expect(targets).toEqual(named.sort())
  })

  it('closes the selector and the bodies of the actions, and nothing else', () => {
    const closed = Object.entries(document.components.schemas ?? {}).filter(([, schema]) =>
      JSON.stringify(schema).includes('"additionalProperties":false'),
    )

    expect(closed).toEqual([
      ['PickRequest', expect.objectContaining({ additionalProperties: false })],
      ['AccountSelector', expect.objectContaining({ additionalProperties: false })],
      ['ManualQuotaRefreshRequest', expect.objectContaining({ additionalProperties: false })],
    ])
  })

  it('asks no credential of a read, and says which the refresh will take', () => {
    const gets = Object.values(document.paths).flatMap(({ get }) =>
      get === undefined ? [] : [get],
    )
    for (const get of gets) expect(get).toMatchObject({ security: [] })
    expect(document.components.securitySchemes).toMatchObject({
      refreshToken: { type: 'apiKey', in: 'header', name: 'X-Svc-Quota-Monitor-Refresh-Token' },
      managementKey: { type: 'http', scheme: 'bearer' },
    })
  })

  it.each([
    ['Healthz', ['ok']],
    [
      'StatusSnapshot',
      [
        'available',
        'source',
        'sourceText',
        'displayTimezone',
        'displayTimezoneLabel',
        'summary',
        'tabs',
        'recommendations',
      ],
    ],
    [
      'Recommendations',
      [
        'contractVersion',
        'sampledAt',
        'source',
        'routingPolicy',
        'routableCount',
        'blockedCount',
        'topScore',
        'items',
      ],
    ],
    [
      'RecommendationItem',
      [
        ...[
          'selector',
          'authIndex',
          'accountKey',
          'planKind',
          'title',
          'badge',
          'summary',
          'routingScore',
          'routingEligible',
        ],
        ...['routingBlockedReasons', 'capacityWeight', 'quotaWindows', 'reclaimEligible'],
      ],
    ],
    ['ReclaimWindow', ['id', 'percent', 'resetsInSeconds']],
    [
      'Health',
      ['title', 'state', 'summary', 'pill', 'actions', 'sources', 'recentChanges', 'actionCount'],
    ],
    ['HealthItem', ['kind', 'tone', 'title', 'badge', 'summary']],
    ['AccountSelector', ['authName', 'authIndex', 'accountKey']],
  ])('%s requires exactly the fields the specification marks required', (name, required) => {
    expect(document.components.schemas?.[name]).toMatchObject({ required })
  })
})
