import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import type { ProxiedService } from '../../tooling/service/start-service.ts'

/** The folder of one test that runs beside others, its store in it, and the service on that store. */
export interface OwnStore {
  readonly folder: string
  readonly path: string
  /** The service on the store by now, which is stopped at the end of the test. */
  use(service: ProxiedService): ProxiedService
}

export function ownStore({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): OwnStore {
  const folder = mkdtempSync(join(tmpdir(), 'svc-own-store-'))
  let running: ProxiedService | null = null
  onTestFinished(async () => {
    await running?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    path: join(folder, 'history.db'),
    use(service) {
      running = service
      return service
    },
  }
}
