import { type Agent, get } from 'node:http'
import { openApiDocument } from '@svc/views/openapi'

/** The body of a 200, read without a client library, so that the time it takes is the server's. Rejects on any other status. */
export function readText(url: string, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, agent === undefined ? {} : { agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.once('error', reject)
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`answered ${answer.statusCode}`))
      })
    })
    request.once('error', reject)
  })
}

/** Every path of the contract whose answer ends and that can be read without knowing an account, so that whatever is added is read by every test that reads them all. */
export const readPaths: readonly string[] = Object.entries(openApiDocument().paths).flatMap(
  ([path, operations]) =>
    'get' in operations && !path.includes('{') && path !== '/api/v1/events' ? [path] : [],
)

/** Read paths but the download, which takes as long as its client, is no JSON, runs twice at once at most and needs a store. */
export const quickPaths: readonly string[] = readPaths.filter(
  (path) => path !== '/api/v1/usage/rows',
)
