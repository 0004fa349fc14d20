import { Redacted } from '@svc/core/service'
import { afterEach, describe, expect, it } from 'vitest'
import { createUpstreamClient, type ManagementCall } from '../proxy/upstream-client.ts'
import { answerJson, aServer, closeServers, failureOf, realClock } from '../testing/own-servers.ts'
import { fetchUsageStatistics } from './usage-statistics.ts'

afterEach(closeServers)

/** A client of a proxy that answers with this body. */
async function aClient(body: unknown) {
  const { url } = await aServer(answerJson(body))
  return createUpstreamClient(url, { clock: realClock, fetch })
}

const aCall = (): ManagementCall => ({
  key: new Redacted('key'),
  seconds: 5,
  stop: new AbortController().signal,
  bytesMax: 100_000,
})

describe('the switch of usage statistics', () => {
  it.each([
    [{ 'usage-statistics-enabled': true }, true],
    [{ 'usage-statistics-enabled': false, more: 1 }, false],
    [{ 'usage-statistics-enabled': 'false' }, false],
  ])('reads %j', async (body, enabled) => {
    const client = await aClient(body)

    expect(await fetchUsageStatistics(client, aCall())).toEqual({ enabled })
  })

  it.each([[{}], [[]], ['on'], [null], [{ 'usage-statistics-enabled': 1 }]])(
    '%j is no switch',
    async (body) => {
      const client = await aClient(body)

      expect(await failureOf(fetchUsageStatistics(client, aCall()))).toMatchObject({
        code: 'bad_payload',
      })
    },
  )
})
