import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import {
  accountDetailSchema,
  capacityPartsSchema,
  healthHistorySchema,
  healthSchema,
  healthzSchema,
  pickSchema,
  quotaCourseSchema,
  recommendationsSchema,
  statsSeriesSchema,
  statsTabSchema,
  statsWindowsSchema,
  statusSnapshotSchema,
} from '@svc/views'
import ICAL from 'ical.js'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENTS_PATH, routes } from '../../apps/server/src/http/app.ts'
import { ownConnection } from '../../tooling/service/built-program.ts'
import { type LocalService, startService } from '../../tooling/service/start-service.ts'
import { contractErrors, jsonPaths } from '../contract.ts'

const SCHEMAS = {
  '/healthz': healthzSchema,
  '/api/v1/status': statusSnapshotSchema,
  '/api/v1/recommendations': recommendationsSchema,
  '/api/v1/capacity': capacityPartsSchema,
  '/api/v1/pick': pickSchema,
  '/api/v1/health': healthSchema,
  '/api/v1/stats': statsTabSchema,
  '/api/v1/stats/series': statsSeriesSchema,
  '/api/v1/stats/windows': statsWindowsSchema,
}

/** Metrics that depend on this process or on how long something took. */
const VOLATILE =
  /^(?:# (?:HELP|TYPE) )?(?:process_|nodejs_|svc_quota_monitor_http_|svc_quota_monitor_refresh_duration)/

const goldenFile = (name: string) => join(import.meta.dirname, 'golden', name)

let server: LocalService

async function textOf(path: string): Promise<string> {
  return (await fetch(server.url + path, ownConnection)).text()
}

beforeAll(async () => {
  server = await startService({ where: 'here', time: fixedClock(), demo: true })
})

afterAll(() => server.stop())

describe('the demo', () => {
  it.each(jsonPaths)('answers %s by its schema and by docs/openapi.json', async (path) => {
    const body: unknown = JSON.parse(await textOf(path))

    expect(v.safeParse(SCHEMAS[path], body).issues).toBeUndefined()
    expect(contractErrors(path, body)).toEqual([])
  })

  it('keeps the selector closed', async () => {
    const body = JSON.parse(await textOf('/api/v1/recommendations'))
    body.items[0].selector.path = '/srv/auths/a.json'

    expect(v.safeParse(recommendationsSchema, body).success).toBe(false)
    expect(contractErrors('/api/v1/recommendations', body)).not.toEqual([])
  })

  it.each(['status', 'recommendations', 'health', 'stats', 'stats/series', 'stats/windows'])(
    'golden: /api/v1/%s',
    async (name) => {
      const body = `${JSON.stringify(JSON.parse(await textOf(`/api/v1/${name}`)), null, 1)}\n`

      await expect(body).toMatchFileSnapshot(goldenFile(`demo-${name.replace('/', '-')}.json`))
    },
  )

  it('golden: a blocked account, by its schema and by docs/openapi.json, with its course', async () => {
    const { items } = v.parse(
      recommendationsSchema,
      JSON.parse(await textOf('/api/v1/recommendations')),
    )
    const item = items.find(({ routingEligible }) => !routingEligible)
    const path = `/api/v1/accounts/${item?.accountKey}`
    const body = JSON.parse(await textOf(`${path}?range=7d`))

    expect(v.safeParse(accountDetailSchema, body).issues).toBeUndefined()
    expect(contractErrors('/api/v1/accounts/{accountKey}', body)).toEqual([])
    const { quota, ...own } = body
    expect(quota).toEqual(JSON.parse(await textOf(`${path}/quota?range=7d`)))
    expect(own.items).toEqual([item])
    await expect(`${JSON.stringify(own, null, 1)}\n`).toMatchFileSnapshot(
      goldenFile('demo-account.json'),
    )
  })

  it('golden: the course of the best account, by its schema and by docs/openapi.json', async () => {
    const { items } = JSON.parse(await textOf('/api/v1/recommendations'))
    const path = `/api/v1/accounts/${items[0].selector.accountKey}/quota`
    for (const range of ['24h', '7d', '30d']) {
      const body: unknown = JSON.parse(await textOf(`${path}?range=${range}`))
      expect(v.safeParse(quotaCourseSchema, body).issues).toBeUndefined()
      expect(contractErrors('/api/v1/accounts/{accountKey}/quota', body)).toEqual([])
    }
    const body = `${JSON.stringify(JSON.parse(await textOf(path)), null, 1)}\n`

    await expect(body).toMatchFileSnapshot(goldenFile('demo-account-quota.json'))
  })

  it('has a calendar that a parser reads back, with the resets of the Resets tab and no name', async () => {
    const { tabs } = v.parse(statusSnapshotSchema, JSON.parse(await textOf('/api/v1/status')))
    const text = await textOf('/api/v1/resets.ics')
    const events = new ICAL.Component(ICAL.parse(text))
      .getAllSubcomponents('vevent')
      .map((component) => new ICAL.Event(component))
    const startsOf = (kind: string) =>
      events
        .filter(({ uid }) => uid.startsWith(kind))
        .map(({ startDate }) => startDate.toJSDate().toISOString())

    for (const { id, rows } of tabs.resets.columns) {
      const giving = rows.filter(
        ({ units, displayResetSource }) => units && displayResetSource === id,
      )
      expect(giving.length).toBeGreaterThan(3)
      expect(startsOf(`reset-${id}-`)).toEqual(giving.map(({ resetAt }) => resetAt))
    }
    const ends = tabs.pool.accounts.flatMap(({ paidUntil, subscription, counted = true }) => {
      const isPast = subscription?.state === 'ended' || subscription?.state === 'renewed'
      return paidUntil === undefined || isPast || !counted ? [] : [paidUntil]
    })
    expect(startsOf('subscription-').sort()).toEqual(ends.sort())
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length)
    expect(events[0]?.summary).toMatch(/^5h reset: \w+ account [0-9a-f]{4}$/)
    for (const { title } of tabs.pool.accounts) expect(text).not.toContain(title)
  })

  it('the history of health is by the contract, and covers thirty days', async () => {
    const body = JSON.parse(await textOf('/api/v1/health/history'))

    expect(contractErrors('/api/v1/health/history', body)).toEqual([])
    const { start, end, stretches } = v.parse(healthHistorySchema, body)
    expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([start, end])
    expect(new Set(stretches.map(({ state }) => state))).toContain('unknown')
    expect(new Set(stretches.map(({ state }) => state))).toContain('good')
  })

  it('golden: /metrics', async () => {
    const lines = (await textOf('/metrics'))
      .split('\n')
      .filter((line) => line !== '' && !VOLATILE.test(line))

    await expect(lines.join('\n')).toMatchFileSnapshot(goldenFile('demo-metrics.txt'))
  })

  it('has metrics that promtool accepts but for the one name the specification fixes', async (test) => {
    const promtool = spawnSync('promtool', ['check', 'metrics'], {
      input: await textOf('/metrics'),
      encoding: 'utf8',
    })
    if (promtool.error !== undefined && process.env.CI === undefined)
      return test.skip('skipped, because promtool (Debian package prometheus) is not installed')

    const complaints = `${promtool.stdout}${promtool.stderr}`.trim().split('\n')
    expect(complaints).toEqual([
      'svc_quota_monitor_health_action_count non-histogram and non-summary metrics should not have "_count" suffix',
    ])
  })

  it('stays within the cardinality and size budget of the metrics with every route asked', async () => {
    const asked = routes.filter((route) => route !== EVENTS_PATH)
    await Promise.all(asked.map((route) => textOf(route.replaceAll('*', 'none'))))
    const text = await textOf('/metrics')
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

    const ofProviders = series.filter((line) => line.startsWith('svc_quota_monitor_provider_'))
    expect(series.length - ofProviders.length).toBeLessThan(400)
    // Seven providers, none of which has more than 25.
    expect(ofProviders.length).toBeLessThan(7 * 25)
    expect(text.length).toBeLessThan(64 * 1024)
    expect(text.endsWith('\n')).toBe(true)
    expect(text).not.toMatch(/@|undefined|\bNan\b/)
  })
})
