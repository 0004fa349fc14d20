import { expect, it } from 'vitest'
import { versionIn } from './status-since.ts'

it.each([
  { what: 'no value', since: undefined, version: null },
  { what: 'a version', since: 'aB-_9', version: 'aB-_9' },
  { what: 'an ETag', since: '"aB-_9"', version: 'aB-_9' },
  { what: 'the ETag of a compressed form', since: '"aB-_9-br"', version: 'aB-_9' },
  { what: 'the same of another', since: '"aB-_9-gzip"', version: 'aB-_9' },
  { what: 'an ETag that a cache made weak', since: 'W/"aB-_9-gzip"', version: 'aB-_9' },
  { what: 'an empty value, which is no version', since: '', version: '' },
])('$what names the version $version', ({ since, version }) => {
  expect(versionIn(since)).toBe(version)
})
