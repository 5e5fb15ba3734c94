import { cruise, type ICruiseResult, type IModule, type IViolation } from 'dependency-cruiser'
import { importRules } from './import-rules.ts'

export interface Violation {
  rule: string
  /** What is wrong, for people: the two modules and the reason of the rule. */
  text: string
}

export interface ImportCheck {
  /** The modules of src that were read. */
  modules: string[]
  /** How many imports of types alone were followed. */
  typeImports: number
  violations: Violation[]
}

/** Reads every import below src/ of the given directory and compares it with the import rules. */
export async function checkImports(root: string): Promise<ImportCheck> {
  const { output } = await cruise(
    ['src'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: importRules },
      // Off by default, and then an `import type` is no import at all.
      tsPreCompilationDeps: true,
      detectProcessBuiltinModuleCalls: true,
      doNotFollow: 'node_modules',
    },
    // Without these, packages that only have `exports` are not found.
    { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
  )
  const result = output as ICruiseResult
  // scripts that are sent to browsers are not modules of the server
  const modules = result.modules.filter(({ source }) => source.startsWith('src/') && source.endsWith('.ts'))
  return {
    modules: modules.map(({ source }) => source),
    typeImports: modules.flatMap(typeImportsOf).length,
    violations: [...result.summary.violations.map(violation), ...folderCircles(modules)],
  }
}

function typeImportsOf({ dependencies }: IModule) {
  return dependencies.filter(({ dependencyTypes }) => dependencyTypes.includes('type-only'))
}

function violation({ rule, from, to, cycle }: IViolation): Violation {
  const reason = importRules.find(({ name }) => name === rule.name)?.comment ?? ''
  const way = cycle ? [from, ...cycle.map(({ name }) => name)] : [from, to]
  return { rule: rule.name, text: `${rule.name}: ${way.join(' → ')} (${reason})` }
}

interface Step {
  from: string
  to: string
  example: string
}

/**
 * Circles between the folders directly below src/. The modules in src/ itself belong to no folder. That routes use
 * http/ is left out: they are the part of a folder that belongs to the edge, and http/ in turn knows access/.
 */
function folderCircles(modules: IModule[]): Violation[] {
  const steps = modules.flatMap(({ source, dependencies }) =>
    dependencies.flatMap(({ resolved }): Step[] => {
      const [from, to] = [folderOf(source), folderOf(resolved)]
      if (!from || !to || from === to || (to === 'http' && source.endsWith('-routes.ts'))) return []
      return [{ from, to, example: `${source} imports ${resolved}` }]
    }),
  )
  const circle = steps.map((step) => wayBack(step, steps)).find((way) => way !== null)
  if (!circle) return []
  const examples = circle.map(({ example }) => example).join(', ')
  return [{ rule: 'no-folder-circle', text: `no-folder-circle: folders form no circle (${examples})` }]
}

function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

/** The shortest way over the steps from where the first leads back to where it began, the first included. */
function wayBack(first: Step, steps: Step[]): Step[] | null {
  const ways: Step[][] = [[first]]
  const seen = new Set([first.to])
  for (const way of ways) {
    const here = way.at(-1)?.to
    if (here === first.from) return way
    for (const step of steps) {
      if (step.from !== here || seen.has(step.to)) continue
      seen.add(step.to)
      ways.push([...way, step])
    }
  }
  return null
}
