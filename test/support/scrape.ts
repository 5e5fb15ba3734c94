import type { TestService } from './test-service.ts'

/** One line of values of a scrape. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** What one reading of /metrics gave. */
export interface Scrape {
  text: string
  samples: Sample[]
  /** Of each metric, as the text tells it. */
  metrics: { name: string; help: string; type: string }[]
  /** The value of exactly these labels; undefined when there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined
}

const sampleLine = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/
const label = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g

/** Reads the text format of Prometheus; a line that is none fails. */
export function readScrape(text: string): Scrape {
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): Sample => {
      const [, name, labels = '', value] = sampleLine.exec(line) ?? []
      if (!name || !value || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`)
      const pairs = [...labels.matchAll(label)].map(([, key = '', text = '']) => [key, text])
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }
    })
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
  const metrics = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => ({
    name,
    help,
    type: types.get(name) ?? 'none',
  }))
  const keyOf = (labels: Record<string, string>) => JSON.stringify(Object.entries(labels).toSorted())
  return {
    text,
    samples,
    metrics,
    value: (name, labels = {}) =>
      samples.find((sample) => sample.name === name && keyOf(sample.labels) === keyOf(labels))?.value,
  }
}

/** Scrapes a service as Prometheus does. */
export async function scrape(service: TestService): Promise<Scrape> {
  const { status, body } = await service.call('GET', '//metrics')
  if (status !== 200) throw new Error(`the scrape failed: ${status}`)
  return readScrape(String(body))
}

/** By how much the values of a metric grew during some work, by the labels that it has: `{"placed": 1}`. */
export async function growthOf(
  service: TestService,
  { metric, by }: { metric: string; by: string[] },
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await scrape(service)
  await work()
  const after = await scrape(service)
  const grown = after.samples
    .filter(({ name }) => name === metric)
    .map(({ name, labels, value }) => {
      const key = by.map((label) => labels[label] ?? '').join(' ')
      return [key, value - (before.value(name, labels) ?? 0)] as const
    })
  return Object.fromEntries(grown.filter(([, difference]) => difference !== 0))
}
