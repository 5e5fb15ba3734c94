import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { emptyDirectory, project } from './holdfast-process.ts'
import { spawnWatched } from './watched.ts'

/** The load balancer of packaging/haproxy.cfg in front of servers of a test. */
export interface LoadBalancer {
  address: string
  /** Resolves when it sends requests to the server on this port. */
  takes(port: number): Promise<void>
  stop(): Promise<void>
}

/** Starts it with the configuration of the package, in which only the addresses are replaced. */
export async function startHaproxy(program: string, ports: number[]): Promise<LoadBalancer> {
  const [port, statisticsPort] = [await freePort(), await freePort()]
  const directory = emptyDirectory()
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, configuration(ports, port, statisticsPort))
  const child = spawnWatched(program, ['-db', '-f', file])
  const ended = once(child, 'close')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const statuses = async () => {
    const reply = await fetch(`http://127.0.0.1:${statisticsPort}/;csv`).catch(() => undefined)
    return new Map(
      (await reply?.text())?.split('\n').map((line) => {
        const cells = line.split(',')
        return [cells[1] ?? '', cells[17] ?? '']
      }),
    )
  }
  const isUp = async (name: string) => (await statuses()).get(name)?.startsWith('UP') === true
  const takes = async (wanted: number) => {
    const name = nameOf(ports.indexOf(wanted))
    await eventually(`the server ${name} in use`, async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended:\n${said}`)
      return (await isUp(name)) || undefined
    })
  }
  await Promise.all(ports.map(takes))
  return {
    address: `http://127.0.0.1:${port}`,
    takes,
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

const nameOf = (index: number): string => 'abc'.charAt(index)

function configuration(ports: number[], port: number, statisticsPort: number): string {
  const given = readFileSync(join(project, 'packaging/haproxy.cfg'), 'utf8')
  const servers = ['a', 'b', 'c'].map((name, index): [string, string] => [
    `    server ${name} 10.0.0.1${index + 1}:3000\n`,
    ports[index] === undefined ? '' : `    server ${name} 127.0.0.1:${ports[index]}\n`,
  ])
  const replaced: [string, string][] = [
    ...servers,
    ['bind :80\n', `bind 127.0.0.1:${port}\n`],
    ['bind 127.0.0.1:8404\n', `bind 127.0.0.1:${statisticsPort}\n`],
  ]
  return replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`packaging/haproxy.cfg has no line "${from.trim()}"`)
    return text.replace(from, to)
  }, given)
}
