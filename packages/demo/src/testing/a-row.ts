import type { ExampleRow } from '../example-row.ts'
import { days, fiveHour, hours, week } from '../moving-windows.ts'

/** A plain row of the pool with these changes. */
export function aRow(changes: Partial<ExampleRow> = {}): ExampleRow {
  return {
    title: 'ana@example.com',
    authName: 'codex-ana@example.com-plus.json',
    authIndex: '0000004d7444d22b',
    accountKey: '0000002ba1abdebd',
    plan: 'plus',
    condition: 'active',
    sampling: 'primary',
    windows: [
      fiveHour({ percent: [100, 10], resetsInMinutes: hours(5, 0.1) }),
      week({ percent: [90, 20], resetsInMinutes: days(7, 0.2) }),
    ],
    requestsPerSlot: 6,
    ...changes,
  }
}
