// makes the console an app that notifies; the pages work without it

const { lang } = document.documentElement
const worker = registerWorker()

const part = document.querySelector('[data-push-key]')
if (part) setUp(part)
else reportUse()

async function registerWorker() {
  try {
    const address = `/console/service-worker.js?locale=${encodeURIComponent(lang)}`
    await navigator.serviceWorker.register(address, { scope: '/console' })
    return await navigator.serviceWorker.ready
  } catch {
    return undefined // without https, in a private window, or switched off
  }
}

function send(path, fields) {
  return fetch(path, { method: 'POST', body: new URLSearchParams({ ...fields, locale: lang }) })
}

/** Reports once a session that this device is in use. Ends a subscription that belongs to nobody here. */
async function reportUse() {
  if (globalThis.Notification?.permission !== 'granted' || sessionStorage.getItem('holdfast-device')) return
  const subscription = await (await worker)?.pushManager?.getSubscription()
  if (!subscription) return
  const { status } = await send('/console/notifications/used', { endpoint: subscription.endpoint })
  if (status === 404) await subscription.unsubscribe()
  sessionStorage.setItem('holdfast-device', 'reported')
}

/** Offers to notify on this device, or explains why that is impossible. */
async function setUp({ dataset: { pushKey } }) {
  const say = (name) => (part.querySelector(`[data-push="${name}"]`).hidden = false)
  await reportUse()
  if (!('PushManager' in window) || !('serviceWorker' in navigator)) {
    const isApple = /iPhone|iPad/.test(navigator.userAgent) || navigator.maxTouchPoints > 2
    say(isApple && /AppleWebKit/.test(navigator.userAgent) ? 'install' : 'impossible')
    return
  }
  if (Notification.permission === 'denied') {
    say('blocked')
    return
  }
  const button = part.querySelector('button')
  const isHere = document.querySelector('[data-this-device]') !== null
  if (isHere && (await (await worker)?.pushManager.getSubscription())) return
  button.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    if ((await Notification.requestPermission()) !== 'granted') {
      button.hidden = true
      say('blocked')
      return
    }
    try {
      const subscription = await subscribe((await worker).pushManager, pushKey)
      const { endpoint, keys } = subscription.toJSON()
      const { ok } = await send('/console/notifications/devices', { endpoint, ...keys })
      if (!ok) throw new Error('the server did not take the device')
      location.reload()
    } catch {
      button.disabled = false
      say('failed')
    }
  })
}

async function subscribe(manager, applicationServerKey) {
  const options = { userVisibleOnly: true, applicationServerKey }
  try {
    return await manager.subscribe(options)
  } catch {
    // subscribed before with another key, such as that of an earlier database
    await (await manager.getSubscription())?.unsubscribe()
    return manager.subscribe(options)
  }
}
