import { type Agent, get } from 'node:http'
import { openApiDocument } from '@svc/views/openapi'

/** Body of a 200, read without a client library, so that the measured time is the server's. Rejects on any other status. */
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

/** Every contract path whose answer ends and that needs no account, so that tests of all reads also cover new paths. */
export const readPaths: readonly string[] = Object.entries(openApiDocument().paths).flatMap(
  ([path, operations]) =>
    'get' in operations && !path.includes('{') && path !== '/api/v1/events' ? [path] : [],
)

/** Read paths except the download, which runs at its client's pace, is not JSON, allows two at once and needs a store. */
export const quickPaths: readonly string[] = readPaths.filter(
  (path) => path !== '/api/v1/usage/rows',
)
