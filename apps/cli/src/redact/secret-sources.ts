import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyFromText, readClientLabels, readKeyFile } from '@svc/collector'
import type { Config } from '@svc/config'
import { kindOfField } from './redactor.ts'

/** A shorter text under a token-like name is no token. */
const TOKEN_LENGTH_MIN = 16

/** Every secret this machine's configuration leads to: the management key, what auth files hold, the API names of clients. What cannot be read is left out. */
export async function secretsOf({ managementKey, managementKeyFile, authDir, clientLabelsFile }: Config): Promise<ReadonlySet<string>> {
  const secrets = new Set<string>()
  const key =
    managementKey !== null
      ? keyFromText(managementKey.reveal(), false)
      : managementKeyFile === null
        ? null
        : await readKeyFile(managementKeyFile)
  if (key?.kind === 'key') secrets.add(key.key.reveal())
  if (authDir !== null) for (const value of authFileSecrets(authDir)) secrets.add(value)
  if (clientLabelsFile !== null) {
    const labels = await readClientLabels(clientLabelsFile).catch(() => new Map<string, string>())
    for (const name of labels.keys()) secrets.add(name)
  }
  return secrets
}

function authFileSecrets(authDir: string): readonly string[] {
  try {
    return readdirSync(authDir)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => secretsIn(documentOf(join(authDir, name)), ''))
  } catch {
    return []
  }
}

function documentOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function secretsIn(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') {
    const kind = kindOfField(name)
    if (kind === 'email') return [value, value.toLowerCase()]
    return kind === 'secret' && value.length >= TOKEN_LENGTH_MIN ? [value] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, Array.isArray(value) ? name : member))
}
