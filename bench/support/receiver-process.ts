import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A receiver of webhooks in a process of its own. It answers 200 to every POST and notes for which client it was and
 * when it came; a GET gives what was noted since the last one.
 */

let noted: [client: string, epochMs: number][] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(noted))
    noted = []
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const client = /"first_name":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? ''
    noted.push([client, performance.timeOrigin + performance.now()])
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
