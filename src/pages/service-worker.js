// The service worker of the console. The server puts `version` and `files` before it (app-files.ts).
// It keeps only the files of the offline page, which are the same for everybody. It never keeps a page with data.
/* global version, files */

const cacheName = `holdfast-${version}`
const [offlinePage, ...parts] = files

addEventListener('install', (event) => {
  const requests = files.map((file) => new Request(file, { cache: 'reload', credentials: 'omit' }))
  const keep = async () => (await caches.open(cacheName)).addAll(requests)
  event.waitUntil(keep().then(() => skipWaiting()))
})

addEventListener('activate', (event) => {
  const tidy = async () => {
    const names = await caches.keys()
    const old = names.filter((name) => name.startsWith('holdfast-') && name !== cacheName)
    await Promise.all(old.map((name) => caches.delete(name)))
    await clients.claim()
  }
  event.waitUntil(tidy())
})

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method === 'POST' && pathname === '/console/logout') event.waitUntil(forget())
  if (request.method !== 'GET' || origin !== location.origin) return
  const part = parts.includes(pathname) ? pathname : undefined
  const kept = request.mode === 'navigate' ? offlinePage : part
  if (kept !== undefined) event.respondWith(fetch(request).catch(() => keptFile(kept)))
})

async function keptFile(file) {
  return (await (await caches.open(cacheName)).match(file)) ?? Response.error()
}

/** Ends the notifications after a log-out. The server forgets the device as well. */
async function forget() {
  for (const shown of await registration.getNotifications()) shown.close()
  const subscription = await registration.pushManager?.getSubscription()
  await subscription?.unsubscribe()
}

addEventListener('push', (event) => {
  const { title, ...shown } = event.data.json()
  const { body, tag, lang, dir, url } = shown
  const options = { body, tag, lang, dir, renotify: true, icon: '/docs/icon-192.png', data: { url } }
  event.waitUntil(registration.showNotification(title, options))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(new URL(event.notification.data.url, location.origin).href))
})

/** Shows a page of the console in its window, if one is open. */
async function open(url) {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find((one) => new URL(one.url).pathname.startsWith('/console'))
  try {
    await (await shown.navigate(url)).focus()
  } catch {
    await clients.openWindow(url) // no window, or one that this version does not control
  }
}
