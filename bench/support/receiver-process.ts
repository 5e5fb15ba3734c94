import { createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * A receiver of webhooks in a process of its own. It answers 200 to every POST and notes for which client it was and
 * when it came; a GET gives what was noted since the last one. It stands for another machine, but runs on this one: of
 * HTTP it knows no more than what the requests of the benchmark need, so that it takes little from what is measured.
 */

const answered = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const endOfHead = '\r\n\r\n'

let noted: [client: string, epochMs: number][] = []

/** What stands in the request between two texts; nothing where the first is missing. */
function between(request: string, before: string, after: string): string {
  const begin = request.indexOf(before)
  return begin < 0 ? '' : request.slice(begin + before.length, request.indexOf(after, begin + before.length))
}

/** Whether the request is there to its end. */
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
