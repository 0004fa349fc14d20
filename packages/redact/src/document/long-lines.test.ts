import { timesAsLong } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createDocumentReader } from './document.ts'

/** What is read of a file at once. */
const PIECE_LENGTH = 256 * 1024
/** A line is held whole up to 1 MB where nothing in it can be given back: the first half ends before that, the second after it. */
const HALF_LENGTH = 3 * PIECE_LENGTH

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
])('takes the second half of a line of 1.5 MB of %s in about the time of the first', (_, unit) => {
  const known = createKnownValues([
    { value: bytesOf('some known value'), kind: 'secret', asWord: false },
  ])
  const kind = unit.startsWith('{') ? 'json' : unit === '|' ? 'csv' : 'text'
  const reader = createDocumentReader({ kind, isSettings: false, known })
  const line = unit.repeat(Math.ceil((2 * HALF_LENGTH) / unit.length))
  const push = (from: number, to: number) => {
    for (let at = from; at < to; at += PIECE_LENGTH) reader.push(line.slice(at, at + PIECE_LENGTH))
  }

  // If each piece were looked at together with all before it, the second half would take three times as long.
  expect(
    timesAsLong({
      subject: () => push(HALF_LENGTH, 2 * HALF_LENGTH),
      neighbour: () => push(0, HALF_LENGTH),
      cpuUsage: process.cpuUsage,
      rounds: 1,
    }),
  ).toBeLessThan(2.5)
})
