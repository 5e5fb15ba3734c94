import type { TestService } from './test-service.ts'

/** One line of values of a scrape. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** The result of one reading of /metrics. */
export interface Scrape {
  text: string
  samples: Sample[]
  /** The metrics as the text describes them. */
  metrics: { name: string; help: string; type: string }[]
  /** Returns the value with exactly these labels, or undefined if there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined
}

const sampleLine = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/
const label = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g

/** Parses the text format of Prometheus. Fails on an invalid line. */
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

/** Returns the growth of a metric's values during some work, by their labels: `{"placed": 1}`. */
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
