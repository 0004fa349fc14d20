import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createCollectedValues } from '../known/collected-values.ts'
import { RedactError } from '../redact-error.ts'
import { collectAuthFile, collectStore } from './configured.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-configured-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The values that an auth file makes known, with their kinds. */
const knownFrom = (name: string, content: unknown) => {
  const collected = createCollectedValues()
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  collectAuthFile(name, text, collected)
  return Object.fromEntries(collected.values().map(({ value, kind }) => [value, kind]))
}

describe('an auth file makes known', () => {
  it('its tokens, its address, its label and its account', () => {
    expect(
      knownFrom('codex-ana@mail.example-plus.json', {
        type: 'codex',
        access_token: 'Kelp-9182-access',
        refresh_token: 'Kelp-9182-refresh',
        email: 'ana@mail.example',
        account_id: 'acct-77',
        label: 'Ana of Lyon',
        note: 'the blue one',
      }),
    ).toMatchObject({
      'Kelp-9182-access': 'secret',
      'Kelp-9182-refresh': 'secret',
      'ana@mail.example': 'email',
      'acct-77': 'secret',
      'Ana of Lyon': 'secret',
      'the blue one': 'secret',
    })
  })

  it('the identity of its login at the vendor, and what its organisation is called', () => {
    expect(
      knownFrom('xai-ana@mail.example.json', {
        type: 'xai',
        account_uuid: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
        organization_uuid: '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b',
        organization_name: 'Lab of Ana',
        sub: 'subject-of-ana',
        device_id: 'device-of-ana',
        project_id: 'plenty-harbor-x1y2z',
      }),
    ).toMatchObject({
      '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed': 'secret',
      '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b': 'secret',
      'Lab of Ana': 'secret',
      'subject-of-ana': 'secret',
      'device-of-ana': 'secret',
      'plenty-harbor-x1y2z': 'secret',
    })
  })

  it.each([
    { name: 'kimi-ai-1787300011223.json', owner: '1787300011223', kind: 'secret' },
    { name: 'claude-0f1e2d3c-ana@mail.example.json', owner: 'ana@mail.example', kind: 'email' },
    { name: 'codex-ana@mail.example-plus.json', owner: 'ana@mail.example', kind: 'email' },
    { name: 'codex-1a2b3c4d-ana@mail.example-team.json', owner: 'ana@mail.example', kind: 'email' },
    { name: 'codex-ana@mail.example.json', owner: 'ana@mail.example', kind: 'email' },
    { name: 'claude-bo.berg.json', owner: 'bo.berg', kind: 'secret' },
    ...['plus', 'team', 'pro', 'prolite', 'free', 'go', 'business', 'enterprise', 'edu'].map(
      (plan) => ({ name: `bo.berg-${plan}.json`, owner: 'bo.berg', kind: 'secret' }),
    ),
  ])('the owner in its name: $owner of $name', ({ name, owner, kind }) => {
    expect(knownFrom(name, { type: 'codex' })).toEqual({ [owner]: kind })
  })

  it.each([
    { name: 'codex-ana@mail.example.txt', content: { type: 'codex' }, why: 'the name is another' },
    { name: 'settings-of-ana.json', content: { theme: 'dark' }, why: 'it is another document' },
    { name: 'settings-of-ana.json', content: { type: 7 }, why: 'its type is a number' },
    { name: 'settings-of-ana.json', content: '[]', why: 'it is a list' },
    { name: 'settings-of-ana.json', content: 'null', why: 'it is null' },
    { name: 'settings-of-ana.json', content: '', why: 'it is empty' },
  ])('no owner where $why', ({ name, content }) => {
    expect(knownFrom(name, content)).toEqual({})
  })

  it('its tokens also where it was cut off', () => {
    expect(knownFrom('codex-ana@mail.example.json', '{"access_token":"Kelp-9182xx","e')).toEqual({
      'Kelp-9182xx': 'secret',
    })
  })

  it('a label beyond ASCII as it is written in files', () => {
    expect(knownFrom('x.txt', { label: 'Änne of Köln' })).toEqual({
      'Änne of Köln': 'secret',
    })
  })
})

it('a store makes known its client keys, its titles of accounts, and what it names as a secret', () => {
  const path = join(folder, 'store.db')
  const db = openSqlite(path, {})
  db.exec(
    `CREATE TABLE accounts (id, instance, key, title); CREATE TABLE api_names (id, name); CREATE TABLE meta (name, value)`,
  )
  db.exec(
    `INSERT INTO accounts VALUES (1, 'p', '4d7444d22bc687d2', 'Ana of Lyon'); INSERT INTO api_names VALUES (1, 'team blue')`,
  )
  db.exec(
    `INSERT INTO meta VALUES ('fingerprint_key', '67a36fb0639daac543c05ee7'), ('cut_ms', '12'), ('account a.json', '{"label":"Bo of Oslo"}')`,
  )
  db.close()
  const collected = createCollectedValues()
  collectStore({ path }, collected, new AbortController().signal)

  expect(collected.values().map(({ value }) => value)).toEqual([
    'Ana of Lyon',
    'team blue',
    '67a36fb0639daac543c05ee7',
    '{"label":"Bo of Oslo"}',
  ])
})

it('a store that is not a database is refused', () => {
  expect(() =>
    collectStore(
      { path: join(folder, 'missing.db') },
      createCollectedValues(),
      new AbortController().signal,
    ),
  ).toThrow(RedactError)
})
