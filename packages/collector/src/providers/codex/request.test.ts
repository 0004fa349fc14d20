import { expect, it } from 'vitest'
import { quotaRequest } from './request.ts'

it('sends the login and the workspace to the vendor alone', () => {
  const { url, headers } = quotaRequest({ bearer: 'canary', vendorAccountId: 'workspace-1' })

  expect(new URL(url).origin).toBe('https://chatgpt.com')
  expect(url).not.toContain('canary')
  expect(headers).toMatchObject({
    Authorization: 'Bearer canary',
    'Chatgpt-Account-Id': 'workspace-1',
  })
})

it('of a login without a workspace has no header for one', () => {
  const { headers } = quotaRequest({ bearer: 'canary', vendorAccountId: null })

  expect(Object.keys(headers).map((name) => name.toLowerCase())).not.toContain('chatgpt-account-id')
})
