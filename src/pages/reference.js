// Copies and tries the calls of the API reference, and copies the samples of guides. The pages work without it.

/** The day of the examples, and the same weekday of the week after next, which a business offers. */
const exampleDay = '2026-12-01'
const soon = new Date(Date.now() + (14 + ((2 - new Date().getUTCDay() + 7) % 7)) * 86_400_000)
  .toISOString()
  .slice(0, 10)

/** The last key or token that was sent. It is kept nowhere else. */
let lastKey = document.querySelector('meta[name="holdfast-key"]')?.content ?? ''
/** The session of a publishable key, by the key. */
const sessions = new Map()

for (const sample of document.querySelectorAll('.samples > pre[data-call]')) {
  const code = sample.firstElementChild
  code.textContent = code.textContent.replaceAll(exampleDay, soon).replace('$HOLDFAST', location.origin)
  const { body } = sample.dataset
  if (body) sample.dataset.body = body.replaceAll(exampleDay, soon)
  addTools(sample)
}

for (const sample of document.querySelectorAll('main > pre')) {
  const tools = made('div', { className: 'tools' })
  addCopy(tools, 'Copy', () => sample.textContent)
  sample.before(tools)
}

/** Adds a button that copies a text, and says that it has. */
function addCopy(tools, label, textOf) {
  const copy = made('button', { type: 'button', textContent: 'Copy', ariaLabel: label })
  const said = made('span', { role: 'status', className: 'soft' })
  tools.append(copy, said)
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf()).then(
      () => (said.textContent = 'Copied'),
      () => (said.textContent = 'This browser does not allow copying.'),
    )
  })
}

function addTools(sample) {
  const name = sample.closest('section').querySelector('h3').textContent
  const open = made('button', { type: 'button', textContent: 'Try it', ariaLabel: `Try it: ${name}` })
  const tools = made('div', { className: 'tools' })
  tools.append(open)
  sample.before(tools)
  open.ariaExpanded = 'false'
  let form
  open.addEventListener('click', () => {
    if (!form) sample.after((form = trialOf(sample, name)))
    else form.hidden = !form.hidden
    open.ariaExpanded = String(!form.hidden)
    if (!form.hidden) form.querySelector('input, textarea, button').focus()
  })
  addCopy(tools, `Copy: ${name}`, () => copied(sample, form))
}

/** Returns the call for a shell, with what its form has. A publishable key is exchanged first. */
function copied(sample, form) {
  const [method, path] = sample.dataset.call.split(' ')
  const { body = '', query = '', key } = sample.dataset
  const typed = (name, otherwise) => form?.elements.namedItem(name)?.value.trim() || otherwise
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const text = typed('body', body)
  const token = typed('key', lastKey)
  const asked = form ? addressOf(path, form) : path + (query === '' ? '' : `?${query}`)
  const isExchanged = token.startsWith('cal_pub_') && asked !== '/api/v1/session'
  const session = `curl -s -X POST ${location.origin}/api/v1/session -H ${quoted(`Authorization: Bearer ${token}`)}`
  const lines = [
    `curl -X ${method} ${quoted(location.origin + asked)}`,
    ...(key === undefined
      ? []
      : [`-H "Authorization: Bearer ${isExchanged || token === '' ? '$TOKEN' : token}"`]),
    ...(text === '' ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(text)}`]),
  ]
  const exchange = `TOKEN=$(${session} | sed -E 's/.*"session_token":"([^"]+)".*/\\1/')\n`
  return (key !== undefined && isExchanged ? exchange : '') + lines.join(' \\\n  ')
}

/** Returns a form that sends a call and shows the answer. */
function trialOf(sample, name) {
  const [method, path] = sample.dataset.call.split(' ')
  const form = made('form', { className: 'trial', ariaLabel: `Try it: ${name}` })
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, place]) => place)
  for (const place of places) form.append(field('input', place, { name: place, required: true }))
  const { query, body, key } = sample.dataset
  if (query !== undefined) form.append(field('input', 'Query', { name: '?', value: query }))
  if (body)
    form.append(
      field('textarea', 'Body', { name: 'body', value: body, rows: Math.min(14, body.split('\n').length) }),
    )
  if (key !== undefined)
    form.append(field('input', 'Key or token', { name: 'key', value: lastKey, required: true }))
  const status = made('p', { role: 'status' })
  const answer = made('pre', { tabIndex: 0, hidden: true })
  const shown = made('code')
  answer.append(shown)
  const send = made('button', { textContent: 'Send', className: 'main' })
  const note = made('span', { className: 'soft', textContent: 'Calls this server.' })
  const last = made('div', { className: 'tools' })
  last.append(send, note)
  form.append(last, status, answer)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    send.disabled = true
    answer.hidden = true
    status.textContent = 'Sending …'
    try {
      const { said, text } = await call(method, addressOf(path, form), form)
      status.textContent = said
      shown.textContent = text
      answer.hidden = text === ''
    } catch (error) {
      status.textContent = error.message
    }
    send.disabled = false
  })
  return form
}

function addressOf(path, form) {
  const value = (name) => encodeURIComponent(form.elements.namedItem(name).value.trim()) || `{${name}}`
  const query = form.elements.namedItem('?')?.value.trim().replace(/^\?/, '') ?? ''
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => value(name)) + (query === '' ? '' : `?${query}`)
}

async function call(method, address, form) {
  const text = form.elements.namedItem('body')?.value.trim()
  const typed = form.elements.namedItem('key')?.value.trim()
  if (text) assertJson(text)
  if (typed) lastKey = typed
  const isKeyWanted = address === '/api/v1/session'
  const token = typed && !isKeyWanted ? await tokenOf(typed) : typed
  const begun = performance.now()
  const response = await fetch(address, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text && { 'content-type': 'application/json' }),
    },
    ...(text && { body: text }),
  }).catch(() => {
    throw new Error('The server does not answer.')
  })
  const said = `${response.status} ${response.statusText} · ${Math.round(performance.now() - begun)} ms`
  if (response.status === 401) sessions.delete(typed)
  return { said, text: pretty(await response.text()) }
}

function assertJson(text) {
  try {
    JSON.parse(text)
  } catch (error) {
    throw new Error(`The body is not JSON: ${error.message}`, { cause: error })
  }
}

/** Exchanges a publishable key for a session, once. Returns any other token unchanged. */
async function tokenOf(key) {
  if (!key.startsWith('cal_pub_')) return key
  if (sessions.has(key)) return sessions.get(key)
  const response = await fetch('/api/v1/session', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  const body = await response.json().catch(() => ({}))
  if (!response.ok)
    throw new Error(`The key was not exchanged for a session: ${body.detail ?? response.status}`)
  sessions.set(key, body.session_token)
  return body.session_token
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function field(kind, label, more) {
  const input = made(kind, { autocomplete: 'off', spellcheck: false, ...more })
  const row = made('label')
  row.append(made('span', { textContent: label }), input)
  return row
}

function made(kind, properties = {}) {
  return Object.assign(document.createElement(kind), properties)
}
