import { describe, expect, it } from 'vitest'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import { createCells } from './cells.ts'

const pseudonyms = createPseudonyms({ keepMap: false })
const cells = createCells({
  known: createKnownValues(
    ['Kelp-9182xx', '483920571'].map((value) => ({ value, kind: 'secret', asWord: true })),
  ),
  pseudonyms,
  collected: null,
})
const replaced = (column: string, value: unknown) => cells.replaced('t', column, value, {})
const PSEUDONYM = /^secret-[0-9a-f]{12}$/

describe('a cell under the name of a secret', () => {
  it.each([
    { what: 'a text', value: 'forest' },
    { what: 'a number', value: 77 },
    { what: 'a large number', value: 9_007_199_254_740_993n },
    { what: 'bytes that are text', value: Buffer.from('forest') },
    { what: 'a text with a zero', value: 'for\u0000est' },
  ])('is replaced when it is $what', ({ value }) => {
    expect(replaced('password', value)).toMatch(PSEUDONYM)
  })

  it('that is an address becomes an address', () => {
    expect(replaced('login_secret', 'ana@mail.example')).toMatch(/@redacted\.invalid$/)
  })

  it.each([
    { what: 'null', value: null },
    { what: 'empty', value: '' },
    { what: 'a word of state', value: 'unset' },
    { what: 'a pseudonym', value: pseudonyms.of('secret', 'Kelp-9182xx') },
  ])('stays when it is $what', ({ value }) => {
    expect(replaced('password', value)).toBe(value)
  })
})

describe('a cell under another name', () => {
  it.each([
    { what: 'a text', value: 'all quiet' },
    { what: 'a text beyond ASCII', value: 'all quiet – so far' },
    { what: 'a number', value: 12 },
    { what: 'a large number', value: 9_007_199_254_740_993n },
    { what: 'bytes that are text', value: Buffer.from('all quiet') },
    { what: 'null', value: null },
  ])('is the same when it is $what and holds nothing', ({ value }) => {
    expect(replaced('note', value)).toBe(value)
  })

  it('loses what is known, and keeps what stands around it', () => {
    expect(replaced('note', 'in “all”: Kelp-9182xx, and so on')).toMatch(
      /^in “all”: secret-[0-9a-f]{12}, and so on$/,
    )
  })

  it('is a number that is known, as a whole', () => {
    expect(replaced('n', 483_920_571)).toMatch(PSEUDONYM)
    expect(replaced('n', 483_920_571n)).toMatch(PSEUDONYM)
    expect(replaced('n', 1_483_920_571)).toBe(1_483_920_571)
  })

  it('keeps its type where a part of it is replaced', () => {
    const out = replaced('raw', Buffer.from('mail ana@mail.example'))

    expect(String(out)).toMatch(/^mail user-[0-9a-f]{12}@redacted\.invalid$/)
    expect(Buffer.isBuffer(out)).toBe(true)
  })

  it('that holds bytes and not text cannot be searched, and is emptied', () => {
    expect(replaced('raw', Buffer.from([0xff, 0xfe, 0]))).toEqual(Buffer.alloc(0))
    expect(replaced('raw', Buffer.from([0x61, 0xff, 0x62]))).toEqual(Buffer.alloc(0))
    expect(replaced('password', Buffer.from([1, 0, 255]))).toEqual(Buffer.alloc(0))
    expect(replaced('note', 'all\u0000quiet')).toMatch(PSEUDONYM)
  })

  it('that is a document is read as one', () => {
    const out = String(replaced('body', '{"api_key":"forest 12","n":7}'))

    expect(JSON.parse(out)).toEqual({ api_key: expect.stringMatching(PSEUDONYM), n: 7 })
  })
})

describe('pseudonyms of cells', () => {
  it('are equal for equal values in every column and type', () => {
    const one = replaced('password', 'forest')

    expect(replaced('api_key', 'forest')).toBe(one)
    expect(replaced('password', Buffer.from('forest'))).toBe(one)
    expect(replaced('note', 'Kelp-9182xx')).toBe(replaced('password', 'Kelp-9182xx'))
  })

  it('do not change when they are redacted again', () => {
    const once = replaced('note', 'mail ana@mail.example from 203.0.113.7 with Kelp-9182xx')

    expect(replaced('note', once)).toBe(once)
  })

  it('stay the same after as many other cells as are remembered', () => {
    const once = replaced('note', 'mail ana@mail.example')
    for (let index = 0; index < 20_001; index += 1) replaced('note', `row ${index}`)

    expect(replaced('note', 'mail ana@mail.example')).toBe(once)
  })
})
