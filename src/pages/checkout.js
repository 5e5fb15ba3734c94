// The page to which a checkout returns. Sends a visitor on to the booking page of this server that they came from, and
// polls until the payment has arrived.

/** Pauses between polls. Each makes the server call the payment processor, so they grow. */
const pausesMs = [4_000, 6_000, 10_000, 15_000, 25_000, 40_000, 60_000, 60_000, 60_000, 60_000]

const { state, booking } = document.querySelector('#main').dataset

if (state === 'due') poll()
else if (state === 'confirmed' || state === 'cancelled') goBack()

/** Returns to the page that the widget stored in this tab, only on this origin. */
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
    return null // storage is disabled
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
