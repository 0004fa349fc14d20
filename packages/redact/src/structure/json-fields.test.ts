import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHarmless } from '../names/harmless.ts'
import { ALWAYS, type NameRule } from '../names/secret-names.ts'
import { createJsonScanner } from './json.ts'
import { createJsonLevels } from './json-fields.ts'

/** The hidden values of a document. */
function hiddenIn(document: object): readonly string[] {
  const scanner = createJsonScanner({ insideString: () => [], isKnown: () => false })
  return scanner.scan(JSON.stringify(document), 0, true).map(({ value }) => value)
}

describe('a row of a backup', () => {
  it.each([
    { table: 'accounts', row: ['p', 'key', 'Ana'], hidden: [2] },
    { table: 'usage', row: ['1', '-5', 'p', 'key', 'client', 'model', '12', '0'], hidden: [4] },
    { table: 'apis', row: ['client'], hidden: [0] },
    { table: 'days', row: ['api', '0', 'p', 'client', '1', '2', '0'], hidden: [3] },
    { table: 'days', row: ['model', '0', 'p', 'gpt-5.5', '1', '2', '0'], hidden: [] },
    { table: 'meta', row: ['fingerprint_key', 'canary'], hidden: [1] },
    { table: 'meta', row: ['cut_ms', '12'], hidden: [] },
    { table: 'gaps', row: ['1', '2', 'proxy_restarted'], hidden: [] },
    { table: '__proto__', row: ['1', '2', '3'], hidden: [] },
  ])('of $table that begins with $row.0 hides $hidden', ({ table, row, hidden }) => {
    expect(hiddenIn({ tables: { [table]: [row] } })).toEqual(hidden.map((index) => row[index]))
  })

  it.each([
    { where: 'outside of the tables', document: { other: { apis: [['y']] } } },
    { where: 'behind the row', document: { tables: { apis: [['x'], 'y', { z: 'z' }] } } },
    { where: 'in another table', document: { tables: { apis: [['x']], gaps: [['y']] } } },
    { where: 'behind the tables', document: { tables: { apis: [['x']] }, apis: [['y']] } },
  ])('is none $where', ({ document }) => {
    expect(hiddenIn(document).filter((value) => value !== 'x')).toEqual([])
  })
})

describe('a name that a person chose', () => {
  it.each([
    ['in a list of auth files', { auth_index: 'a', label: 'Ana', note: 'the blue one' }],
    ['in an auth file', { access_token: 'x', label: 'Ana', note: 'the blue one' }],
    ['in an answer about an account', { selector: {}, title: 'the blue one' }],
    ['in a row about an account', { accountKey: 'k', title: 'the blue one' }],
  ])('is hidden %s', (_, document) => {
    expect(hiddenIn({ files: [document] })).toContain('the blue one')
  })

  it.each([
    ['a note in words of an answer', { selector: {}, note: 'Log in again.' }],
    ['a note of a window', { id: 'week', note: 'sources_disagree' }],
    ['a title of an action', { code: 'gateway_down', accountKeys: [], title: 'Gateway down' }],
    ['a title inside an account', { accountKey: 'k', window: { title: 'Weekly' } }],
    ['a title behind an account', [{ accountKey: 'k' }, { title: 'Weekly' }]],
  ])('is not %s', (_, document) => {
    expect(hiddenIn([document]).filter((value) => value !== 'k')).toEqual([])
  })
})

describe('the identity of a login', () => {
  it('is hidden by every name that auth files have for it, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9-]{5,40}$/), (canary) => {
        for (const name of [
          'account_uuid',
          'organization_uuid',
          'organization_name',
          'account_id',
          'sub',
          'device_id',
          'project_id',
          'user_id',
        ]) {
          if (isHarmless(canary)) continue
          expect(hiddenIn({ type: 'claude', [name]: canary }), name).toEqual([canary])
        }
      }),
      { numRuns: 200 },
    )
  })
})

const FIELD: NameRule = { kind: 'email', hides: 'field' }
const LIKELY: NameRule = { kind: 'secret', hides: 'likely' }

describe('the levels around a place in JSON', () => {
  it.each([
    { name: 'always, in a list', rule: ALWAYS, isList: true, inside: ALWAYS },
    { name: 'always, in an object', rule: ALWAYS, isList: false, inside: ALWAYS },
    { name: 'field, in a list', rule: FIELD, isList: true, inside: FIELD },
    { name: 'field, in an object', rule: FIELD, isList: false, inside: null },
    { name: 'likely, in a list', rule: LIKELY, isList: true, inside: null },
    { name: 'likely, in an object', rule: LIKELY, isList: false, inside: null },
  ])('a name that hides $name', ({ rule, isList, inside }) => {
    const levels = createJsonLevels()
    levels.open(false)
    levels.beginMember('name', rule)
    expect(levels.ruleHere()).toEqual(rule)

    levels.open(isList)
    expect(levels.ruleHere()).toEqual(inside)

    levels.close(isList)
    levels.endMember()
    expect(levels.ruleHere()).toBeNull()
  })

  it('a harmless name inside of a secret hides what it holds', () => {
    const levels = createJsonLevels()
    levels.open(false)
    levels.beginMember('secrets', ALWAYS)
    levels.open(false)
    levels.beginMember('note', null)

    expect(levels.ruleHere()).toEqual(ALWAYS)
  })

  it('a secret below the levels that are remembered hides its own inside and no more', () => {
    const levels = createJsonLevels()
    for (let depth = 0; depth < 1_200; depth += 1) levels.open(false)
    expect(levels.count).toBe(1_000)
    expect(levels.top).toBeUndefined()

    levels.beginMember('password', ALWAYS)
    levels.open(false)
    levels.beginMember('note', null)
    expect(levels.ruleHere()).toEqual(ALWAYS)
    levels.open(true)
    expect(levels.ruleHere()).toEqual(ALWAYS)
    levels.close(true)
    levels.close(false)
    expect(levels.ruleHere()).toBeNull()

    for (let depth = 0; depth < 1_200; depth += 1) levels.close(false)
    expect([levels.count, levels.isLost]).toEqual([0, false])
  })

  it.each([
    { name: 'the other kind', close: true, opened: 1 },
    { name: 'more than were opened', close: false, opened: 0 },
  ])('closing $name loses the place until a document begins anew', ({ close, opened }) => {
    const levels = createJsonLevels()
    for (let count = 0; count < opened; count += 1) levels.open(false)
    levels.close(close)
    expect(levels.isLost).toBe(true)

    levels.reset()
    expect([levels.isLost, levels.count]).toEqual([false, 0])
  })
})
