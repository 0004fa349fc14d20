import { jsonObject } from './api-call-answer.ts'
import type { FakeAccount } from './fake-account.ts'
import { goJson } from './wire.ts'

interface PatchDeps {
  readonly accounts: readonly FakeAccount[]
  /** Rewrites the account's file. */
  readonly write: (account: FakeAccount) => void
}

/** Simulates `PATCH auth-files/status`: switches a file on or off. See docs/upstream.md#changing-auth-files. */
export function statusPatchAnswer(deps: PatchDeps, body: string): Response {
  const root = jsonObject(body)
  const { name = '', disabled = null } = root ?? {}
  const isRead = typeof name === 'string' && (disabled === null || typeof disabled === 'boolean')
  if (root === null || !isRead) return refused(400, 'invalid request body')
  if (name.trim() === '') return refused(400, 'name is required')
  if (disabled === null) return refused(400, 'disabled is required')
  const account = accountNamed(deps, name)
  if (account === null) return refused(404, 'auth file not found')
  account.disabled = disabled
  deps.write(account)
  return goJson({ disabled, status: 'ok' })
}

/** Simulates `PATCH auth-files/fields`: sets priority and note; other fields change nothing that the account list shows. */
export function fieldsPatchAnswer(deps: PatchDeps, body: string): Response {
  const root = jsonObject(body)
  if (root === null) return refused(400, 'invalid request body')
  const { name, ...fields } = root
  if (typeof name !== 'string' || name.trim() === '') return refused(400, 'name is required')
  const account = accountNamed(deps, name)
  if (account === null) return refused(404, 'auth file not found')
  if (Object.keys(fields).length === 0) return refused(400, 'no fields to update')
  if (typeof fields.priority === 'number') account.priority = fields.priority
  if (typeof fields.note === 'string') account.note = fields.note || null
  deps.write(account)
  return goJson({ status: 'ok' })
}

function accountNamed({ accounts }: PatchDeps, name: string): FakeAccount | null {
  return accounts.find(({ fileName }) => fileName === name.trim()) ?? null
}

function refused(status: 400 | 404, error: string): Response {
  return goJson({ error }, status)
}
