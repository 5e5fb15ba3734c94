/** @module-tag long */
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from '../support/accessibility.ts'
import { chromiumPath, keepScreenshot, sharedBrowser, startPublicService } from '../support/browser.ts'
import { findWholeChromium } from '../support/chromium.ts'
import { consoleSizes, openConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { type LoggedIn, logInNewPerson } from '../support/person.ts'
import { pushDevice } from '../support/push-device.ts'
import { businessOf, type TestService } from '../support/test-service.ts'

describe.skipIf(chromiumPath === undefined)('the console as an app', () => {
  let browser: Browser
  let service: TestService
  let address: string
  let owner: LoggedIn
  beforeAll(async () => {
    browser = await sharedBrowser()
    ;({ service, address } = await startPublicService('sqlite'))
    const { id: businessId } = businessOf(service.world, 'Salon Spree')
    owner = await logInNewPerson(service, {
      ...{ email: 'ada@example.com', name: 'Ada', role: 'owner', place: { businessId } },
    })
  })
  afterAll(() => service.stop())

  async function open(path: string, options: { locale?: string; notifying?: Browser } = {}) {
    const { locale = 'en-GB', notifying } = options
    const visitor = await openConsole(notifying ?? browser, owner, {
      ...{ address, locale, serviceWorkers: 'allow', ...consoleSizes.phone },
    })
    if (notifying) await visitor.context.grantPermissions(['notifications'], { origin: address })
    return {
      ...visitor,
      go: () => visitor.page.goto(`${address}${path}`),
      controlled: () =>
        visitor.page.evaluate(`(async () => {
          await navigator.serviceWorker.ready
          if (!navigator.serviceWorker.controller)
            await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))
        })()`),
    }
  }

  test('it can be installed, with a name, icons and shortcuts', async () => {
    const { page, context, errors, go, close } = await open('/console')
    await go()
    const cdp = await context.newCDPSession(page)
    const { errors: faults, data = '{}' } = await cdp.send('Page.getAppManifest')
    expect(faults).toEqual([])
    const manifest = JSON.parse(data) as { name: string; icons: { src: string; sizes: string }[] }
    expect(manifest).toMatchObject({
      ...{ name: 'Salon Spree', display: 'standalone', start_url: '/console', scope: '/console' },
      shortcuts: [{ name: 'New booking' }, { name: 'Today' }],
    })
    for (const { src, sizes } of manifest.icons) {
      const size = `(async () => {
        const image = new Image()
        image.src = '${src}'
        await image.decode()
        return image.naturalWidth + 'x' + image.naturalHeight
      })()`
      expect(await page.evaluate(size)).toBe(sizes)
    }
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
    expect(errors).toEqual([])
    await close()
  })

  test('without a connection, a page in the language of the console leads back', async () => {
    const { page, context, errors, go, controlled, close } = await open('/console/account', { locale: 'de' })
    await go()
    await controlled()
    await context.setOffline(true)
    await go()
    await page.getByRole('heading', { name: 'Sie sind offline' }).waitFor()
    expect(page.url()).toBe(`${address}/console/account`)
    expect(await violationsIn(page)).toEqual([])
    await keepScreenshot(page, 'offline')
    const kept = await page.evaluate(`(async () => {
      const names = await caches.keys()
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return requests.flat().map(({ url }) => url.slice(location.origin.length))
    })()`)
    expect(kept).toEqual([...['/console/offline?locale=de', '/docs/console.css', '/docs/icon.svg']])
    await context.setOffline(false)
    await page.getByRole('link', { name: 'Erneut versuchen' }).click()
    await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('an iPhone is told to add it to the home screen first, and any other browser that it cannot', async () => {
    for (const [userAgent, text] of [
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15',
        'Add to Home Screen first',
      ],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:100.0) Gecko/20100101', 'cannot receive notifications'],
    ]) {
      const { page, errors, go, close } = await open('/console/account')
      await page.addInitScript(`{
        Reflect.deleteProperty(globalThis, 'PushManager')
        Object.defineProperty(navigator, 'userAgent', { value: ${JSON.stringify(userAgent)} })
      }`)
      await go()
      await page.getByText(text ?? '').waitFor()
      expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0)
      expect(errors).toEqual([])
      await close()
    }
  })

  const whole = findWholeChromium() // the small one shows no notifications

  test.skipIf(whole === undefined)(
    'a device is added by a click, shows what is pushed, and no more after a log-out',
    async () => {
      const notifying = await chromium.launch({ executablePath: whole ?? '' })
      const { page, context, errors, go, controlled, close } = await open('/console/account', {
        notifying,
      })
      const { endpoint, ...keys } = pushDevice('http://127.0.0.1:9').subscription
      const subscription = JSON.stringify({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } })
      // no push service can be reached from a test
      await page.addInitScript(`{
      const given = ${subscription}
      let present = null
      PushManager.prototype.subscribe = async () => (present = { ...given, toJSON: () => given })
      PushManager.prototype.getSubscription = async () => present
    }`)
      await go()
      await controlled()
      await page.getByRole('button', { name: 'Notify me on this device' }).click()
      const remove = page.getByRole('button', { name: /^Remove Chrome/ })
      await remove.waitFor()
      expect(await violationsIn(page)).toEqual([])
      await keepScreenshot(page, 'notifications')

      const cdp = await context.newCDPSession(page)
      const registered = new Promise<string>((resolve) => {
        cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
          if (first) resolve(first.registrationId)
        })
      })
      await cdp.send('ServiceWorker.enable')
      const message = {
        title: 'New booking',
        body: 'Cut',
        tag: 'one',
        lang: 'en',
        dir: 'ltr',
        url: '/console',
      }
      await cdp.send('ServiceWorker.deliverPushMessage', {
        ...{ origin: address, registrationId: await registered, data: JSON.stringify(message) },
      })
      const shown = () =>
        page.evaluate<{ title: string; body: string; tag: string }[]>(`(async () => {
        const list = await (await navigator.serviceWorker.ready).getNotifications()
        return list.map(({ title, body, tag }) => ({ title, body, tag }))
      })()`)
      const first = await eventually('a notification', async () => (await shown())[0])
      expect(first).toEqual({ title: 'New booking', body: 'Cut', tag: 'one' })

      await remove.click()
      await page.getByText('This device is notified no more.').waitFor()
      expect(await service.rows('push_devices')).toEqual([])
      await page.goto(`${address}/console`)
      await page.evaluate(`document.querySelector('form[action="/console/logout"]').requestSubmit()`)
      await page.waitForURL(`${address}/console`)
      await eventually('no notification', async () => {
        const list = await shown().catch(() => undefined) // the page is being left
        return list?.length === 0 ? true : undefined
      })
      expect(errors).toEqual([])
      await close()
      await notifying.close()
    },
  )
})
