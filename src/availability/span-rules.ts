import type { MsSpan } from './zone-rules.ts'

/**
 * Times of which only their union counts, such as those when somebody is open. Questions in the order of time are
 * answered by going on from the last answer.
 */
export class Spans {
  /** Sorted, apart from each other. */
  private readonly merged: MsSpan[]
  private hint = 0

  constructor(spans: readonly MsSpan[]) {
    this.merged = merge(spans)
  }

  /** Whether the whole of a time lies within. */
  cover({ from, to }: MsSpan): boolean {
    const span = this.merged[this.firstEndingAfter(from)]
    return span !== undefined && span.from <= from && to <= span.to
  }

  /** Whether any of a time lies within. */
  meet({ from, to }: MsSpan): boolean {
    const span = this.merged[this.firstEndingAfter(from)]
    return span !== undefined && span.from < to
  }

  private firstEndingAfter(instantMs: number): number {
    const endsBy = (at: number) => (this.merged[at]?.to ?? Infinity) <= instantMs
    if (this.hint > 0 && !endsBy(this.hint - 1)) this.hint = 0
    while (endsBy(this.hint)) this.hint += 1
    return this.hint
  }
}

function merge(spans: readonly MsSpan[]): MsSpan[] {
  const merged: MsSpan[] = []
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
