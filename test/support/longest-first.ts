import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that wait for real time, processes or browsers begin first. If one of them began last, it would run alone while
 * the other worker is idle. So does the file with the most work. Within each group the larger files come first.
 */
const long = [/-in-browser\./, /\/test\/system\//, /killed-server/, /moment-of-expiry/, /hostile-forms/]

/** Gives workers the long files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.findIndex((pattern) => pattern.test(moduleId))
      return index === -1 ? long.length : index
    }
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
