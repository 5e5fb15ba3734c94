import { swap } from './swap.ts'
import { filled, type Texts } from './texts.ts'

/*
 * Keeps the calendar up to date. Polls every three seconds while the page is visible, and reports
 * failures. Most responses say that nothing has changed.
 */

const pauseMs = 3_000
const longestPauseMs = 30_000
const answerMs = 10_000

/** Receives changes for the page. */
interface Listener {
  /** Returns true while the calendar must not change. */
  isBusy(): boolean
  /** Called after a change of the calendar. */
  changed(): void
}

export class Live {
  private readonly root: HTMLElement
  private readonly status: HTMLElement
  private readonly texts: Texts
  private readonly listener: Listener
  private timer: number | undefined
  private failures = 0
  private asking: Promise<void> | undefined
  private isStale = false
  private clearing: number | undefined
  /** Milliseconds by which the server's clock is ahead. */
  private aheadMs: number

  constructor(parts: { root: HTMLElement; status: HTMLElement; texts: Texts }, listener: Listener) {
    ;({ root: this.root, status: this.status, texts: this.texts } = parts)
    this.listener = listener
    this.aheadMs = Number(this.root.dataset['now']) - Date.now()
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.schedule(document.hidden ? undefined : 0))
    addEventListener('online', () => this.schedule(0))
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.schedule(0) // restored from the browser's cache
    })
    setInterval(() => this.countDown(), 1_000)
    this.schedule(pauseMs)
  }

  /** Resolves once the calendar is as current as this call. */
  async refresh(): Promise<void> {
    await this.asking
    await this.ask()
  }

  private schedule(inMs: number | undefined): void {
    clearTimeout(this.timer)
    this.timer = inMs === undefined ? undefined : window.setTimeout(() => void this.ask(), inMs)
  }

  private ask(): Promise<void> {
    this.asking ??= this.look().finally(() => {
      this.asking = undefined
      const pause = Math.min(pauseMs * 2 ** Math.min(this.failures, 8), longestPauseMs)
      this.schedule(document.hidden ? undefined : pause)
    })
    return this.asking
  }

  private async look(): Promise<void> {
    if (this.listener.isBusy()) return
    const { live = '', tag = '' } = this.root.dataset
    try {
      const response = await fetch(live, {
        headers: { 'if-none-match': `"${tag}"` },
        cache: 'no-store',
        signal: AbortSignal.timeout(answerMs),
      })
      if (response.status === 401) {
        this.failures = 3 // retried now and then, because people also log in elsewhere
        return this.say(this.texts.loggedOut, this.texts.logIn)
      }
      // another tab switched to another business; this link leads back
      if (response.status === 409) return this.say(this.texts.elsewhere, this.texts.reload)
      if (response.status !== 304) {
        if (!response.ok) throw new Error(`status ${response.status}`)
        this.show(await response.text())
      }
      this.failures = 0
      this.recover()
    } catch {
      this.failures += 1
      if (this.failures > 1) this.say(this.texts.offline) // a single failure may be chance
    }
  }

  private show(text: string): void {
    const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#calendar')
    if (!(fresh instanceof HTMLElement)) throw new Error('no calendar')
    if (fresh.dataset['business'] !== this.root.dataset['business'])
      return this.say(this.texts.elsewhere, this.texts.reload)
    if (this.listener.isBusy()) return // an action began meanwhile; the next response shows the change
    swap(this.root, fresh)
    this.aheadMs = Number(fresh.dataset['now']) - Date.now()
    this.countDown()
    this.listener.changed()
  }

  private countDown(): void {
    const now = Date.now() + this.aheadMs
    let isOver = false
    for (const shown of this.root.querySelectorAll<HTMLElement>('[data-until]')) {
      const left = Math.ceil((Number(shown.dataset['until']) - now) / 1_000)
      const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
      if (left > 0) shown.textContent = shown.textContent.replace(/\d+:\d\d/, text)
      else {
        shown.closest('li')?.remove()
        isOver = true
      }
    }
    if (isOver && !document.hidden) this.schedule(0) // its time is free
  }

  /** Shows a problem, and a link to resolve it. */
  private say(text: string, link?: string): void {
    const { zone, locale, now } = this.root.dataset
    const clock = new Intl.DateTimeFormat(locale, {
      hour: 'numeric',
      minute: '2-digit',
      timeZone: zone ?? 'UTC',
    })
    const said = filled(text, { time: clock.format(Number(now)) })
    this.isStale = true
    clearTimeout(this.clearing)
    if (this.status.dataset['said'] === said) return // already announced
    this.status.dataset['said'] = said
    this.status.replaceChildren(said)
    if (link === undefined) return
    const anchor = document.createElement('a')
    anchor.href = location.pathname + location.search
    anchor.textContent = link
    this.status.append(' ', anchor)
  }

  private recover(): void {
    if (!this.isStale) return
    this.isStale = false
    delete this.status.dataset['said']
    this.status.textContent = this.texts.back
    this.clearing = window.setTimeout(() => this.status.replaceChildren(), 4_000)
  }
}
