// The page to which a checkout leads back. A visitor who came from a booking page of this server is sent on to it; who
// has paid a moment ago is told as soon as the payment has arrived.

/** Pauses between looks, in milliseconds. Each look has the server ask the processor, which takes no hurry. */
const pausesMs = [4_000, 6_000, 10_000, 15_000, 25_000, 40_000, 60_000, 60_000, 60_000, 60_000]

const { state, booking } = document.querySelector('#main').dataset

if (state === 'due') lookAgain()
else if (state === 'confirmed' || state === 'cancelled') goBack()

/** Only to a page of this very server: what is remembered was left by the widget of a page that this tab has shown. */
function goBack() {
  const page = readOnce(`holdfast:return:${booking}`)
  if (page === null) return
  const address = new URL(page, location.origin)
  if (address.origin === location.origin) location.replace(address.href)
}

function readOnce(name) {
  try {
    const page = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    return page
  } catch {
    return null // storage that is switched off
  }
}

async function lookAgain() {
  for (const pause of pausesMs) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (document.visibilityState === 'visible' && (await stateNow()) !== 'due') return location.reload()
  }
}

async function stateNow() {
  try {
    const response = await fetch(location.href, { cache: 'no-store' })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector('#main')?.dataset.state ?? 'due'
  } catch {
    return 'due' // no network just now
  }
}
