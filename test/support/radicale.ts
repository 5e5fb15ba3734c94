import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { placeOfFiles } from './files-directory.ts'
import { freePort } from './free-port.ts'
import { spawnWatched } from './watched.ts'

/** Finds the program. If it is missing, returns undefined with a warning, and fails with CI=true. */
export function radicaleProgram(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v radicale'], { encoding: 'utf8' }).trim()
  } catch {
    const without = 'Radicale is not installed'
    if (process.env['CI'] === 'true') throw new Error(without)
    console.warn(`SKIPPED: ${without}`)
    return undefined
  }
}

/** A real CalDAV server with users whose password is `secret`. */
export interface Radicale {
  url: string
  /** Creates a calendar of a user and returns its address. */
  makeCalendar(user: string, name: string): Promise<string>
  /** Gives a user a copy of another one's calendar, much faster than requests would. */
  copyCalendar(from: string, to: string, name: string): void
  /** Returns the busy times of a calendar as its own code expands them, merged, in milliseconds. */
  busyTimes(user: string, name: string, span: { fromMs: number; toMs: number }): [from: number, to: number][]
  /** Sends a request as a user. */
  call(
    user: string,
    method: string,
    address: string,
    options?: { body?: string; headers?: Record<string, string> },
  ): Promise<{ status: number; text: string; etag: string | null }>
  /** Replaces the password of every user. */
  setPassword(password: string): void
  stop(): Promise<void>
}

/** Prints the busy times in the files of a calendar. Version 3.1 has no report of free and busy times. */
const busyTimes = `
import glob, json, sys
import vobject
from radicale.item.filter import visit_time_ranges
directory, begin, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
times = []
for path in glob.glob(directory + '/*.ics'):
    with open(path, encoding='utf-8', newline='') as file:
        item = vobject.readOne(file.read())
    main = item.vevent_list[0].contents
    if any(main.get(name, [None])[0] and main[name][0].value == value
           for name, value in (('transp', 'TRANSPARENT'), ('status', 'CANCELLED'))):
        continue
    def add(start, stop, is_recurrence):
        first, last = (round(at.timestamp() * 1000) for at in (start, stop))
        if last > begin and first < end:
            times.append((max(first, begin), min(last, end)))
        return first >= end and not is_recurrence
    visit_time_ranges(item, 'VEVENT', add, lambda start: False)
merged = []
for first, last in sorted(times):
    if merged and first <= merged[-1][1]:
        merged[-1][1] = max(merged[-1][1], last)
    else:
        merged.append([first, last])
print(json.dumps(merged))
`

const users = Array.from({ length: 1_200 }, (_, index) => (index === 0 ? 'anna' : `user${index}`))

export async function startRadicale(program: string): Promise<Radicale> {
  const directory = mkdtempSync(join(placeOfFiles(), `holdfast-files-${process.pid}-radicale-`))
  const port = await freePort()
  let password = 'secret'
  const root = join(directory, 'collections', 'collection-root')
  const passwords = join(directory, 'users')
  const writePasswords = () => writeFileSync(passwords, users.map((user) => `${user}:${password}\n`).join(''))
  writePasswords()
  const config = join(directory, 'config')
  writeFileSync(
    config,
    [
      ...['[server]', `hosts = 127.0.0.1:${port}`, 'max_connections = 64'],
      ...['[auth]', 'type = htpasswd', `htpasswd_filename = ${passwords}`, 'htpasswd_encryption = plain'],
      'delay = 0',
      ...['[storage]', `filesystem_folder = ${join(directory, 'collections')}`],
      ...['[logging]', 'level = error'],
    ].join('\n'),
  )
  const server = spawnWatched(program, ['--config', config])
  const ended = once(server, 'exit')
  const url = `http://127.0.0.1:${port}/`
  const call: Radicale['call'] = async (user, method, address, { body, headers = {} } = {}) => {
    const response = await fetch(new URL(address, url), {
      method,
      headers: { authorization: `Basic ${btoa(`${user}:${password}`)}`, ...headers },
      ...(body !== undefined && { body }),
    })
    return { status: response.status, text: await response.text(), etag: response.headers.get('etag') }
  }
  await eventually('an answer of Radicale', async () => {
    const answer = await call('anna', 'OPTIONS', '/').catch(() => undefined)
    return answer?.status === 200 ? answer : undefined
  })
  return {
    url,
    call,
    makeCalendar: async (user, name) => {
      const address = `${url}${user}/${name.toLowerCase()}/`
      const body = `<mkcalendar xmlns="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:">
        <d:set><d:prop><d:displayname>${name}</d:displayname></d:prop></d:set></mkcalendar>`
      const { status, text } = await call(user, 'MKCALENDAR', address, { body })
      if (status !== 201) throw new Error(`Radicale answers ${status}: ${text}`)
      return address
    },
    busyTimes: (user, name, { fromMs, toMs }) => {
      const [, python = 'python3'] = /^#!\s*(\S+)/.exec(readFileSync(program, 'utf8')) ?? []
      const args = ['-c', busyTimes, join(root, user, name), String(fromMs), String(toMs)]
      return JSON.parse(execFileSync(python, args, { encoding: 'utf8' })) as [number, number][]
    },
    copyCalendar: (from, to, name) => {
      cpSync(join(root, from, name), join(root, to, name), { recursive: true })
    },
    setPassword: (next) => {
      password = next
      writePasswords()
    },
    stop: async () => {
      server.kill()
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
