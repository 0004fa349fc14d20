import { type Agent, get } from 'node:http'

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
