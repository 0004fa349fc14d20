import { describe, expect, it } from 'vitest'
import { identityOf, loginOf } from './account.ts'

describe('what an entry of the list says of its login', () => {
  const token = (id: unknown, plan: unknown) => ({
    id_token: { chatgpt_account_id: id, plan_type: plan },
  })

  it.each<{ why: string; entry: unknown; id: string | null; plan: string | null }>([
    { why: 'both', entry: token('workspace-1', 'plus'), id: 'workspace-1', plan: 'plus' },
    { why: 'no token', entry: {}, id: null, plan: null },
    { why: 'a token that is text', entry: { id_token: 'canary' }, id: null, plan: null },
    { why: 'no object', entry: null, id: null, plan: null },
    { why: 'an id that breaks a header', entry: token('a\r\nb', 'plus'), id: null, plan: 'plus' },
    { why: 'an id with a space', entry: token('a b', null), id: null, plan: null },
    { why: 'an id of 128', entry: token('x'.repeat(128), null), id: 'x'.repeat(128), plan: null },
    { why: 'an id of 129', entry: token('x'.repeat(129), null), id: null, plan: null },
    { why: 'a long plan', entry: token('', 'p'.repeat(100)), id: null, plan: 'p'.repeat(64) },
  ])('$why', ({ entry, id, plan }) => {
    expect(identityOf(entry)).toMatchObject({ vendorAccountId: id, claimedPlan: plan })
  })
})

describe('the end of the subscription that a token names', () => {
  const until = (wire: unknown) =>
    identityOf({ id_token: { chatgpt_subscription_active_until: wire } }).subscribedUntil
  const end = Date.UTC(2027, 0, 1)

  it.each([
    { wire: '2027-01-01T00:00:00+00:00' },
    { wire: '2027-01-01T08:00:00+08:00' },
    { wire: end / 1000 },
    { wire: String(end / 1000) },
    { wire: end },
  ])('is read as the proxy passes it on: $wire', ({ wire }) => {
    expect(until(wire)).toBe(end)
  })

  it.each([
    { wire: undefined },
    { wire: null },
    { wire: '' },
    { wire: 'soon' },
    { wire: 0 },
    { wire: 1e300 },
    { wire: {} },
    { wire: '0001-01-01T00:00:00Z' },
  ])('is not known: $wire', ({ wire }) => {
    expect(until(wire)).toBeNull()
  })
})

describe('the login in an auth file', () => {
  const file = { access_token: 'token', account_id: 'workspace-1', type: 'codex', disabled: false }
  const login = { bearer: 'token', vendorAccountId: 'workspace-1', disabled: false }

  it.each<{ why: string; content: unknown; read: object }>([
    { why: 'whole', content: { ...file, refresh_token: 'canary' }, read: login },
    {
      why: 'a token alone',
      content: { access_token: 'token' },
      read: { ...login, vendorAccountId: null },
    },
    {
      why: 'no workspace',
      content: { ...file, account_id: null },
      read: { ...login, vendorAccountId: null },
    },
    { why: 'disabled', content: { ...file, disabled: true }, read: { ...login, disabled: true } },
  ])('is read: $why', ({ content, read }) => {
    expect(loginOf(content)).toEqual(read)
  })

  it.each<{ why: string; content: unknown }>([
    { why: 'nothing', content: undefined },
    { why: 'a list', content: [] },
    { why: 'no token', content: { type: 'codex' } },
    { why: 'an empty token', content: { ...file, access_token: '' } },
    { why: 'a token that breaks a header', content: { ...file, access_token: 'a\r\nb' } },
    { why: 'a workspace that breaks a header', content: { ...file, account_id: 'a\nb' } },
    { why: 'another provider', content: { ...file, type: 'claude' } },
    { why: 'a flag that is none', content: { ...file, disabled: 'no' } },
  ])('is not there: $why', ({ content }) => {
    expect(loginOf(content)).toBeNull()
  })
})
