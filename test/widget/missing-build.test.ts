import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { emptyDirectory, project, startHoldfast } from '../support/holdfast-process.ts'
import { longTest } from '../support/long.ts'

/** Copies the sources of a checkout, without its build output. */
function freshCheckout(): string {
  const checkout = emptyDirectory()
  const built = join(project, 'widget/dist')
  const others = ['packaging', 'package.json', 'tsconfig.json']
  for (const name of ['bin', 'src', 'texts', 'widget', 'embed/widget', ...others]) {
    cpSync(join(project, name), join(checkout, name), {
      recursive: true,
      filter: (source) => !source.startsWith(built),
    })
  }
  return checkout
}

/** Serves a checkout like `npm start`. Returns the answer for the widget, and the output of the server. */
async function widgetServedBy(checkout: string) {
  const server = startHoldfast(['serve'], {
    directory: checkout,
    program: join(checkout, 'bin/holdfast.js'),
    variables: { PORT: '0', DATABASE_URL: `sqlite:${emptyDirectory()}/holdfast.db`, NODE_ENV: 'production' },
  })
  const [, address = ''] = await server.says(/^Holdfast serves (http:\S+)$/m)
  const answer = await fetch(`${address}/widget/v1.js`)
  const text = await answer.text()
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  return { status: answer.status, text, said: server.stdout() }
}

/** Each test starts whole servers in separate processes. */
const patient = { timeout: 120_000 }

longTest(
  'what npm start runs builds a widget that is missing or older than its sources, and only then',
  patient,
  async () => {
    const checkout = freshCheckout()
    symlinkSync(join(project, 'node_modules'), join(checkout, 'node_modules'))
    const first = await widgetServedBy(checkout)
    expect([first.status, first.said.includes('the booking widget was built')]).toEqual([200, true])
    expect(first.text).toBe(readFileSync(join(project, 'widget/dist/v1.js'), 'utf8'))

    const again = await widgetServedBy(checkout)
    expect([again.text === first.text, again.said.includes('was built')]).toEqual([true, false])

    const styles = join(checkout, 'widget/widget.css')
    writeFileSync(styles, `${readFileSync(styles, 'utf8')}\n.of-a-later-release { color: red }\n`)
    const later = await widgetServedBy(checkout)
    expect([later.status, later.text.includes('.of-a-later-release')]).toEqual([200, true])
  },
)

longTest('without what builds the widget, a server starts and says what to do', patient, async () => {
  const checkout = freshCheckout()
  mkdirSync(join(checkout, 'node_modules'))
  for (const name of readdirSync(join(project, 'node_modules')).filter((name) => name !== 'rolldown')) {
    symlinkSync(join(project, 'node_modules', name), join(checkout, 'node_modules', name))
  }
  const { status, text, said } = await widgetServedBy(checkout)
  expect([status, text]).toEqual([404, expect.stringContaining('npm ci')])
  expect(said).toMatch(/the booking widget is missing and cannot be built here: run npm ci/)
})
