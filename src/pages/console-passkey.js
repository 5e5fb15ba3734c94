// creates passkeys, and logs in with them

const Key = globalThis.PublicKeyCredential
const isPossible = Key?.parseRequestOptionsFromJSON !== undefined
/** Challenges expire after ten minutes. */
const renewMs = 8 * 60_000

const button = document.querySelector('[data-passkey]')
if (button && isPossible && location.hostname === button.dataset.passkey) logIn(button)
const form = document.querySelector('[data-new-passkey]')
if (form) create(form)

/** Offers a passkey with a button, and where possible among the suggestions of the email field. */
async function logIn(button) {
  const { form } = button
  let pending = new AbortController()

  async function ask(mediation) {
    pending.abort()
    pending = new AbortController()
    const { signal } = pending
    const answer = await fetch('/console/passkey/options', {
      method: 'POST',
      body: new URLSearchParams(),
      signal,
    })
    if (!answer.ok) return
    const publicKey = Key.parseRequestOptionsFromJSON(await answer.json())
    const credential = await navigator.credentials.get({ publicKey, mediation, signal })
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name: 'credential', value: JSON.stringify(credential) })
    for (const name of ['email', 'password']) form.elements.namedItem(name).disabled = true
    form.append(field)
    form.action = '/console/passkey'
    form.submit()
  }

  async function suggest() {
    await ask('conditional').catch(() => undefined) // replaced, or the person has dismissed it
  }

  button.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      await ask('optional')
    } catch {
      button.disabled = false // the browser has explained why
      if (canSuggest) suggest()
    }
  })
  const canSuggest = await Key.isConditionalMediationAvailable?.()
  if (!canSuggest || document.querySelector('[role=alert]')) return // a refusal is read first
  suggest()
  setInterval(() => button.disabled || suggest(), renewMs)
}

/** Creates a passkey before its form is sent. */
function create(form) {
  const say = (id) => {
    for (const line of document.querySelectorAll('[data-says]')) line.hidden = line.dataset.says !== id
  }
  const submit = form.querySelector('button')
  if (!isPossible || location.hostname !== form.dataset.host) {
    submit.disabled = true
    say(location.hostname === form.dataset.host ? 'impossible' : 'elsewhere')
    return
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    submit.disabled = true
    try {
      const publicKey = Key.parseCreationOptionsFromJSON(JSON.parse(form.dataset.newPasskey))
      const credential = await navigator.credentials.create({ publicKey })
      form.elements.namedItem('credential').value = JSON.stringify(credential)
      form.submit()
    } catch ({ name }) {
      submit.disabled = false
      say(name === 'InvalidStateError' ? 'known' : 'failed')
    }
  })
}
