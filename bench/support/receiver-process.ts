import { createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * A receiver of webhooks in a separate process. It answers 200 to every POST and records its client and time of
 * arrival. A GET returns the records since the last one. It represents another machine but runs on this one. It
 * supports only the HTTP of the benchmark's requests, so that it hardly affects the measurement.
 */

const answered = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const endOfHead = '\r\n\r\n'

let noted: [client: string, epochMs: number][] = []

/** Returns the part of the request between two texts, or an empty text if the first is missing. */
function between(request: string, before: string, after: string): string {
  const begin = request.indexOf(before)
  return begin < 0 ? '' : request.slice(begin + before.length, request.indexOf(after, begin + before.length))
}

/** True if the request is complete. */
function isWhole(request: string): boolean {
  const head = request.indexOf(endOfHead)
  const length = Number(between(request, 'content-length: ', '\r\n'))
  return head >= 0 && request.length >= head + endOfHead.length + length
}

function answer(socket: Socket, request: string): void {
  if (request.startsWith('GET')) {
    const json = JSON.stringify(noted)
    noted = []
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${json.length}\r\n\r\n${json}`)
    return
  }
  noted.push([between(request, '"first_name":"', '"'), performance.timeOrigin + performance.now()])
  socket.write(answered)
}

const server = createServer({ noDelay: true }, (socket) => {
  let request = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    request += chunk
    if (!isWhole(request)) return
    answer(socket, request)
    request = ''
  })
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
