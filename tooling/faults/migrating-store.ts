import { openHistory } from '@svc/history'

/** Migrates a store to a schema two steps on, so that a test can kill it meanwhile. */
const [path = ''] = process.argv.slice(2)
const store = await openHistory(path, {
  laterMigrations: [
    'ALTER TABLE usage ADD COLUMN cost INTEGER; UPDATE usage SET cost = tokens * 2',
    'CREATE INDEX usage_by_model ON usage (model_id, at_ms)',
  ],
})
console.log('migrated')
await store.close()
