// Script of the page to which a checkout returns. Redirects to the visitor's previous booking page on this
// server. Polls until the payment has arrived.

/** Pauses between polls. They grow, because each poll makes the server call the payment processor. */
const pausesMs = [4_000, 6_000, 10_000, 15_000, 25_000, 40_000, 60_000, 60_000, 60_000, 60_000]

const { state, booking } = document.querySelector('#main').dataset

if (state === 'due') poll()
else if (state === 'confirmed' || state === 'cancelled') goBack()

showWayBack()

function goBack() {
  const address = cameFrom()
  if (address === undefined) return
  sessionStorage.removeItem(`holdfast:return:${booking}`)
  location.replace(address)
}

function showWayBack() {
  const address = cameFrom()
  const line = document.querySelector('.back')
  if (address === undefined || !line) return
  line.firstElementChild.href = address
  line.hidden = false
}

/** Returns the page that the widget or the booking's page stored in this tab. Same origin only. */
function cameFrom() {
  try {
    const page = sessionStorage.getItem(`holdfast:return:${booking}`)
    const address = page === null ? undefined : new URL(page, location.origin)
    return address?.origin === location.origin ? address.href : undefined
  } catch {
    return undefined // storage is disabled
  }
}

async function poll() {
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
    return 'due' // no network
  }
}
