import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { spawnWatched } from './watched.ts'

/*
 * An installed Firefox, driven directly by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). It needs no driver
 * in between and no special build.
 */

/** Finds a Firefox on this machine. Returns undefined with a loud warning if there is none. */
export function findFirefox(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['firefox-esr', 'firefox']
  const candidates = directories.flatMap((directory) => names.map((name) => join(directory, name)))
  const found = [process.env['FIREFOX_PATH'] ?? '', ...candidates].find(
    (path) => path !== '' && existsSync(path),
  )
  if (found === undefined) {
    const lost = 'no Firefox was found: the tests in it'
    if (process.env['CI']) throw new Error(`${lost} cannot run`)
    console.warn(`\n*** ${lost} are left out. Install firefox-esr, or set FIREFOX_PATH. ***\n`)
  }
  return found
}

/** Makes it connect to the tests only. */
const preferences = {
  'intl.accept_languages': 'en-GB',
  'app.normandy.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'http://127.0.0.1:9',
}

/** A page must show the expected content within this time. */
const patienceMs = 60_000

interface Firefox {
  /** Opens an empty page of this size, whose clock begins at this instant. */
  open(options: { width: number; height: number; startMs: number }): Promise<FirefoxPage>
  stop(): Promise<void>
}

export interface FirefoxPage {
  goto(url: string): Promise<void>
  /** Returns the text of an element once it exists and contains `text`. The CSS selector also searches shadow roots. */
  shown(selector: string, text?: string): Promise<string>
  /** Clicks on it with the mouse. */
  click(selector: string, text?: string): Promise<void>
  /** Clicks on a field and types. */
  type(selector: string, text: string): Promise<void>
  /** Returns the value of an expression. */
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

/** Starts a Firefox with a new profile. */
export async function launchFirefox(path: string, variables: Record<string, string>): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'holdfast-firefox-'))
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  )
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const child = spawnWatched(path, options, { env: { ...process.env, HOME: profile, ...variables } })
  const stop = async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.signalCode === null && child.kill()) await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const connection = await connect(`${await addressOf(child)}/session`)
    await connection.send('session.new', { capabilities: {} })
    return { open: (wanted) => openPage(connection, wanted), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Keeps reading afterwards, because Firefox must never wait for a reader. */
function addressOf(child: ChildProcessByStdio<Writable, null, Readable>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text = (text + String(chunk)).slice(-10_000)
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1]
    if (address !== undefined) resolve(address)
  })
  child.once('error', reject)
  child.once('exit', () => reject(new Error(`Firefox did not start:\n${text}`)))
  return promise
}

type Send = (method: string, params: object) => Promise<Record<string, unknown>>

interface Reply {
  id?: number
  type: 'success' | 'error' | 'event'
  result: Record<string, unknown>
  error?: string
  message?: string
}

async function connect(url: string): Promise<{ send: Send }> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const { id = -1, type, result, error, message } = JSON.parse(String(data)) as Reply
    const asked = waiting.get(id)
    waiting.delete(id)
    if (type === 'error') asked?.reject(new Error(`${error ?? ''}: ${message ?? ''}`))
    else asked?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has ended'))
  })
  await once(socket, 'open')
  return {
    send: (method, params) => {
      const answer = Promise.withResolvers<Record<string, unknown>>()
      const id = (last += 1)
      waiting.set(id, answer)
      socket.send(JSON.stringify({ id, method, params }))
      return answer.promise
    },
  }
}

/** Shifts the clock of a page, so that it begins at the time of the service. */
const shiftClock = `(startMs) => {
  const Real = Date
  const shift = startMs - Real.now()
  globalThis.Date = class extends Real {
    constructor(...parts) {
      if (parts.length > 0) super(...parts)
      else super(Real.now() + shift)
    }
    static now() {
      return Real.now() + shift
    }
  }
}`

/** Waits until an element exists and is visible, and scrolls it into view. */
const find = `(selector, text, patienceMs) => new Promise((resolve, reject) => {
  const all = (root) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap((one) => (one.shadowRoot ? all(one.shadowRoot) : [])),
  ]
  const untilMs = performance.now() + patienceMs
  const look = () => {
    const found = all(document).find((one) => one.textContent.includes(text) && one.getClientRects().length > 0)
    if (found) {
      found.scrollIntoView({ block: 'center', behavior: 'instant' })
      requestAnimationFrame(() => resolve(found))
    } else if (performance.now() > untilMs) reject(new Error(selector + ' with "' + text + '" is not shown'))
    else setTimeout(look, 20)
  }
  look()
})`

async function openPage(
  { send }: { send: Send },
  { width, height, startMs }: { width: number; height: number; startMs: number },
): Promise<FirefoxPage> {
  const { context } = await send('browsingContext.create', { type: 'tab' })
  await send('browsingContext.setViewport', { context, viewport: { width, height } })
  await send('script.addPreloadScript', {
    functionDeclaration: `() => { (${shiftClock})(${startMs}) }`,
    contexts: [context],
  })
  const call = async (functionDeclaration: string, values: (string | number | object)[]) => {
    const { type, result, exceptionDetails } = (await send('script.callFunction', {
      ...{ functionDeclaration, target: { context }, awaitPromise: true },
      arguments: values.map((value) => (typeof value === 'object' ? value : { type: typeof value, value })),
    })) as {
      type: string
      result: { value?: unknown; sharedId?: string }
      exceptionDetails?: { text: string }
    }
    if (type !== 'success') throw new Error(exceptionDetails?.text)
    return result
  }
  const found = async (selector: string, text = '') => {
    const { sharedId } = await call(find, [selector, text, patienceMs])
    return { sharedId }
  }
  const click = async (selector: string, text?: string) => {
    const element = await found(selector, text)
    const to = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } }
    const press = [to, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]
    await send('input.performActions', {
      context,
      actions: [{ type: 'pointer', id: 'mouse', actions: press }],
    })
  }
  return {
    goto: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    shown: async (selector, text) => {
      const { value } = await call('(element) => element.textContent', [await found(selector, text)])
      return String(value)
    },
    click,
    type: async (selector, text) => {
      await click(selector)
      const keys = Array.from(text).flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions: keys }] })
    },
    evaluate: async (expression) => (await call(`() => (${expression})`, [])).value,
    close: async () => {
      await send('browsingContext.close', { context })
    },
  }
}
