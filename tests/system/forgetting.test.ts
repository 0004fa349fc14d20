import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import { expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { testInstant } from '../../tooling/test-instant.ts'

const ROWS = 400_000
const DAY_MS = 86_400_000

it('rows older than the retention are gone in less time than as many take to come in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-forgetting-'))
  const path = join(folder, 'history.db')
  const now = testInstant
  const store = await openHistory(path)
  const detail = (number: number): UsageDetail => ({
    // The last one is of now, as in a store that is in use.
    at: number === ROWS ? now : plusMs(now, -60 * DAY_MS + number * 5_000),
    key: BigInt(number),
    accountKey: `account-${number % 50}`,
    apiName: 'key',
    model: 'model',
    tokens: 1,
    failed: false,
  })
  for (let start = 0; start < ROWS; start += 5_000) {
    const details = Array.from({ length: 5_000 }, (_, index) => detail(start + index))
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record({ receivedAt: now, details, quarantined: [], saturatedCount: 0 })
  }
  await store.usageOf(DEFAULT_UPSTREAM).record({
    receivedAt: now,
    details: [detail(ROWS)],
    quarantined: [],
    saturatedCount: 0,
  })
  await store.retain({ usageDays: 90, historyDays: 90 }, { asOf: now, rowsMax: 1_000 })
  await store.close()

  // Nobody answers there: what is forgotten does not depend on the proxy.
  const settings = [
    '--config',
    'off',
    '--upstream-url',
    'http://127.0.0.1:9',
    '--state-db',
    path,
    '--port',
    String(await freePort()),
  ]
  const service = await startService({
    where: 'program',
    args: [...settings, '--usage-retention-days', '20'],
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'key' },
  })
  try {
    // At five thousand a second as many rows would take eighty seconds to come in.
    await eventually('all of them are gone', () => {
      const db = openSqlite(path, { readonly: true })
      const rows = Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
      db.close()
      return rows === 1
    })
    const metrics = async () => await (await fetch(`${service.url}/metrics`)).text()
    await eventually('the backlog is over', async () =>
      (await metrics()).includes('\nsvc_quota_monitor_history_backlog_seconds 0\n'),
    )
  } finally {
    expect(await service.stop()).toBe(0)
  }
  rmSync(folder, { recursive: true, force: true })
})
