import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../support/holdfast-process.ts'

interface Package {
  dev?: boolean
  hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const withScripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)

test('no package of an installation for production runs anything when it is installed', () => {
  expect(withScripts.filter(([, { dev }]) => !dev)).toEqual([])
})

test('npm, of whatever release, runs no script of a package for development either', () => {
  expect(withScripts).not.toEqual([]) // else this is no longer needed
  expect(readFileSync(join(project, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
})
