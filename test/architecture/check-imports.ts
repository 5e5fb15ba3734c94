import { cruise, type ICruiseResult, type IModule, type IViolation } from 'dependency-cruiser'
import { importRules } from './import-rules.ts'

export interface Violation {
  rule: string
  /** The fault, for people: the two modules and the reason of the rule. */
  text: string
}

interface ImportCheck {
  /** The modules read. */
  modules: string[]
  /** The number of type imports that were followed. */
  typeImports: number
  violations: Violation[]
}

/** Reads every import below src/ and tools/ of the given directory and compares it with the import rules. */
export async function checkImports(root: string): Promise<ImportCheck> {
  const { output } = await cruise(
    ['src', 'tools'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: importRules },
      // Off by default. Without it an `import type` does not count as an import.
      tsPreCompilationDeps: true,
      detectProcessBuiltinModuleCalls: true,
      doNotFollow: 'node_modules',
    },
    // Without these, packages that only have `exports` are not found.
    { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
  )
  const result = output as ICruiseResult
  // scripts for browsers are not modules of the server
  const modules = result.modules.filter(({ source }) => /^(src|tools)\/.*[.]ts$/.test(source))
  return {
    modules: modules.map(({ source }) => source),
    typeImports: modules.flatMap(typeImportsOf).length,
    violations: result.summary.violations.map(violation),
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
