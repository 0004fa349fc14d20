import type { UsageGroup } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { memberNames } from './postgres-usage.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  await fresh.session.run(
    `INSERT INTO svc_quota_monitor.accounts (id, instance, key, title) VALUES (1, '', 'key-of-ann', 'Ann'), (2, '', 'key-of-bob', '')`,
  )
  await fresh.session.run(
    `INSERT INTO svc_quota_monitor.api_names (id, name) VALUES (3, 'sk-1'), (4, 'sk-2')`,
  )
  for (const [table, name] of [
    ['models', 'gpt'],
    ['upstreams', 'tokyo'],
    ['providers', 'codex'],
  ])
    await fresh.session.run(`INSERT INTO svc_quota_monitor.${table} (id, name) VALUES (7, $1)`, [
      name,
    ])
})
afterAll(() => schemas.remove())

const named = async (group: UsageGroup, labels: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    await memberNames(fresh.session, group, {
      labels: new Map(Object.entries(labels)),
      fingerprintKey: '00ff',
    }),
  )

describe('the members, in PostgreSQL', () => {
  it('of the total are one', async () => {
    expect(await named('total')).toEqual({ 0: { id: 'total', label: 'Total' } })
  })

  it('that are accounts are called by their title, or by their key until they have one', async () => {
    expect(await named('account')).toEqual({
      1: { id: 'key-of-ann', label: 'Ann' },
      2: { id: 'key-of-bob', label: 'key-of-bob' },
    })
  })

  it('that are models, endpoints, proxies or providers are known by their name', async () => {
    expect(await named('model')).toEqual({ 7: { id: 'gpt', label: 'gpt' } })
    expect(await named('api')).toMatchObject({ 3: { id: 'sk-1' }, 4: { id: 'sk-2' } })
    expect(await named('upstream')).toMatchObject({ 7: { id: 'tokyo' } })
    expect(await named('provider')).toMatchObject({ 7: { id: 'codex' } })
  })

  it('that are clients share a label, and never show the key they use', async () => {
    const clients = await named('client', { 'sk-1': 'team' })

    expect(clients).toMatchObject({ 3: { id: 'team', label: 'team' } })
    expect(clients[4]?.id).toMatch(/^client-/)
    expect(JSON.stringify(clients)).not.toContain('sk-')
  })
})
