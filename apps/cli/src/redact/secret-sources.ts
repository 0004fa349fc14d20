import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { keyFromText, readClientLabels, readKeyFile } from '@svc/collector'
import type { Config } from '@svc/config'
import { bytesOf, type CollectedValues, collectAuthFile, collectStore } from '@svc/redact'
import type { CliContext } from '../cli-context.ts'

/** More auth files than this nobody has. */
const AUTH_FILES_MAX = 20_000

/**
 * Collects every secret that the configuration of this machine leads to: the management key, what auth files hold, the API names of clients, names and
 * titles in the store. What cannot be read is left out.
 */
export async function collectConfigured(config: Config, context: CliContext, collected: CollectedValues, stop: AbortSignal): Promise<void> {
  const { managementKey, managementKeyFile, authDir, clientLabelsFile, stateDb } = config
  const key =
    managementKey !== null
      ? keyFromText(managementKey.reveal(), false)
      : managementKeyFile === null
        ? null
        : await readKeyFile(managementKeyFile)
  if (key?.kind === 'key') collected.addConfigured(bytesOf(key.key.reveal()), 'secret')
  for (const url of [config.upstreamUrl, config.gatewayHealthUrl]) collectUserInfo(url, collected)
  if (authDir !== null) collectAuthFiles(authDir, context, collected)
  if (clientLabelsFile !== null) {
    const labels = await readClientLabels(clientLabelsFile).catch(() => new Map<string, string>())
    for (const name of labels.keys()) collected.addConfigured(bytesOf(name), 'secret')
  }
  if (stateDb !== null) collectStore(stateDb, collected, stop)
}

function collectUserInfo(url: string, collected: CollectedValues): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  for (const text of [password, username]) if (text !== '') collected.addConfigured(bytesOf(decodeURIComponent(text)), 'secret')
}

function collectAuthFiles(authDir: string, { readTextFile }: CliContext, collected: CollectedValues): void {
  for (const name of namesIn(authDir).slice(0, AUTH_FILES_MAX)) {
    try {
      collectAuthFile(name, readTextFile(join(authDir, name)), collected)
    } catch {
      // The others still count.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}
