import { expect, it } from 'vitest'
import { statusVersionIn } from './status-version.ts'

it.each([
  { what: 'a version', etag: 'aB-_9', version: 'aB-_9' },
  { what: 'an ETag', etag: '"aB-_9"', version: 'aB-_9' },
  { what: 'the ETag of a compressed form', etag: '"aB-_9-br"', version: 'aB-_9' },
  { what: 'the same of another', etag: '"aB-_9-gzip"', version: 'aB-_9' },
  { what: 'an ETag that a cache made weak', etag: 'W/"aB-_9-gzip"', version: 'aB-_9' },
  { what: 'an empty value, which is no version', etag: '', version: '' },
])('$what names the version $version', ({ etag, version }) => {
  expect(statusVersionIn(etag)).toBe(version)
})
