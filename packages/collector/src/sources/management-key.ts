import type { Clock, Log } from '@svc/core/service'
import {
  createManagementKeySource,
  type KeyFileReading,
  type ManagementKeySource,
} from '../files/management-key-source.ts'
import type { ManagementGate, ManagementKey } from '../proxy/management-access.ts'
import type { UpstreamSettings } from './settings.ts'

/** Reads the management key and passes it to the gate; `onNewKey` is called when it changes, also to an unusable one. */
export function createKeyOfGate(
  settings: UpstreamSettings,
  {
    gate,
    onNewKey,
  }: { readonly gate: Pick<ManagementGate, 'useKey'>; readonly onNewKey: () => void },
  deps: { readonly clock: Clock; readonly log: Log },
): ManagementKeySource {
  return createManagementKeySource(
    {
      fromEnvironment: settings.managementKey,
      path: settings.managementKeyFile,
      periodSeconds: settings.refreshSeconds,
      onReading(reading) {
        if (gate.useKey(managementKeyOf(reading))) onNewKey()
      },
    },
    deps,
  )
}

function managementKeyOf(reading: KeyFileReading | null): ManagementKey {
  if (reading === null) return { kind: 'none' }
  return reading.kind === 'key'
    ? { kind: 'key', key: reading.key }
    : { kind: 'unreadable', reason: reading.reason }
}
