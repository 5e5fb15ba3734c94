import { always, eventually, next } from '@antithesishq/bombadil'
import { actions, extract, getFingerprint, weighted } from '@antithesishq/bombadil/browser'
import { back, forward, reload, scroll, waitOnce } from '@antithesishq/bombadil/browser/defaults/actions'

/*
 * The actions and the promises of a walk. Bombadil reads this file. It runs the functions of `extract` in the page
 * after each action, and everything else outside.
 */

/** The page as a visitor can use it: its controls, texts and fields, also those in open shadow roots. */
const page = extract(({ document, window }) => {
  const all = (root) =>
    [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])])
  const isShown = (one) => {
    const { width, height } = one.getBoundingClientRect()
    return width > 0 && height > 0 && one.checkVisibility({ visibilityProperty: true })
  }
  const leadsAway = (one) => {
    const link = one.closest('a')
    if (link) {
      const isFile = /[.](?:csv|ics|json|svg|txt|zip)$/.test(link.pathname)
      return (
        link.host !== window.location.host ||
        !/^https?:$/.test(link.protocol) ||
        link.target === '_blank' ||
        isFile
      )
    }
    // a walk that logs out, or changes its own log-in, would stay at the log-in
    const action = one.form?.getAttribute('action') ?? one.closest('form')?.getAttribute('action') ?? ''
    return /logout|account\/(?:password|email|second-step|language|end-others)|\/place$|\/users\//.test(
      action,
    )
  }
  const shown = all(document).filter(isShown)
  const controls = shown.filter((one) =>
    one.matches('a[href], button, input, select, textarea, summary, label'),
  )
  const fields = {}
  for (const one of controls) {
    const isText = one.matches(
      'textarea, input:is(:not([type]), [type=text], [type=email], [type=tel], [type=search], [type=number])',
    )
    if (isText && (one.name || one.id)) fields[one.name || one.id] = one.value
  }
  const words = shown.flatMap((one) =>
    [...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
  )
  const wrong = words.filter((text) => /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date/.test(text))
  const { scrollWidth, clientWidth } = document.documentElement
  return {
    path: window.location.pathname,
    points: controls.flatMap((one) => {
      if (one.matches(':disabled, [type=file], [type=color]') || leadsAway(one)) return []
      const box = one.getBoundingClientRect()
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
      if (x < 0 || y < 0 || x >= window.innerWidth || y >= window.innerHeight) return []
      return [{ fingerprint: getFingerprint(one), point: { x, y } }]
    }),
    ways: controls.filter((one) => one.matches('a[href], button:enabled, summary, input:enabled')).length,
    isBlank: words.every((text) => text.trim() === ''),
    wrong: wrong.map((text) => text.trim().slice(0, 120)),
    fields,
    hasFaults: shown.some((one) => one.matches('[aria-invalid=true], [role=alert], .fault')),
    overflow:
      scrollWidth > clientWidth + 1 ? `${scrollWidth} of ${clientWidth} at ${window.location.pathname}` : '',
  }
})

const failed = extract(({ window }) =>
  [...window.performance.getEntriesByType('navigation'), ...window.performance.getEntriesByType('resource')]
    // an overloaded server asks to come back later
    .filter(({ responseStatus }) => responseStatus >= 500 && responseStatus !== 503)
    .map(({ name, responseStatus }) => `${responseStatus} ${name}`),
)

const complaints = extract((state) =>
  state.console.filter(({ level }) => level === 'error').map(({ args }) => JSON.stringify(args)),
)

/** Turbo lets a promise fail if a panel is closed while its page arrives. */
const isHarmless = (text) => text.includes('AbortError: signal is aborted')
const uncaught = extract(({ errors }) =>
  errors.uncaughtExceptions.map((one) => `${one.text} ${one.remote_object?.description ?? ''}`),
)

const violations = extract(({ document, window }) => {
  if (window.heldViolations === undefined) {
    window.heldViolations = []
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      window.heldViolations.push(`${violatedDirective} ${blockedURI} ${sourceFile}`),
    )
  }
  return window.heldViolations
})

const focused = extract(({ document }) => {
  let one = document.activeElement
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
  const isText = one?.matches(
    'textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=color])',
  )
  return { tag: one?.localName ?? '', type: isText ? one.type : '' }
})

const lastAction = extract((state) =>
  typeof state.lastAction === 'string' ? state.lastAction : (Object.keys(state.lastAction ?? {})[0] ?? ''),
)

export const noUncaughtError = always(() => uncaught.current.every(isHarmless))
export const noServerError = always(() => failed.current.length === 0)
export const noConsoleError = always(() => complaints.current.length === 0)
export const noPolicyViolation = always(() => violations.current.length === 0)
export const noWrongText = always(() => page.current.wrong.length === 0)
export const nothingSideways = always(() => page.current.overflow === '')
/** A new page may be empty for a moment. */
export const neverBlank = always(eventually(() => !page.current.isBlank).within(10, 'seconds'))
export const neverStuck = always(eventually(() => page.current.ways > 0).within(10, 'seconds'))

/** A form that comes back with faults still has what was typed. */
export const noLostText = always(() => {
  const { fields, path } = page.current
  return next(() => {
    const isSent = ['Click', 'PressKey'].includes(lastAction.current)
    if (!isSent || !page.current.hasFaults || page.current.path !== path) return true
    return Object.entries(fields).every(([name, text]) => text === '' || page.current.fields[name] !== '')
  })
})

const clicks = actions(() => page.current.points.map((one) => ({ Click: one })))
const press = (...codes) => codes.map((code) => ({ PressKey: { code } }))
/** Tab, Enter, Escape, Space and arrows. */
const keys = actions(() =>
  focused.current.tag === 'select'
    ? press(40, 38, 9)
    : press(9, 9, 13, 27, ...(focused.current.tag === 'body' ? [] : [37, 38, 39, 40])),
)
/** Types into the field with the focus: bad input half of the time. */
const typing = actions(() => {
  const text = { email: 'Email', tel: { Regexp: '0[0-9]{3,11}' }, number: { Regexp: '-?[0-9]{1,4}' } }[
    focused.current.type
  ]
  const texts = [text ?? { Text: [1, 30] }, { Text: [1, 300] }, { Regexp: '[A-Z][a-z]{2,9}' }]
  return focused.current.type === '' ? [] : texts.map((one) => ({ TypeText: { text: one, delayMillis: 1 } }))
})
const resize = actions(() => [
  { SetViewport: { width: 390, height: 844 } },
  { SetViewport: { width: 768, height: 1024 } },
  { SetViewport: { width: 1280, height: 800 } },
])

export const walk = weighted([
  [60, clicks],
  [40, typing],
  [15, keys],
  [10, scroll],
  [4, back],
  [1, forward],
  [2, reload],
  [1, resize],
  [1, waitOnce],
])
