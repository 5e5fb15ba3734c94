import { stripeEvents } from '../../src/payments/stripe-events.ts'
import { stripePermissions } from '../../src/payments/stripe-values.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConsole, textOf } from '../support/console.ts'
import { depositWorld, type DepositWorld } from '../support/deposits.ts'
import { onOneEngine } from '../support/long.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type LoggedIn, logInNewPerson, sendForm } from '../support/person.ts'
import { ownKey, ownWebhookSecret } from '../support/stripe-server.ts'

const login = { user: 'salon@example.com', pass: 'secret-of-salon' }

onOneEngine('sqlite', 'an owner sets the mail server and Stripe account of a business', (engine) => {
  let world: DepositWorld
  let server: MailServer
  const people: Record<string, LoggedIn> = {}
  const read = async (path: string, who = 'owner') =>
    textOf(await readConsole(world.service, path, people[who] ?? { cookie: '' }))
  const send = (path: string, fields: Record<string, string>, who = 'owner') =>
    sendForm(world.service, path, fields, { cookie: people[who]?.cookie ?? '' })
  beforeAll(async () => {
    world = await depositWorld(engine, { MAIL_DIR: '' })
    server = await startMailServer({ login })
    for (const role of ['owner', 'manager'] as const)
      people[role] = await logInNewPerson(world.service, {
        ...{ email: `${role}@example.com`, role },
        place: { businessId: world.business.id },
      })
  })
  afterAll(async () => {
    await world.stop()
    await server.close()
  })

  test('a mail server is tried, shown as working, and disconnected', async () => {
    const path = '/console/mails/server'
    const fields = {
      ...{ from_email: 'salon@spa.example', host: '127.0.0.1', port: String(server.port) },
      user: login.user,
    }
    const wrong = await send(path, { ...fields, password: 'wrong-secret' })
    expect(wrong.status).toBe(422)
    expect(textOf(wrong)).toContain('That did not work: 535')
    expect(String(wrong.body)).not.toContain('wrong-secret')
    expect((await send(path, { ...fields, password: login.pass })).status).toBe(303)
    expect(await read(path)).toContain('Connected as salon@spa.example through 127.0.0.1.')
    expect(await read('/console/mails')).toContain('Email sender')
    expect(await read('/console/mails', 'manager')).not.toContain('Email sender')
    expect(await read(path, 'manager')).toContain('You cannot open this page')
    expect((await send(path, { do: 'remove' })).status).toBe(303)
    expect(await read(path)).not.toContain('Connected as')
  })

  test('the form of a Stripe account names all that has to be chosen there', async () => {
    const path = '/console/payments/stripe'
    const page = await readConsole(world.service, path, people['owner'] ?? { cookie: '' })
    const text = textOf(page)
    for (const name of [...stripePermissions, ...stripeEvents]) expect(text).toContain(name)
    expect(page.body).toContain(
      `>https://book.example/payments/stripe/webhook/${world.business.id}</textarea>`,
    )
    expect(page.body).toContain('data-copy="address"')
    const published = await send(path, { secret_key: 'pk_test_12345678', webhook_secret: 'nothing' })
    expect(published.status).toBe(422)
    expect(textOf(published)).toContain('This is not a secret or restricted key.')
    expect(textOf(published)).toContain('This is not a signing secret. It begins with whsec_.')
    world.stripe.failure = { how: 'away', on: /./ }
    const away = await send(path, { secret_key: ownKey, webhook_secret: ownWebhookSecret })
    world.stripe.failure = undefined
    expect(textOf(away)).toContain('Stripe does not answer at the moment.')
  })

  test('a Stripe account is tried, shown as connected, and disconnected', async () => {
    const path = '/console/payments/stripe'
    const wrong = await send(path, { secret_key: 'sk_test_wrong12345', webhook_secret: ownWebhookSecret })
    expect(wrong.status).toBe(422)
    expect(textOf(wrong)).toContain('Stripe refused this key.')
    expect(String(wrong.body)).not.toContain('sk_test_wrong12345')
    expect((await send(path, { secret_key: ownKey, webhook_secret: ownWebhookSecret })).status).toBe(303)
    expect(await read(path)).toContain('Key ending in abcd')
    expect(await read('/console/payments', 'manager')).toContain('Key ending in abcd')
    expect(await read(path, 'manager')).toContain('You cannot open this page')
    expect((await send(path, { do: 'remove' })).status).toBe(303)
    expect(await read(path)).toContain('the shared account of this server')
  })
})
