import { expect, it } from 'vitest'
import { historyErrorOf } from './sqlite-error.ts'

it.each([
  ['SQLITE_FULL', 'disk_full'],
  ['SQLITE_IOERR_SHMSIZE', 'disk_full'],
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['SQLITE_IOERR', 'io_error'],
  ['SQLITE_IOERR_SHMMAP', 'io_error'],
  ['SQLITE_IOERR_WRITE', 'io_error'],
  ['EIO', 'io_error'],
])('%s is the failure %s', (code, failure) => {
  const error = Object.assign(new Error('/home/ana/history.db'), { code })

  expect(historyErrorOf(error)).toMatchObject({ code: failure })
  expect(historyErrorOf(error).message).not.toContain('ana')
})
