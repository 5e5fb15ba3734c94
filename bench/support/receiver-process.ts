import { createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * A receiver of webhooks in a process of its own. It answers 200 to every POST and notes for which client it was and
 * when it came; a GET gives what was noted since the last one. It stands for another machine, but runs on this one: of
 * HTTP it knows no more than what the requests of the benchmark need, so that it takes little from what is measured.
 */

const answered = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const endOfHead = '\r\n\r\n'

let noted: [client: string, epochMs: number][] = []

/** Whether the request is there to its end. */
function isWhole(request: string): boolean {
  const head = request.indexOf(endOfHead)
  const length = /\ncontent-length: (\d+)/i.exec(request)?.[1] ?? '0'
  return head >= 0 && request.length >= head + endOfHead.length + Number(length)
}

function answer(socket: Socket, request: string): void {
  if (request.startsWith('GET')) {
    const json = JSON.stringify(noted)
    noted = []
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${json.length}\r\n\r\n${json}`)
    return
  }
  const client = /"first_name":"([^"]+)"/.exec(request)?.[1] ?? ''
  noted.push([client, performance.timeOrigin + performance.now()])
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
