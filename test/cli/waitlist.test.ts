import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { mailWorld, nextClient, type MailWorld } from '../support/mail-world.ts'
import { onOneEngine } from '../support/long.ts'

onOneEngine('sqlite', 'the commands of the waiting list', (engine) => {
  let world: MailWorld
  beforeAll(async () => {
    world = await mailWorld(engine)
  })
  afterAll(() => world.stop())
  const run = (...args: string[]) =>
    runCommand(['waitlist', ...args], { DATABASE_URL: world.service.databaseUrl })

  test('list, skip and remove entries', async () => {
    const offer = await world.offer({ name: 'Balayage' })
    const join = async () => {
      const entry = { ...offer, from: '2026-12-08', to: '2026-12-08', client: nextClient() }
      return String((await world.call('POST', '/waitlist', entry)).body.id)
    }
    const [first, second] = [await join(), await join()]
    world.service.clock.advance(31)
    await world.service.app.offers.settled()
    const listed = await run('list', '--business', world.business.id, '--status', 'offered')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toContain('Waiting list of Corner Spa:')
    expect(listed.stdout).toMatch(new RegExp(`${first}.*offered.*Balayage.*2026-12-08 0:?0`))
    const skipped = await run('skip', first, '--json')
    expect(JSON.parse(skipped.stdout)).toMatchObject({ id: first, status: 'waiting', offer: null })
    expect(await run('remove', second)).toMatchObject({ code: 0, stdout: 'removed\n' })
    const left = await run('list', '--json')
    const { data } = JSON.parse(left.stdout) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual([first])
    expect(await run('skip', 'x')).toMatchObject({ code: 2, stdout: '' })
    const unknown = await run('list', '--service', 'Nothing')
    expect(unknown.code).not.toBe(0)
  })
})
