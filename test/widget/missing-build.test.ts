import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, project, startHoldfast } from '../support/holdfast-process.ts'

test('what npm start runs builds a widget that is missing, and serves it', async () => {
  const checkout = emptyDirectory()
  const built = join(project, 'widget/dist')
  for (const name of ['bin', 'src', 'widget', 'package.json', 'tsconfig.json']) {
    cpSync(join(project, name), join(checkout, name), {
      recursive: true,
      filter: (source) => !source.startsWith(built),
    })
  }
  symlinkSync(join(project, 'node_modules'), join(checkout, 'node_modules'))
  const server = startHoldfast(['serve'], {
    directory: checkout,
    program: join(checkout, 'bin/holdfast.js'),
    variables: { PORT: '0', DATABASE_URL: `sqlite:${emptyDirectory()}/holdfast.db`, NODE_ENV: 'production' },
  })
  const [, address = ''] = await server.says(/^Holdfast serves (http:\S+)$/m)
  const served = await fetch(`${address}/widget/v1.js`)
  expect([served.status, await served.text()]).toEqual([200, readFileSync(join(built, 'v1.js'), 'utf8')])
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
})
