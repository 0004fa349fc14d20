import { timesAsLong } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { redactText } from '../testing/redact-text.ts'

it.each([
  ['letters', 'a'],
  ['signs of an address', '@'],
  ['beginnings of a token', 'ey'],
  ['keys without an end', 'sk-'],
  ['opaque text', 'A1b2'],
  ['beginnings of a key', '-----BEGIN A-----'],
  ['escapes', '\\n%41'],
  ['addresses', '1.1.1.1:'],
  ['names of secrets', 'token='],
  ['names of secrets and values', 'token=x '],
  ['names in quotes', '"token":"x",'],
  ['quotes that are not closed', 'token="'],
  ['lists that are not closed', 'token=['],
  ['elements that are not closed', '<password>'],
  ['flags', '--password '],
  ['schemes', 'http://a:'],
  ['brackets', '{"a":['],
  ['backslashes', '\\'],
  ['bars', '|'],
  ['entities', '&#64;'],
  ['inserts', 'INSERT INTO a (token) VALUES ('],
  ['dashes', 'a-b_'],
  ['slashes', 'aB3/'],
])(
  'takes a line of 2 MB of %s in about twice the time of 1 MB at most',
  (_, unit) => {
    // Up to a piece of 1 MB a letter more takes longer; from there on each piece takes as long as the last.
    const redact = (length: number) => () =>
      redactText(unit.repeat(length / unit.length), {
        kind: unit.startsWith('{') ? 'json' : unit === '|' ? 'csv' : 'text',
        known: ['some known value'],
      })

    expect(
      timesAsLong({
        subject: redact(2_000_000),
        neighbour: redact(1_000_000),
        cpuUsage: process.cpuUsage,
        rounds: 1,
      }),
    ).toBeLessThan(5)
  },
  120_000,
)
