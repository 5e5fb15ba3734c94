// The page to which a checkout returns. Sends a visitor on to the booking page of this server that they came from, and
// polls until the payment has arrived.

/** Pauses between polls. Each makes the server call the payment processor, so they grow. */
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

/** The page that the widget, or the page of the booking, stored in this tab; only on this origin. */
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
