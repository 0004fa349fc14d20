import { expect, it } from 'vitest'
import { isStoreError, storeErrorText } from './history-failures.ts'

class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly code: 'disk_full'

  constructor(message = 'disk_full') {
    super(message)
    this.code = 'disk_full'
  }
}

it('an error of the store is worded by its code, unless it says more than that', () => {
  expect(storeErrorText(new HistoryError())).toBe('there is no space left for the history store')
  expect(storeErrorText(new HistoryError('there is no space for the copy'))).toBe(
    'there is no space for the copy',
  )
})

it('an error of a database is not worded as that of a file', () => {
  expect(storeErrorText({ code: 'disk_full', message: 'disk_full', engine: 'postgres' })).toBe(
    'the database that keeps the history has no space left',
  )
})

it('an error of the store is known by its name and its code', () => {
  expect(isStoreError(new HistoryError())).toBe(true)
  expect(isStoreError(Object.assign(new Error('x'), { name: 'HistoryError', code: 'else' }))).toBe(
    false,
  )
  expect(isStoreError(new Error('disk_full'))).toBe(false)
})
