import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from '../base/html.ts'

/* The files that make the console an app on phones and desktops. */

/** Files of this folder that the offline page shows. They are the same for everybody. */
const offlineParts = ['page.css', 'console.css', 'icon.svg']

/** The colours of --paper and --ground in page.css, for the frames of browsers and phones. */
export const appColors = { light: '#ffffff', dark: '#17181b', ground: '#f8f7f5' }

/** HTML for the head of each console page. A manifest that names the business needs the cookie. */
export const appHead = html`<link
    rel="manifest"
    href="/console/manifest.webmanifest"
    crossorigin="use-credentials"
  />
  <link rel="apple-touch-icon" href="/docs/icon-apple.png" />
  <meta name="theme-color" media="(prefers-color-scheme: light)" content="${appColors.light}" />
  <meta name="theme-color" media="(prefers-color-scheme: dark)" content="${appColors.dark}" />`

/** Icons for a manifest. */
export const appIcons = [
  { src: '/docs/icon-192.png', sizes: '192x192', type: 'image/png' },
  { src: '/docs/icon-512.png', sizes: '512x512', type: 'image/png' },
  { src: '/docs/icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
]

/**
 * Returns the service worker for an offline page. A change of its files changes its text, so browsers fetch all of them
 * again.
 */
export function serviceWorker(offlineAddress: string, offlinePage: string): string {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
  const code = read('service-worker.js')
  const version = hash('sha256', [code, offlinePage, ...offlineParts.map(read)].join('\n')).slice(0, 16)
  const files = [offlineAddress, '/docs/console.css', '/docs/icon.svg']
  return `const version = ${JSON.stringify(version)}\nconst files = ${JSON.stringify(files)}\n${code}`
}
